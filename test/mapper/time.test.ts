import fc from "fast-check";
import { DateTime, FixedOffsetZone } from "luxon";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import type { Cell } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

/** The time of a cell in ms, or the code of its reject. */
function timeOf(cell: Cell, target: object = {}) {
  return timesOf([cell], target)[0];
}

function timesOf(cells: readonly Cell[], target: object = {}) {
  const overrides = { timestamp: { field: "t", ...target } };
  const rows = cells.map((t) => ({ event_type: "e", user_id: "u", t }));
  return mapRows(rows, { overrides }).rows.map(({ timestamp, outcome }) => timestamp ?? outcome);
}

const iso = (text: string) => Date.parse(text);

describe("times as text", () => {
  it.each([
    ["2023-08-17 00:00:00.123000", "2023-08-17T00:00:00.123Z"],
    ["2023-08-17 00:00:00", "2023-08-17T00:00:00.000Z"],
    ["2023-08-17T05:06:07", "2023-08-17T05:06:07.000Z"],
    ["2023-08-17t05:06:07z", "2023-08-17T05:06:07.000Z"],
    ["2023-08-17T05:06:07.1", "2023-08-17T05:06:07.100Z"],
    ["2023-08-17T05:06:07.999999999Z", "2023-08-17T05:06:07.999Z"],
    ["2023-08-17T05:06:07.000000000999Z", "2023-08-17T05:06:07.000Z"],
    ["2023-08-17T05:06:07,5Z", "2023-08-17T05:06:07.500Z"],
    ["2023-08-17T05:06", "2023-08-17T05:06:00.000Z"],
    ["2023-08-17 05:06Z", "2023-08-17T05:06:00.000Z"],
    ["2023-08-17", "2023-08-17T00:00:00.000Z"],
    ["2023-08-17T05:06:07+05:30", "2023-08-16T23:36:07.000Z"],
    ["2023-08-17 05:06:07.25-0800", "2023-08-17T13:06:07.250Z"],
    ["2023-08-17 05:06:07+05", "2023-08-17T00:06:07.000Z"],
    ["2023-08-17 05:06:07 -07:00", "2023-08-17T12:06:07.000Z"],
    ["2023-08-17 05:06:07 UTC", "2023-08-17T05:06:07.000Z"],
    ["2023-08-17 05:06:07.5UTC", "2023-08-17T05:06:07.500Z"],
    ["\t2023-08-17 05:06:07 \n", "2023-08-17T05:06:07.000Z"],
    ["2023-08-17T24:00:00.000Z", "2023-08-18T00:00:00.000Z"],
    ["2023-12-31 24:00", "2024-01-01T00:00:00.000Z"],
    ["2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000Z"],
    ["2000-02-29", "2000-02-29T00:00:00.000Z"],
    ["1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"],
    ["0000-02-29", "0000-02-29T00:00:00.000Z"],
  ])("%j is %s", (text, expected) => {
    expect(timeOf(text)).toBe(iso(expected));
  });

  it.each([
    "2023-02-29",
    "2023-02-30 00:00:00",
    "1900-02-29",
    "2023-04-31",
    "2023-13-01",
    "2023-00-01",
    "2023-01-00",
    "2023-1-1",
    "2023-08-17T24:00:01Z",
    "2023-08-17T24:00:00.0001Z",
    "2023-08-17T25:00",
    "2023-08-17T10:60:00",
    "2023-08-17T10:00:60Z",
    "2023-08-17T10:00:00.Z",
    "2023-08-17T10:00:00Zulu",
    "2023-08-17T10:00:00 ZZ",
    "2023-08-17T10:00:00+24:00",
    "2023-08-17T10:00:00+05:60",
    "2023-08-17T10:00:00+5",
    "2023-08-17T10:00:00+05:3",
    "2023-08-17T10:00:00 PST",
    "2023-08-17T10",
    "2023-08-17T10:0",
    "2023-08-17T",
    "2023-08-17_10:00:00",
    "2023-08-17  10:00:00",
    "2023-08-17Z",
    "2023/08/17",
    "17.08.2023",
    "yesterday",
    "²023-08-17",
    "",
    " ",
    "-",
    "1e",
    "1.",
    ".5",
    "0x10",
    "12:00",
    "Infinity",
  ])("%j is not a time", (text) => {
    expect(timeOf(text)).toBe("time_unparsable");
  });

  const instants = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2199, 11, 31) });

  it("agree with Luxon in every form with a zone", () => {
    const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 });
    const forms = fc.constantFrom(
      "yyyy-MM-dd'T'HH:mm:ss.SSSZZ",
      "yyyy-MM-dd HH:mm:ss.SSSZZZ",
      "yyyy-MM-dd HH:mm:ss.SSS ZZ",
      "yyyy-MM-dd'T'HH:mm:ssZZ",
      "yyyy-MM-dd HH:mmZZZ",
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(instants, offsets, forms), { maxLength: 50 }), (samples) => {
        const texts = samples.map(([time, offset, form]) =>
          DateTime.fromMillis(time).setZone(FixedOffsetZone.instance(offset)).toFormat(form),
        );
        const expected = texts.map((text) =>
          DateTime.fromISO(text.replace(/^(\S+) /, "$1T").replace(" ", "")).toMillis(),
        );
        expect(timesOf(texts)).toEqual(expected);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("agree with Luxon on which dates exist", () => {
    const number = (max: number, width: number) =>
      fc.integer({ min: 0, max }).map((value) => String(value).padStart(width, "0"));
    const dates = fc.tuple(number(2400, 4), number(13, 2), number(32, 2)).map((d) => d.join("-"));
    fc.assert(
      fc.property(fc.array(dates, { maxLength: 100 }), (texts) => {
        const expected = texts.map((text) => {
          const date = DateTime.fromISO(text, { zone: "utc" });
          return date.isValid ? date.toMillis() : "time_unparsable";
        });
        expect(timesOf(texts)).toEqual(expected);
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it("with one changed character are read as the oracle reads them", () => {
    const usual = fc
      .tuple(
        fc.constantFrom("2025-12-31", "2026-01-01", "1970-01-01"),
        fc.constantFrom(" 19:32:20", "T23:59:59", " 24:00:00", "T00:00:00", " 07:05"),
        fc.constantFrom(
          "",
          ".4",
          ".42",
          ".420000",
          ".000",
          ",0000001",
          `.${"123456789".repeat(3)}`,
        ),
      )
      .map((parts) => parts.join(""));
    const other = fc.constantFrom(..."0123456789:;/-+ .,TZ\u007f", "é", "°", "", "00");
    const texts = fc
      .tuple(usual, fc.nat(40), fc.option(other))
      .map(([text, at, by]) => (by === null ? text : text.slice(0, at) + by + text.slice(at + 1)));
    const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?$/;
    const expectedOf = (text: string) => {
      const [, date = "", hour = "0", minute = "0", second = "0", fraction = ""] =
        form.exec(text.trim()) ?? [];
      const day = DateTime.fromISO(date, { zone: "utc" });
      const [h, m, s] = [Number(hour), Number(minute), Number(second)] as const;
      const isMidnight = m + s + Number(fraction) === 0;
      const exists = day.isValid && m < 60 && s < 60 && (h < 24 || (h === 24 && isMidnight));
      if (!exists) return "time_unparsable";
      const milliseconds = Number(fraction.slice(0, 3).padEnd(3, "0"));
      return day.toMillis() + ((h * 60 + m) * 60 + s) * 1000 + milliseconds;
    };
    // Texts with a zone, and numbers, have tests of their own.
    const isPlain = (text: string) => !/Z|[+-]\d*:?\d*$/.test(text.slice(10)) && text.length > 15;
    fc.assert(
      fc.property(fc.array(texts.filter(isPlain), { minLength: 1, maxLength: 100 }), (samples) => {
        expect(timesOf(samples)).toEqual(samples.map(expectedOf));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it.each(["America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC+5:30"])(
    "without a zone are in the given one: %s",
    (zone) => {
      fc.assert(
        fc.property(fc.array(instants, { maxLength: 50 }), (times) => {
          const moments = times.map((time) => DateTime.fromMillis(time, { zone }));
          const texts = moments.map((moment) => moment.toFormat("yyyy-MM-dd HH:mm:ss.SSS"));
          const expected = moments.map((moment) =>
            Math.min(...moment.getPossibleOffsets().map((possible) => possible.toMillis())),
          );
          expect(timesOf(texts, { zone })).toEqual(expected);
        }),
        { numRuns: propertyRuns(20) },
      );
    },
  );

  it("keep their own zone whichever zone is given", () => {
    expect(timeOf("2023-08-17T05:06:07Z", { zone: "America/New_York" })).toBe(
      iso("2023-08-17T05:06:07Z"),
    );
  });
});

describe("epochs", () => {
  it.each<[Cell, number]>([
    [1_692_230_400, 1_692_230_400_000],
    [1_692_230_400_123, 1_692_230_400_123],
    [{ json: "1692230400123999" }, 1_692_230_400_123],
    [{ json: "1692230400123999999" }, 1_692_230_400_123],
    ["1692230400123999999", 1_692_230_400_123],
    ["0001692230400", 1_692_230_400_000],
    [{ json: "1588701600.123456" }, 1_588_701_600_123],
    [{ json: "1588701600.999999999" }, 1_588_701_600_999],
    [{ json: "1.588701600123456e9" }, 1_588_701_600_123],
    [{ json: "1588701600123456E-6" }, 1_588_701_600_123],
    [{ json: "15887016001234.56e2" }, 1_588_701_600_123],
    [{ json: "10000000000" }, 10_000_000_000_000],
    [{ json: "1e10" }, 10_000_000_000_000],
    [{ json: "10000000000.0000" }, 10_000_000_000_000],
    [{ json: "10000000000.0001" }, 10_000_000_000],
    [{ json: "10000000001" }, 10_000_000_001],
    [{ json: "99999999999999" }, 99_999_999_999_999],
    [{ json: "100000000000000" }, 100_000_000_000],
    [{ json: "99999999999999999" }, 99_999_999_999_999],
    [{ json: "100000000000000000" }, 100_000_000_000],
    [0, 0],
    [{ json: "-0.0" }, 0],
    [{ json: "0e999999999999" }, 0],
    [{ json: "0.0009" }, 0],
    [{ json: "-0.0009" }, -1],
    [{ json: "-1.5" }, -1_500],
    [{ json: "-1.0001" }, -1_001],
    [{ json: "-1692230400123001" }, -1_692_230_400_124],
    [{ json: "1e-999999999999" }, 0],
    [{ json: "-1e-999999999999" }, -1],
  ])("%j is the millisecond %d", (cell, expected) => {
    // Negative zero is a number of its own to the matcher.
    expect((timeOf(cell) as number) + 0).toBe(expected);
  });

  it("beyond all dates are out of range and do not wrap around", () => {
    const limits = { minTimeMs: -8.64e15, maxTimeMs: 8.64e15 };
    for (const json of ["1e999999999999", "-1e40", "9".repeat(60)]) {
      const row = { event_type: "e", user_id: "u", event_time: { json } };
      expect(mapRow(row, limits).outcome).toBe("time_out_of_range");
    }
  });

  it.each([
    ["s", 3],
    ["ms", 0],
    ["us", -3],
    ["ns", -6],
  ] as const)("in the unit %s are floored exactly, by digits", (format, power) => {
    const digits = fc.tuple(
      fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: -5, max: 5 }),
    );
    fc.assert(
      fc.property(fc.array(digits, { maxLength: 30 }), (samples) => {
        const inRange = samples.filter(([mantissa, places, exponent]) => {
          return Math.abs(Number(mantissa)) * 10 ** (exponent + power - places) < 1e15;
        });
        const texts = inRange.map(([mantissa, places, exponent]) => {
          const size = String(mantissa < 0n ? -mantissa : mantissa).padStart(places + 1, "0");
          const whole = size.slice(0, size.length - places).replace(/^0+(?=\d)/, "");
          const fraction = places === 0 ? "" : `.${size.slice(-places)}`;
          return `${mantissa < 0n ? "-" : ""}${whole}${fraction}e${exponent}`;
        });
        const expected = inRange.map(([mantissa, places, exponent]) => {
          const shift = exponent + power - places;
          if (shift >= 0) return Number(mantissa * 10n ** BigInt(shift));
          const divisor = 10n ** BigInt(-shift);
          const rest = ((mantissa % divisor) + divisor) % divisor;
          return Number((mantissa - rest) / divisor);
        });
        const numbers = texts.map((json) => ({ json }));
        expect(timesOf(texts, { format })).toEqual(expected);
        expect(timesOf(numbers, { format })).toEqual(expected);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("are not searched in the text of dates if a unit is given", () => {
    expect(timeOf("2023-08-17", { format: "ms" })).toBe("time_unparsable");
  });

  it("are in UTC if a zone is given, and wall-clock time if they are shifted", () => {
    const zone = "America/Los_Angeles";
    const local = iso("2022-07-01T12:00:00Z");
    expect(timeOf(local, { zone })).toBe(local);
    expect(timeOf(local, { zone, shifted: true })).toBe(iso("2022-07-01T12:00:00-07:00"));
    expect(timeOf(local / 1000, { zone, shifted: true })).toBe(iso("2022-07-01T12:00:00-07:00"));
  });
});

describe("Luxon patterns", () => {
  it.each([
    ["EEE, dd LLL yyyy HH:mm:ss 'GMT'", "Thu, 17 Aug 2023 10:00:00 GMT", "2023-08-17T10:00:00Z"],
    ["EEE, dd LLL yyyy HH:mm:ss ZZZ", "Thu, 17 Aug 2023 10:00:00 -0700", "2023-08-17T17:00:00Z"],
    ["LLL d, yyyy", "Aug 17, 2023", "2023-08-17T00:00:00Z"],
    ["yyyy-MM-dd HH:mm z", "2023-11-05 01:30 America/New_York", "2023-11-05T05:30:00Z"],
    ["yyyyMMdd", 20230817, "2023-08-17T00:00:00Z"],
    ["dd/MM/yyyy HH:mm:ss.u", " 17/08/2023 10:00:00.123456 ", "2023-08-17T10:00:00.123Z"],
  ])("%j reads %j", (format, text, expected) => {
    expect(timeOf(text, { format })).toBe(iso(expected));
  });

  it("use the given zone if they name none, and the first of two moments", () => {
    const target = { format: "LLL d, yyyy HH:mm", zone: "America/New_York" };
    expect(timeOf("Nov 5, 2023 01:30", target)).toBe(iso("2023-11-05T05:30:00Z"));
    expect(timeOf("Jul 5, 2023 01:30", target)).toBe(iso("2023-07-05T05:30:00Z"));
  });

  it("reject text that does not match", () => {
    const target = { format: "LLL d, yyyy" };
    expect(timesOf(["Feb 30, 2023", "2023-08-17", { json: "true" }, null], target)).toEqual([
      "time_unparsable",
      "time_unparsable",
      "time_unparsable",
      "time_missing",
    ]);
  });

  it.each(["HH:mm", "dd LLL", "yyyy ZZZZZ", "nothing", "HH:mm a yyyy"])(
    "are refused when they cannot tell a day or be read: %j",
    (format) => {
      expect(() => timeOf("x", { format })).toThrow(UsageError);
    },
  );
});

describe("several time fields", () => {
  it("use the first that is not null, each with its own format and zone", () => {
    const timestamp = [
      { field: "local", zone: "Asia/Kolkata" },
      { field: "epoch", format: "us" },
      { field: "west", zone: "America/New_York" },
      "text",
    ];
    const base = { event_type: "e", user_id: "u" };
    const { rows } = mapRows(
      [
        { ...base, local: "2023-08-17 05:30:00", epoch: 1 },
        { ...base, epoch: 1_000_000, text: "2023-08-17" },
        { ...base, text: "2023-08-17 00:00:00" },
        { ...base, west: "2023-08-16 20:00:00", text: "2023-08-17" },
        { ...base, local: "never", text: "2023-08-17" },
        base,
      ],
      { overrides: { timestamp } },
    );
    expect(rows.map((row) => row.timestamp ?? row.outcome)).toEqual([
      iso("2023-08-17T00:00:00Z"),
      1000,
      iso("2023-08-17T00:00:00Z"),
      iso("2023-08-17T00:00:00Z"),
      "time_unparsable",
      "time_missing",
    ]);
  });
});
