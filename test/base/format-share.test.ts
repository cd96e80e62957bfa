import { expect, it } from "vitest";
import { formatShare } from "../../src/base/format-share.js";
import { partText } from "../../src/ui/text.js";

it.each([
  [2, 3, "66.7 %"],
  [0, 3, "0.0 %"],
  [1, 1_000, "0.1 %"],
  [1, 1_001, "< 0.1 %"],
  [999, 1_000, "99.9 %"],
  [1_000, 1_001, "> 99.9 %"],
  [5e15 - 1, 5e15, "> 99.9 %"],
  [3, 3, "100.0 %"],
  [3, 1, "300.0 %"],
  [0, 0, "100.0 %"],
])("%d of %d is %s, on every page and in every text", (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text);
  if (whole > 0) expect(partText(part, whole)).toBe(text);
});
