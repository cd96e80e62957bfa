import fc from "fast-check";
import { expect, test } from "vitest";
import { cutEnd, cutStart, harmless, widthOf } from "../../src/report/terminal-text.js";

test("escapes control characters, line ends and characters that change the direction of text", () => {
  expect(harmless("a\u001b[31mb\r\n\tc\u009b0m\u202ed\u2028e\u007f")).toBe(
    "a\\u001b[31mb\\r\\n\\tc\\u009b0m\\u202ed\\u2028e\\u007f",
  );
});

test("keeps ordinary text of any script", () => {
  for (const text of ["plain", "Grüße", "日本語", "👍🏽", "עברית"])
    expect(harmless(text)).toBe(text);
});

test("removes every control character from any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(harmless(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u);
    }),
  );
});

test("cuts text to a number of columns", () => {
  expect(cutEnd("abcdef", 6)).toBe("abcdef");
  expect(cutEnd("abcdef", 4)).toBe("abc…");
  expect(cutStart("abcdef", 4)).toBe("…def");
  expect(cutEnd("日本語", 4)).toBe("日…");
  expect(cutEnd("abc", 0)).toBe("");
  expect(widthOf("e\u0301")).toBe(1);
});
