import { expect, test } from "vitest";
import { formatBytes, formatDuration, formatNumberOf } from "../../src/report/quantities.js";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1.00 kB"],
  [12_345, "12.3 kB"],
  [999_499, "999 kB"],
  [999_500, "1.00 MB"],
  [1.5e12, "1.50 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, "0.0 s"],
  [1_250, "1.3 s"],
  [9_949, "9.9 s"],
  [9_950, "10 s"],
  [59_499, "59 s"],
  [59_500, "1:00 min"],
  [187_000, "3:07 min"],
  [3_599_600, "1:00:00 h"],
  [7_387_000, "2:03:07 h"],
])("%d ms are %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test("writes nouns in singular or plural", () => {
  expect(formatNumberOf(1_234_567, "row")).toBe("1,234,567 rows");
  expect(formatNumberOf(1, "row")).toBe("1 row");
  expect(formatNumberOf(0, "row")).toBe("0 rows");
});
