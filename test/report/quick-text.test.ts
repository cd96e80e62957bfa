import { expect, it } from "vitest";
import type { QuickReport } from "../../src/profile/report.js";
import { describeUnknown, figureText, quickLines } from "../../src/report/quick-text.js";

it.each([
  [{ count: 1_204_312, error: 3_071 }, "about 1,204,300 ± 3,100"],
  [{ count: 1_204_312, error: 7 }, "about 1,204,312 ± 7"],
  [{ count: 12, error: 0 }, "12"],
  [{ count: 1_234_567, error: null }, "about 1,200,000 (error unknown)"],
])("writes %j with the digits that its error leaves", (figure, text) => {
  expect(figureText(figure)).toBe(text);
});

const figure = { count: 1_000, error: 10 };
const quick: QuickReport = {
  isExact: false,
  confidence: 0.99,
  units: 240,
  beginnings: 0,
  rows: {
    read: figure,
    added: { count: 0, error: 0 },
    mapped: figure,
    rejected: { count: 5, error: 4 },
    filtered: { count: 0, error: 0 },
  },
  rejects: [{ code: "time_missing", rows: { count: 5, error: 4 } }],
  events: ["a", "b", "c", "d", "e"].map((event) => ({ event, rows: figure })),
  days: [{ day: "2026-01-01", events: figure }],
  unknown: ["One.", "Two."],
};

it("describes the figures and what is unknown, a line each", () => {
  expect(quickLines({ sample: { share: 0.1, quick } })).toEqual([
    [
      "estimate",
      "about 1,000 ± 10 rows, about 1,000 ± 10 events, about 5 ± 4 rejected in all inputs (99 % confidence for all figures together)",
    ],
    ["", "a about 1,000 ± 10, b about 1,000 ± 10, c about 1,000 ± 10, d about 1,000 ± 10, 1 more"],
    ["", "time_missing about 5 ± 4"],
    ["unknown", "One."],
    ["", "Two."],
  ]);
  expect(quickLines({ sample: { share: 0.1 } })).toEqual([]);
});

it("says that figures of small inputs are exact, and then has nothing unknown", () => {
  const exact = { ...quick, isExact: true, unknown: [] };
  expect(quickLines({ sample: { share: 1, quick: exact } })).toEqual([
    ["quick", "the inputs are small: all rows were read, and figures are exact"],
  ]);
  expect(describeUnknown(exact, 1)).toEqual([]);
});

it("says how rare what it misses is", () => {
  expect(describeUnknown(quick, 0.01)[1]).toContain("fewer than about 300 rows");
});
