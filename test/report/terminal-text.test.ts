import fc from "fast-check";
import { expect, test } from "vitest";
import { cutEnd, cutStart, harmless, widthOf } from "../../src/report/terminal-text.js";

test("escapes, line ends and characters that turn text around are made visible", () => {
  expect(harmless("a\u001b[31mb\r\n\tc\u009b0m\u202ed\u2028e\u007f")).toBe(
    "a\\u001b[31mb\\r\\n\\tc\\u009b0m\\u202ed\\u2028e\\u007f",
  );
});

test("ordinary text of any script stays as it is", () => {
  for (const text of ["plain", "Grüße", "日本語", "👍🏽", "עברית"])
    expect(harmless(text)).toBe(text);
});

test("no control character survives, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(harmless(text)).not.toMatch(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u);
    }),
  );
});

test("text is cut to the columns that it may take", () => {
  expect(cutEnd("abcdef", 6)).toBe("abcdef");
  expect(cutEnd("abcdef", 4)).toBe("abc…");
  expect(cutStart("abcdef", 4)).toBe("…def");
  expect(cutEnd("日本語", 4)).toBe("日…");
  expect(cutEnd("abc", 0)).toBe("");
  expect(widthOf("e\u0301")).toBe(1);
});
