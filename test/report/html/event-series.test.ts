import { expect, test } from "vitest";
import { layersOf } from "../../../src/report/html/client/charts/layers.js";
import {
  bucketDaysFor,
  eventBuckets,
  eventSeries,
  hoursInRange,
  rowsInRange,
} from "../../../src/report/html/client/event-series.js";
import { exampleReport } from "./example-report.js";

const report = exampleReport({ days: 40, names: 30 });
const series = eventSeries(report);

test("rows of a name in a range of days are those of the days", () => {
  for (const event of [0, 4, 7, 29]) {
    const range = { start: 11, end: 33 };
    const wanted = report.days
      .slice(range.start, range.end)
      .flatMap(({ byEvent }) => byEvent.filter(([place]) => place === event))
      .reduce((sum, [, rows]) => sum + rows, 0);
    expect(rowsInRange(series, event, range)).toBe(wanted);
    expect(rowsInRange(series, event, { start: 0, end: 40 })).toBe(report.events[event]?.rows);
  }
});

test("buckets of days lose no row", () => {
  for (const bucketDays of [1, 7, 14]) {
    const buckets = eventBuckets(series, 3, 40, bucketDays);
    expect(buckets).toHaveLength(Math.ceil(40 / bucketDays));
    expect(buckets.reduce((sum, rows) => sum + rows, 0)).toBe(report.events[3]?.rows);
  }
});

test("bars stand for days while there is room, then for whole weeks", () => {
  expect([90, 200, 201, 3_650].map((days) => bucketDaysFor(days, 200))).toEqual([1, 1, 7, 21]);
});

test("layers lie on each other up to the events of the day", () => {
  const layers = layersOf(report, series, 1);
  expect(layers).toHaveLength(9);
  report.days.forEach(({ events }, day) => {
    expect(layers[0]?.spans[day]?.[0]).toBe(0);
    expect(layers.at(-1)?.spans[day]?.[1]).toBe(events);
    layers.slice(1).forEach((layer, place) => {
      expect(layer.spans[day]?.[0]).toBe(layers[place]?.spans[day]?.[1]);
    });
  });
});

test("hours of all days are those of the report", () => {
  expect(hoursInRange(report, { start: 0, end: 40 })).toEqual(report.hoursOfDay);
  expect(hoursInRange(report, { start: 5, end: 6 })).toEqual(report.days[5]?.hours);
});
