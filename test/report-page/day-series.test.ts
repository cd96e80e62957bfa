import { expect, test } from "vitest";
import type { ReportDay } from "../../src/profile/report.js";
import {
  bucketDaysFor,
  eventBuckets,
  eventSeries,
  hoursInRange,
  layersOf,
  partDays,
  rowsInRange,
} from "../../src/report-page/elements/day-series.js";
import { noneEmpty } from "../report/example-report.js";
import { exampleReport } from "./example-report.js";

const report = exampleReport({ days: 40, names: 30 });
const series = eventSeries(report);

test("rows of a name in a range are the sum of its days", () => {
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

test("a bar is a day, or whole weeks if there are too many days", () => {
  expect([90, 200, 201, 3_650].map((days) => bucketDaysFor(days, 200))).toEqual([1, 1, 7, 21]);
});

test("layers add up to the events of the day", () => {
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

test("hours of all days equal those of the report", () => {
  expect(hoursInRange(report, { start: 0, end: 40 })).toEqual(report.hoursOfDay);
  expect(hoursInRange(report, { start: 5, end: 6 })).toEqual(report.days[5]?.hours);
});

function daysWith(...counts: readonly number[]): readonly ReportDay[] {
  return counts.map((events, place) => ({
    day: new Date(place * 86_400_000).toISOString().slice(0, 10),
    events,
    hours: [],
    byEvent: [],
    rejected: 0,
    empty: noneEmpty,
  }));
}

const gap = (days: number) => Array.from({ length: days }, () => 0);

test("separates a few events far before and after all others", () => {
  const days = daysWith(3, ...gap(400), 900, 0, 1_100, ...gap(90), 2);
  const { days: kept, outlying } = partDays(days);
  expect(kept.map(({ events }) => events)).toEqual([900, 0, 1_100]);
  expect(outlying.map(({ events }) => events)).toEqual([3, 2]);
});

test("keeps days that are near, or have many events", () => {
  for (const counts of [
    [3, ...gap(59), 2_000],
    [300, ...gap(400), 2_000],
    [9, ...gap(90), 9, ...gap(90), 9, ...gap(90), 1_000],
    [500, ...gap(90), 1, ...gap(90), 500],
    [1],
    [0, 0],
    [],
  ]) {
    const days = daysWith(...counts);
    expect(partDays(days)).toEqual({ days, outlying: [] });
  }
});
