import { describe, expect, it } from "vitest";
import type { Report, ReportReject } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport, dayOf, evenDay, evenDays, withHour } from "../example-report.js";

const codesOf = (report: Report) => findFindings(report).map(({ code }) => code);
const only = (report: Report) => {
  const findings = findFindings(report);
  expect(findings.map(({ code }) => code)).toHaveLength(1);
  return findings[0];
};
const withTimes = (times: Partial<Report["times"]>): Report => ({
  ...cleanReport,
  times: { ...cleanReport.times, ...times },
});

it("a clean report has no findings", () => {
  expect(findFindings(cleanReport)).toEqual([]);
});

describe("the unit of times", () => {
  const rejected = (format: string, ...words: readonly string[]): Report => ({
    ...cleanReport,
    configuration: {
      ...cleanReport.configuration,
      mapping: { timestamp: [{ path: ["t"], format, zone: "UTC", shifted: false }] },
    },
    rejects: [
      {
        code: "time_out_of_range",
        rows: 500,
        advice: "correct the time",
        samples: words.map((word) => ({
          source: "a.json",
          message: `t is the ${word}: x is before y`,
          raw: "{}",
          isBase64: false,
        })),
      },
    ],
  });

  it.each([
    ["ms", "number 1767225600", "time_unit_seconds"],
    ["s", "number 1767225600123", "time_unit_milliseconds"],
    ["ms", 'text "1767225600123456"', "time_unit_microseconds"],
    ["us", "number 1767225600123456789", "time_unit_nanoseconds"],
  ])("read as %s from the %s is reported as %s, and auto fixes it safely", (format, word, code) => {
    const finding = only(rejected(format, word));
    expect(finding).toMatchObject({ code, severity: "error", rows: 500 });
    expect(finding?.detail).toContain("2026-01-01T00:00:00");
    expect(finding?.fix).toEqual({
      path: ["mapping", "timestamp"],
      value: "t",
      isSafe: true,
      line: '"mapping": {"timestamp": "t"}',
    });
  });

  it.each([
    ["number 46023", "spreadsheets", "days since 1899-12-30"],
    ["number 13411699200000000", "browsers", "us since 1601-01-01"],
    ["number 639028224000000000", "ticks", "100ns since 0001-01-01"],
    ["number 3981470469", "1900", "s since 1900-01-01"],
  ])("of the %s is named with the format that reads it", (word, kind, format) => {
    const report = rejected("auto", word);
    const run = { ...report.run, startedAt: "2026-04-01T00:00:00.000Z" };
    const finding = only({ ...report, run });
    expect(finding).toMatchObject({ code: "time_epoch_unknown" });
    expect(finding?.title).toContain(kind);
    expect(finding?.fix).toMatchObject({ value: { field: "t", format }, isSafe: false });
  });

  it.each([
    ['{"t":639028224000000000,"n":12345}', 639_028_224_000, "100ns since 0001-01-01"],
    ["open,u,639028224000000000,12345", 639_028_224_000, "100ns since 0001-01-01"],
    ['{"t":788918400.5}', 788_918_400_500, "s since 2001-01-01"],
    ['{"t":"134116992000000000"}', 134_116_992_000, "100ns since 1601-01-01"],
  ])("of the row %s is named although it is delivered", (raw, timestamp, format) => {
    const report = rejected("auto");
    const [sample] = cleanReport.samples;
    if (sample === undefined) throw new Error("the example has no sample");
    const result = JSON.stringify({ event: "e", user: {}, timestamp, metadata: {} });
    const finding = only({
      ...report,
      rejects: [],
      times: { ...report.times, suspicious: report.rows.mapped },
      samples: [{ ...sample, raw, result }],
    });
    expect(finding).toMatchObject({
      code: "time_epoch_unknown",
      rows: report.rows.mapped,
      fix: { value: { field: "t", format } },
    });
  });

  it("is reported only if all samples agree", () => {
    expect(codesOf(rejected("ms", "number 1767225600", "number 12"))).toEqual(["rows_rejected"]);
    expect(codesOf(rejected("ms", "number 1767225600", 'text "soon"'))).toEqual(["rows_rejected"]);
  });
});

describe("the zone of times", () => {
  const march = Date.UTC(2026, 2, 8);
  const around = (skipped: number, repeated: number): readonly Report["days"][number][] =>
    Array.from({ length: 260 }, (_, place) => {
      const day = {
        ...evenDay(0),
        day: new Date(march + (place - 10) * 86_400_000).toISOString().slice(0, 10),
      };
      if (day.day === "2026-03-08") return withHour(day, 2, skipped);
      return day.day === "2026-11-01" ? withHour(day, 1, repeated) : day;
    });
  const report = (days: Report["days"]): Report => ({
    ...withTimes({ first: null, last: null }),
    days,
    events: [],
  });

  it("is found if the hours of its clock changes are missing and doubled", () => {
    const finding = findFindings(report(around(0, 200))).find(
      ({ code }) => code === "zone_daylight_saving",
    );
    expect(codesOf(report(around(0, 200)))).toEqual(["zone_daylight_saving"]);
    expect(finding?.detail).toContain("2026-03-08 02:00 has 0 instead of about 100 events");
    expect(finding?.detail).toContain("2026-11-01 01:00 has 200 instead");
    expect(finding?.fix).toMatchObject({
      value: { field: "event_time", zone: "America/New_York" },
      isSafe: false,
    });
  });

  it("is not found if one of the changes leaves no trace", () => {
    expect(codesOf(report(around(0, 100)))).not.toContain("zone_daylight_saving");
    expect(codesOf(report(around(100, 200)))).not.toContain("zone_daylight_saving");
  });

  it("is found for epochs too", () => {
    const [sample] = cleanReport.samples;
    if (sample === undefined) throw new Error("the example has no sample");
    const samples = [{ ...sample, raw: '{"time":1767225600}' }];
    const finding = findFindings({ ...report(around(0, 200)), samples }).find(
      ({ code }) => code === "zone_daylight_saving",
    );
    expect(finding?.fix?.value).toMatchObject({ shifted: true });
  });

  it("is not reported if the times name theirs", () => {
    const [sample] = cleanReport.samples;
    if (sample === undefined) throw new Error("the example has no sample");
    const samples = [{ ...sample, raw: '{"time":"2026-01-01T02:00:00.123+02:00"}' }];
    expect(codesOf({ ...report(around(0, 200)), samples })).not.toContain("zone_daylight_saving");
  });

  it("is reported if the quiet hours are not at night", () => {
    const guess = {
      shiftHours: 7,
      confidence: "strong",
      evidence: "Quietest from 09:00.",
    } as const;
    const finding = only(withTimes({ zoneGuess: guess }));
    expect(finding).toMatchObject({ code: "zone_hours_shifted", severity: "info" });
    expect(finding?.title).toContain("near UTC-7");
    expect(codesOf(withTimes({ zoneGuess: { ...guess, confidence: "weak" } }))).toEqual([]);
  });
});

describe("odd times", () => {
  it("at midnight are dates only", () => {
    expect(only(withTimes({ midnight: 60_000 }))).toMatchObject({
      code: "times_midnight",
      title: "89.3 % of the events are at exactly midnight (UTC)",
    });
  });

  it("later than the run can be filtered out", () => {
    const finding = only(withTimes({ future: 12 }));
    expect(finding?.code).toBe("times_future");
    expect(finding?.fix?.line).toBe('"toTime": "2026-02-01T00:00:00.000Z"');
  });

  it("that are placeholders can be rejected", () => {
    const finding = only(withTimes({ suspicious: 4, first: "1999-12-31T00:00:00.000Z" }));
    expect(finding?.code).toBe("times_suspicious");
    expect(finding?.fix?.line).toBe('"timeLimits": "2026-01-01.."');
  });

  it("long before all others can be rejected", () => {
    const days = [
      { ...evenDay(0), day: "2019-05-01", events: 9 },
      { ...evenDay(0), day: "2019-05-02", events: 0 },
      ...evenDays(),
    ];
    const finding = only({ ...cleanReport, days });
    expect(finding).toMatchObject({ code: "times_scattered", rows: 9, day: "2019-05-01" });
    expect(finding?.fix?.line).toBe('"timeLimits": "2026-01-01.."');
  });
});

describe("gaps and spikes", () => {
  const changed = (place: number, day: Report["days"][number]): Report => ({
    ...cleanReport,
    days: evenDays().with(place, day),
  });

  it("a day with almost no events is a gap", () => {
    const finding = only(changed(10, evenDay(10, 2)));
    expect(finding).toMatchObject({ code: "gap_days", day: dayOf(10), rows: 2_352 });
  });

  it("a gap misses what its weekdays usually have, not what the days around have", () => {
    const quiet = new Set([8, 9, 15, 16, 1, 2, 22, 23]);
    const days = evenDays().map((day, place) => (quiet.has(place) ? evenDay(place, 30) : day));
    const finding = only({ ...cleanReport, days: days.with(10, evenDay(10, 0)) });
    expect(finding).toMatchObject({ code: "gap_days", rows: days[10]?.events });
  });

  it("a day with 2.7 times the usual events is a spike", () => {
    expect(codesOf(changed(10, evenDay(10, 270)))).toEqual(["spike_day"]);
    expect(codesOf(changed(10, evenDay(10, 230)))).toEqual([]);
  });

  it("a sample has no gaps", () => {
    expect(codesOf({ ...changed(10, evenDay(10, 2)), sample: { share: 0.5 } })).toEqual([]);
  });

  it("consecutive days are one gap", () => {
    const days = evenDays().map((day, place) =>
      place >= 8 && place < 13 ? evenDay(place, 0) : day,
    );
    expect(only({ ...cleanReport, days })?.title).toBe("2026-01-09 to 2026-01-13 have no events");
  });

  it("neither a weekend nor a step between two levels is a gap", () => {
    const week = evenDays().map((day, place) => (place % 7 > 4 ? evenDay(place, 5) : day));
    expect(codesOf({ ...cleanReport, days: week })).toEqual([]);
    const step = evenDays().map((day, place) => (place < 9 ? evenDay(place, 10) : day));
    expect(codesOf({ ...cleanReport, days: step })).toEqual([]);
  });

  it("a day off is a gap if the same weekday has events", () => {
    const days = evenDays().map((day, place) => (place % 7 > 4 ? evenDay(place, 5) : day));
    expect(codesOf({ ...cleanReport, days: days.with(15, evenDay(15, 0)) })).toEqual(["gap_days"]);
  });

  it("hours without events are a gap of hours", () => {
    const day = withHour(withHour(evenDay(10), 14, 0), 15, 1);
    expect(only(changed(10, day))).toMatchObject({
      code: "gap_hours",
      day: dayOf(10),
      rows: 199,
      title: `${dayOf(10)} from 14:00 to 16:00 has only 1 event`,
    });
  });

  it("an hour with many times the usual events is a spike, but its day is not", () => {
    const finding = only(changed(10, withHour(evenDay(10), 14, 90_000)));
    expect(finding).toMatchObject({ code: "spike_hour", day: dayOf(10), rows: 89_900 });
  });

  it("a day with many times the events of its weekday is a spike, although other days have more", () => {
    // Weekends have a fifth of the events.
    const week = (place: number) => ([2, 3].includes(place % 7) ? 20 : 100);
    const days = evenDays().map((_, place) => evenDay(place, week(place)));
    expect(codesOf({ ...cleanReport, days })).toEqual([]);
    const finding = only({ ...cleanReport, days: days.with(10, evenDay(10, 72)) });
    expect(finding).toMatchObject({ code: "spike_day", day: dayOf(10), rows: 24 * 52 });
    const step = evenDays().map((_, place) => evenDay(place, place < 12 ? 100 : 400));
    expect(codesOf({ ...cleanReport, days: step })).toEqual([]);
  });

  it("a day with many times the usual events is a spike, and its cause is named", () => {
    const day = {
      ...evenDay(10, 390),
      byEvent: [
        [0, 8_160],
        [1, 1_200],
      ] as const,
    };
    expect(only(changed(10, day))?.detail).toContain(
      '100.0 % of the increase over the day before is "brewed"',
    );
  });
});

it("rejected rows come with the line that would let them through", () => {
  const rejects: readonly ReportReject[] = [
    {
      code: "unit_id_missing",
      rows: 3,
      advice: "map further fields",
      samples: [
        {
          source: "a.json",
          row: 4,
          message: "no unit id",
          raw: '{"anonymous_id":"x"}',
          isBase64: false,
        },
      ],
    },
  ];
  const finding = only({ ...cleanReport, rejects });
  expect(finding).toMatchObject({ code: "rows_rejected", rejectCode: "unit_id_missing" });
  expect(finding?.detail).toContain("such as a.json, row 4: no unit id. To fix it: map further");
  expect(finding?.fix?.line).toBe('"mapping": {"stableID": ["device_id", "anonymous_id"]}');
});

it("rows that are too long come with a larger limit, up to the maximum", () => {
  const rejects = [{ code: "row_too_long" as const, rows: 1, advice: "raise it", samples: [] }];
  const fixOf = (rowBytesMax: number) =>
    only({ ...cleanReport, rejects, configuration: { ...cleanReport.configuration, rowBytesMax } })
      ?.fix?.line;
  expect(fixOf(16 * 2 ** 20)).toBe('"maxRowSize": "64MiB"');
  expect(fixOf(32 * 2 ** 20)).toBe('"maxRowSize": "64MiB"');
  expect(fixOf(64 * 2 ** 20)).toBeUndefined();
});

it("times that cannot be read come with their pattern if no other times can be read", () => {
  const reject = (time: string): Report => ({
    ...cleanReport,
    days: [],
    events: [],
    rows: { ...cleanReport.rows, mapped: 0, rejected: 5 },
    rejects: [
      {
        code: "time_unparsable",
        rows: 5,
        advice: "give the format",
        samples: [
          {
            source: "a",
            message: `t is the text "${time}", which is not a time`,
            raw: "",
            isBase64: false,
          },
        ],
      },
    ],
  });
  const fixOf = (time: string) =>
    findFindings(reject(time)).find(({ code }) => code === "rows_rejected")?.fix;
  expect(fixOf("31.01.2026 10:30:05")?.value).toEqual({
    field: "event_time",
    format: "dd.MM.yyyy HH:mm:ss",
  });
  expect(fixOf("01/02/2026 10:30:05")).toBeUndefined();
  expect(fixOf("31/01/2026 10:30:05")?.value).toMatchObject({ format: "dd/MM/yyyy HH:mm:ss" });
});

describe("times that no format of the mapping reads", () => {
  const rejected = (format: string | string[], mapped: number, ...texts: readonly string[]) => ({
    ...cleanReport,
    rows: { ...cleanReport.rows, mapped },
    configuration: {
      ...cleanReport.configuration,
      mapping: { timestamp: [{ path: ["t"], format, zone: "UTC", shifted: false }] },
    },
    rejects: [
      {
        code: "time_unparsable" as const,
        rows: 500,
        advice: "correct the time",
        samples: texts.map((text) => ({
          source: "a.json",
          message: `t is the text ${JSON.stringify(text)}, which is not a time`,
          raw: "{}",
          isBase64: false,
        })),
      },
    ],
  });
  const fixOf = (report: Report) =>
    findFindings(report).find(({ rejectCode }) => rejectCode === "time_unparsable")?.fix;

  it.each<[string | string[], string[], string[]]>([
    ["auto", ["31.01.2026 17:03"], ["auto", "dd.MM.yyyy HH:mm"]],
    [
      "auto",
      ["31.01.2026 17:03", "1/31/2026, 5:03\u202fPM"],
      ["auto", "dd.MM.yyyy HH:mm", "M/d/yyyy, h:mm a"],
    ],
    ["d.M.yyyy", ["2026-01-31T17:03:00Z"], ["d.M.yyyy", "auto"]],
    [["auto", "d.M.yyyy"], ["2026/01/31"], ["auto", "d.M.yyyy", "yyyy/MM/dd"]],
  ])("%j are added to it if it reads others: %j", (format, texts, all) => {
    expect(fixOf(rejected(format, 1_000, ...texts))?.value).toEqual({ field: "t", format: all });
  });

  it("replace it if it reads none", () => {
    const fix = fixOf(rejected("auto", 0, "31.01.2026 17:03"));
    expect(fix?.value).toEqual({ field: "t", format: "dd.MM.yyyy HH:mm" });
  });

  it("are not proposed if day and month can be mistaken, or if one sample has no known form", () => {
    expect(fixOf(rejected("auto", 0, "02/03/2026 17:03"))).toBeUndefined();
    expect(fixOf(rejected("auto", 0, "31.01.2026 17:03", "soon"))).toBeUndefined();
  });
});
