import { expect, test } from "vitest";
import { findTimeForm } from "../../src/survey/time-form.js";

test.each<[(string | number)[], string, boolean]>([
  [["2026-01-31T17:03:12Z", "2026-01-31 17:03:12.123456 UTC"], "ISO 8601 with Z", false],
  [["2026-01-31 17:03:12.123000", "2026-01-31T17:03"], "ISO 8601 with no zone", true],
  [["2026-01-31T17:03:12+05:30", "2026-01-31T17:03:12-08"], "ISO 8601 with an offset", false],
  [["2026-01-31T17:03:12Z", "2026-01-31T17:03:12"], "ISO 8601 with Z or no zone", true],
  [["2026-01-31", "2026-02-01"], "dates without a time of day", true],
  [[1769878992, "1769878993"], "epoch seconds", false],
  [[1769878992123], "epoch milliseconds", false],
  [["1769878992123456"], "epoch microseconds", false],
  [["1769878992123456789"], "epoch nanoseconds", false],
  [[1769878992, 1769878992123], "epoch seconds or milliseconds", false],
  [["2026-01-31T17:03:12Z", 1769878992], "ISO 8601 with Z, or epoch seconds", false],
])("%j are %s, which auto reads", (values, words, isLocal) => {
  expect(findTimeForm(values)).toEqual({ words, isLocal });
});

test.each<[string[], string, string | undefined]>([
  [["01/31/2026 17:03:12", "02/01/2026 00:00:00"], "MM/dd/yyyy HH:mm:ss", undefined],
  [["31/01/2026 17:03:12"], "dd/MM/yyyy HH:mm:ss", undefined],
  [["02/03/2026 17:03:12"], "MM/dd/yyyy HH:mm:ss", "dd/MM/yyyy HH:mm:ss"],
  [["1/31/2026 5:03 PM"], "M/d/yyyy h:mm a", undefined],
  [["31.1.2026 17:03"], "d.M.yyyy HH:mm", undefined],
  [["1/31/2026 9:05", "1/31/2026 17:05"], "M/d/yyyy H:mm", undefined],
  [["31.1.26 9:05"], "d.M.yy H:mm", undefined],
  [["1/2/26 9:05"], "M/d/yy H:mm", "d/M/yy H:mm"],
  [["20260131170312"], "yyyyMMddHHmmss", undefined],
  [["1/31/2026, 5:03:12\u202fPM"], "M/d/yyyy, h:mm:ss a", undefined],
  [["2026\u5e741\u670831\u65e5 17:03:12"], "yyyy'\u5e74'M'\u6708'd'\u65e5' H:mm:ss", undefined],
])(
  "%j are read by a pattern, and the other that could be meant is known",
  (values, format, other) => {
    expect(findTimeForm(values)).toEqual({
      words: `like ${format}`,
      format,
      isLocal: true,
      ...(other === undefined ? {} : { otherFormat: other }),
    });
  },
);

test("times with a zone in a pattern are not local", () => {
  const form = findTimeForm(["2026-01-31 17:03:12 America/New_York"]);
  expect(form).toMatchObject({ format: "yyyy-MM-dd HH:mm:ss z", isLocal: false });
});

test.each<[string[], boolean]>([
  [["Sat Jan 31 2026 17:03:12 GMT+0100 (CET)"], false],
  [["20260131T170312Z"], false],
  [["Jan 31, 2026, 5:03:12\u202fPM"], true],
])("%j are texts that auto reads", (texts, isLocal) => {
  const form = findTimeForm(texts);
  expect(form).toEqual({ words: expect.stringMatching(/^text such as /), isLocal });
});

test.each<[(string | number)[], string | string[], string | undefined]>([
  [["2026-01-31T17:03:12Z", "31.01.2026 17:03"], ["auto", "dd.MM.yyyy HH:mm"], undefined],
  [["1/31/2026 9:05", "31.1.2026 17:05"], ["d.M.yyyy HH:mm", "M/d/yyyy H:mm"], undefined],
  [["20260131", "2026-01-31"], ["yyyyMMdd", "auto"], undefined],
  [[...Array(99).fill("2026-01-31"), "31.01.2026 17:03"], ["auto", "dd.MM.yyyy HH:mm"], undefined],
  [
    ["31/01/2026 17:03", "01/31/2026 17:03", "02/03/2026 17:03"],
    ["M/d/yyyy HH:mm", "d/M/yyyy HH:mm"],
    "d/M/yyyy HH:mm",
  ],
])("%j need several formats", (values, format, otherFormat) => {
  const form = findTimeForm(values);
  expect(form?.format).toEqual(format);
  expect(form?.otherFormat).toBe(otherFormat);
});

test.each<[number, string]>([
  [639_080_784_690_000_000, "100ns since 0001-01-01"],
  [134_169_840_690_000_000, "100ns since 1601-01-01"],
  [13_416_984_069_000_000, "us since 1601-01-01"],
  [794_174_469.25, "s since 2001-01-01"],
  [794_174_469_000_000_000, "ns since 2001-01-01"],
  [46_083.834132, "days since 1899-12-30"],
  [20_514, "days since 1970-01-01"],
  [17_724_816_690_000_000, "100ns since 1970-01-01"],
  [3_981_470_469, "s since 1900-01-01"],
  [63_908_078_469, "s since 0001-01-01"],
])("%d is a count from another day", (number, format) => {
  const untilMs = Date.UTC(2026, 3, 1);
  expect(findTimeForm([number], untilMs)?.format).toBe(format);
  expect(findTimeForm([String(number)], untilMs)?.format).toBe(format);
});

test.each<[(string | number)[]]>([
  [[]],
  [["", " "]],
  [["mina", "17:03"]],
  [[1, 2, 300]],
  [["2026-01-31", "yesterday"]],
  [["12-34-5678 nonsense"]],
])("%j are no times", (values) => {
  expect(findTimeForm(values)).toBeUndefined();
});

test("one broken time among many does not change the form", () => {
  const times = Array.from({ length: 19 }, (_, day) => `2026-01-${10 + day}T00:00:00Z`);
  expect(findTimeForm([...times, "n/a"])?.words).toBe("ISO 8601 with Z");
});
