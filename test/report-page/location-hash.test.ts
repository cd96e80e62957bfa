import { expect, test } from "vitest";
import {
  formatHash,
  nameInAddress,
  parseHash,
} from "../../src/report-page/elements/location-hash.js";

test("an address keeps every name, with and without days", () => {
  const days = { from: "2026-01-01", to: "2026-01-31" };
  for (const event of ["Page Viewed", "a&b=c#d", "100 %", "+", "ключ 🙂", "", "findings", "<b>"]) {
    expect(parseHash(formatHash({ event }))).toEqual({ event });
    expect(parseHash(formatHash({ event, ...days }))).toEqual({ event, ...days });
  }
});

test("a lone surrogate is replaced and still found", () => {
  expect(parseHash(formatHash({ event: "a\ud800" }))).toEqual({ event: nameInAddress("a\ud800") });
});

test("a word is a part of the overview, and other text is the overview", () => {
  expect(parseHash("#user-properties")).toEqual({ section: "user-properties" });
  for (const hash of ["", "#", "#?%%%", "#from=2026-01-01", "#<script>"]) {
    expect(parseHash(hash)).toEqual({});
  }
});
