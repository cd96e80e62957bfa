import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import { growingWindows, leastMsOf, unitsOf } from "../../src/fetch/plan-windows.js";
import type { Vendor } from "../../src/fetch/vendor.js";
import { mixpanel } from "../../src/fetch/vendors/mixpanel.js";

const about = { username: "", secret: "", project: "12", region: "us" };
const vendor: Vendor = mixpanel({ ...about, origin: "https://data.mixpanel.com" });
const days = (start: number, end: number) => ({ start: start * DAY_MS, end: end * DAY_MS });

test("windows grow twice as long each, up to the longest, and none is longer than what is missing", () => {
  const windows = growingWindows([days(20, 30), days(30, 60), days(60, 90)], vendor);
  const edges = windows.map(({ start, end }) => [start / DAY_MS, end / DAY_MS]);
  expect(edges).toEqual([
    [20, 21],
    [21, 23],
    [23, 27],
    [27, 30],
    [30, 46],
    [46, 60],
    [60, 90],
  ]);
  expect(unitsOf(windows, DAY_MS)).toBe(70);
});

test("without a size that answers should have, windows stay as they are", () => {
  const { answerBytes: _, ...fixed } = vendor;
  expect(growingWindows([days(0, 30)], fixed)).toEqual([days(0, 30)]);
});

test("the least time is that of the strictest limit", () => {
  const limits = [
    { requests: 60, ms: HOUR_MS },
    { requests: 1, ms: 1_000 },
  ];
  const times = [0, 1, 2, 60, 61, 120, 121].map((requests) => leastMsOf(requests, limits));
  expect(times).toEqual([0, 0, 1_000, 59_000, HOUR_MS, HOUR_MS, 2 * HOUR_MS]);
});
