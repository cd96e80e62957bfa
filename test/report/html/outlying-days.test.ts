import { expect, test } from "vitest";
import type { ReportDay } from "../../../src/profile/report.js";
import { partDays } from "../../../src/report/html/client/outlying-days.js";

function daysWith(...counts: readonly number[]): readonly ReportDay[] {
  return counts.map((events, place) => ({
    day: new Date(place * 86_400_000).toISOString().slice(0, 10),
    events,
    hours: [],
    byEvent: [],
    rejected: 0,
  }));
}

const gap = (days: number) => Array.from({ length: days }, () => 0);

test("a few events far before and after all others are set apart", () => {
  const days = daysWith(3, ...gap(400), 900, 0, 1_100, ...gap(90), 2);
  const { days: kept, outlying } = partDays(days);
  expect(kept.map(({ events }) => events)).toEqual([900, 0, 1_100]);
  expect(outlying.map(({ events }) => events)).toEqual([3, 2]);
});

test("what is not far, or not next to nothing, stays", () => {
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
