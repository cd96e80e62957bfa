import { expect, test } from "vitest";
import { type CalendarDay, dayLevel, stretchesOf } from "../../src/ui/calendar-days.js";

test("the calendar's colours do not saturate: a campaign day stands out from usual days", () => {
  const days = [820, 1_470, 1_530, 5_290];
  const most = Math.max(...days);
  expect(days.map((events) => dayLevel(events, most))).toEqual([4, 5, 5, 8]);
  expect(dayLevel(0, most)).toBe(0);
  expect(dayLevel(1, 1_000_000)).toBe(1);
  expect(dayLevel(most, most)).toBe(8);
});

/** A count on the first day of each month of 2026, and none on the others. */
function monthsWith(counts: readonly number[], rejected = 0): readonly CalendarDay[] {
  return counts.flatMap((count, month) => {
    const days = new Date(Date.UTC(2026, month + 1, 0)).getUTCDate();
    return Array.from({ length: days }, (_, index) => ({
      day: new Date(Date.UTC(2026, month, index + 1)).toISOString().slice(0, 10),
      count: index === 0 ? count : 0,
      rejected,
    }));
  });
}

const shapeOf = (days: readonly CalendarDay[]) =>
  stretchesOf(days).map(({ start, isEmpty }) => `${days[start]?.day} ${isEmpty ? "empty" : ""}`);

test("three months without events are one line, and two are shown", () => {
  expect(shapeOf(monthsWith([5, 0, 0, 7]))).toHaveLength(4);
  expect(shapeOf(monthsWith([5, 0, 0, 0, 0, 7, 0]))).toEqual([
    "2026-01-01 ",
    "2026-02-01 empty",
    "2026-06-01 ",
    "2026-07-01 ",
  ]);
});

test("months with nothing but rejected rows are shown", () => {
  expect(shapeOf(monthsWith([0, 0, 0, 0], 1))).toHaveLength(4);
});
