import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  cutEnd,
  cutStart,
  harmless,
  shellWord,
  widthOf,
  wrapLine,
} from "../../src/report/terminal-text.js";

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

test("counts columns as terminals do", () => {
  for (const [text, columns] of [
    ["日本語", 6],
    ["한국어", 6],
    ["👍🏽", 2],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["·→…▁█", 5],
    ["e\u0301", 1],
  ] as const)
    expect([text, widthOf(text)]).toEqual([text, columns]);
  expect(cutEnd("👍🏽👍🏽👍🏽", 5)).toBe("👍🏽👍🏽…");
  expect(cutStart("👍🏽👍🏽👍🏽", 5)).toBe("…👍🏽👍🏽");
});

test.each([
  [
    "  verdict   Not ready: 96.7 % of 312 rows become events, with 4 errors to fix.",
    [
      "  verdict   Not ready: 96.7 % of 312",
      "            rows become events, with 4",
      "            errors to fix.",
    ],
  ],
  [
    "  warning  2026-02-04 has no events of the kind [gap_days]",
    ["  warning  2026-02-04 has no events of", "           the kind [gap_days]"],
  ],
  [
    '           → "excludeEvent": ["Viewed the page", "A b"]',
    ['           → "excludeEvent":', '             ["Viewed the page", "A b"]'],
  ],
  [
    "  next      switchyard validate 'my export.zip' --max-rejects 5% --apply",
    [
      "  next      switchyard validate \\",
      "            'my export.zip' \\",
      "            --max-rejects 5% --apply",
    ],
  ],
  [
    "Read 312 rows in 1.1 s (297 rows/s); nothing was sent",
    ["Read 312 rows in 1.1 s (297 rows/s);", "  nothing was sent"],
  ],
  [
    "  日本語日本語 日本語日本語 日本語日本語 日本語",
    ["  日本語日本語 日本語日本語 日本語日本語", "  日本語"],
  ],
])("wraps between words at 40 columns: %s", (line, wrapped) => {
  expect(wrapLine(line, 40).split("\n")).toEqual(wrapped);
  expect(wrapLine(line, 120)).toBe(line);
});

test("quotes every path so that a shell reads it as it is, also where the line is wrapped", () => {
  const words = [
    "out/plain",
    "it's a path",
    "two\nlines 'and' $HOME \\",
    "tab\tand \u202e\u0007 é 日本",
    `${"blanks in a 'long' path ".repeat(9)}\n`,
    'a "b" c',
  ];
  const command = `printf ${["%s|", ...words].map(shellWord).join(" ")}`;
  expect(command).not.toContain("\n");
  for (const columns of [20, 60, 10_000]) {
    const line = wrapLine(`  next      ${command}`, columns, "printf");
    const pasted = line.replace(/^ {2}next {6}/, "");
    expect(execFileSync("bash", ["-c", pasted]).toString()).toBe(
      words.map((one) => `${one}|`).join(""),
    );
  }
});
