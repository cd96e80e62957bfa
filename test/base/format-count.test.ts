import { expect, it } from "vitest";
import { formatCount } from "../../src/base/format-count.js";

it.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [1_234_567, "1,234,567"],
  [1_234.6, "1,235"],
])("writes %d as %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});
