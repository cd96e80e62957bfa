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
  [["Jan 31, 2026 5:03:12 PM"], "LLL d, yyyy h:mm:ss a", undefined],
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
  const form = findTimeForm(["Sat, 31 Jan 2026 17:03:12 +0530"]);
  expect(form).toMatchObject({ format: "EEE, dd LLL yyyy HH:mm:ss ZZZ", isLocal: false });
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
