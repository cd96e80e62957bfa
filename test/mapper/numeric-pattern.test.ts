import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { createNumericParser } from "../../src/mapper/numeric-pattern.js";
import { propertyRuns } from "../support/property-runs.js";

const definite = [
  "dd/MM/yyyy HH:mm:ss",
  "M/d/yyyy H:mm",
  "yyyy-MM-dd'T'HH:mm:ss.SSS",
  "yyyyMMddHHmmss",
  "d.M.yyyy",
  "SSS ss mm HH dd MM yyyy",
  "yyyy 'de' M, 'dia' d",
];
/** In the last one, 1 11 and 11 1 have the same digits. */
const patterns = [...definite, "yyyyMdHms"];

function byLuxon(text: string, pattern: string): number | undefined {
  const time = DateTime.fromFormat(text.trim(), pattern, { locale: "en-US", zone: "utc" });
  return time.isValid ? time.toMillis() : undefined;
}

const number = fc.constantFrom(0, 1, 2, 9, 11, 12, 13, 23, 24, 28, 29, 30, 31, 59, 60, 99);
const digits = fc
  .tuple(number, fc.constantFrom(1, 2, 2, 2, 2, 3))
  .map(([value, width]) => String(value).padStart(width, "0"));
const year = fc.constantFrom("0099", "0100", "1900", "2000", "2023", "2024", "9999", "24");
const numbers = fc.array(digits, { minLength: 6, maxLength: 6 });

/** Texts that are like the pattern but for their digits, and some that are not. */
const textLike = (pattern: string) =>
  fc
    .tuple(year, numbers, fc.constantFrom("", "", "", " ", "x", "7"))
    .map(([years, others, rest]) => {
      let index = 0;
      const text = pattern.replaceAll(/'([^']*)'|(yyyy|SSS|([MdHms])\3?)/g, (_, quoted, token) => {
        if (quoted !== undefined) return quoted;
        if (token === "yyyy") return years;
        const other = others[index++] as string;
        return token === "SSS" ? other.padStart(3, "0") : other;
      });
      return text + rest;
    });

const moment = fc.date({
  min: new Date("0100-01-01T00:00:00Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

describe("createNumericParser", () => {
  it.each(patterns)("reads %s as Luxon does, or leaves it to Luxon", (pattern) => {
    const parse = createNumericParser(pattern);
    const property = fc.property(textLike(pattern), (text) => {
      const parsed = parse?.(text);
      if (parsed !== undefined) expect([text, parsed]).toEqual([text, byLuxon(text, pattern)]);
    });
    fc.assert(property, { numRuns: propertyRuns(500) });
  });

  it.each(definite)("reads every moment that is written as %s itself", (pattern) => {
    const parse = createNumericParser(pattern);
    const property = fc.property(moment, (date) => {
      const text = DateTime.fromJSDate(date, { zone: "utc" }).toFormat(pattern);
      expect([text, parse?.(text)]).toEqual([text, byLuxon(text, pattern)]);
    });
    fc.assert(property, { numRuns: propertyRuns(100) });
  });

  it("leaves days and times that do not exist, and the end of the day, to Luxon", () => {
    const parse = createNumericParser("yyyy-MM-dd");
    const parseTime = createNumericParser("d.M.yyyy HH:mm:ss");
    expect(parse?.("2024-02-29")).toBe(Date.UTC(2024, 1, 29));
    expect(parseTime?.("1.2.2024 23:59:59")).toBe(Date.UTC(2024, 1, 1, 23, 59, 59));
    for (const time of ["24:00:00", "24:00:01", "23:60:00", "23:59:60", "23:59"]) {
      expect(parseTime?.(`1.2.2024 ${time}`)).toBeUndefined();
    }
    for (const text of ["2023-02-29", "2023-04-31", "2023-00-10", "2023-13-01", "0099-01-01", ""]) {
      expect(parse?.(text)).toBeUndefined();
    }
  });

  it.each([
    "dd LLL yyyy",
    "yyyy-MM-dd ZZ",
    "M/d/yyyy h:mm a",
    "yyyy-MM",
    "yyyy-MM-dd HH HH",
    "yyyy''MM dd",
    "yyyy'MM dd",
    "yy-MM-dd",
  ])("leaves the pattern %s to Luxon", (pattern) => {
    expect(createNumericParser(pattern)).toBeUndefined();
  });
});
