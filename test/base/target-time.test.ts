import { afterEach, describe, expect, it } from "vitest";
import { targetTime } from "../../src/base/target-time.js";

const before = process.env["TZ"];
afterEach(() => {
  if (before === undefined) delete process.env["TZ"];
  else process.env["TZ"] = before;
});

const NOON = Date.UTC(2026, 0, 15, 12);

describe.each(["UTC", "America/New_York", "Asia/Kolkata"])("the time of a target in %s", (zone) => {
  it.each([
    ["2026-01-15T12:00", NOON],
    ["2026-01-15T12:00:00.000", NOON],
    [" 2026-01-15 12:00 ", NOON],
    ["Jan 15 2026 12:00 PM", NOON],
    ["15-Jan-2026", Date.UTC(2026, 0, 15)],
    ["1/15/2026", Date.UTC(2026, 0, 15)],
    ["2026-01-15", Date.UTC(2026, 0, 15)],
    ["2026-01-15T13:00:00+01:00", NOON],
    ["2026-01-15T07:00-0500", NOON],
    ["2026-01-15T12:00z", NOON],
    ["2026-01-15 07:00 EST", NOON],
    ["Thu, 15 Jan 2026 12:00:00 GMT", NOON],
    ["Thu Jan 15 2026 13:00:00 GMT+0100 (Central European Standard Time)", NOON],
    ["1768478400", NOON],
    [1_768_478_400_000, NOON],
    ["", Number.NaN],
    ["soon", Number.NaN],
  ])("is for %j %d", (target, time) => {
    process.env["TZ"] = zone;
    expect(targetTime(target)).toBe(time);
  });
});
