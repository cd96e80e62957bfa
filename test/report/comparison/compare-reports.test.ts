import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Report, ReportProperty } from "../../../src/profile/report.js";
import { comparisonSchema } from "../../../src/profile/report-comparison.js";
import { compareReports } from "../../../src/report/comparison/compare-reports.js";
import { comparedLines } from "../../../src/report/comparison/comparison-text.js";
import { readEarlierReport } from "../../../src/report/comparison/earlier-report.js";
import { scratchDirectory } from "../../support/scratch.js";
import {
  cleanReport,
  dayOf,
  evenDay,
  evenDays,
  exampleEvent,
  exampleProperty,
  properties,
} from "../example-report.js";

const root = scratchDirectory("compare-reports");
const file = join(root, "report.json");

async function compare(earlier: unknown, report: Report) {
  writeFileSync(file, JSON.stringify(earlier));
  const comparison = compareReports(await readEarlierReport(file), report);
  comparisonSchema.parse(comparison);
  return comparison;
}

const nothing = { total: 0, items: [] };
const none = { came: nothing, went: nothing, changed: nothing };

it("finds nothing between two reports of the same rows", async () => {
  const comparison = await compare(cleanReport, cleanReport);
  expect(comparison).toEqual({
    earlier: { file, version: "0.1.0", startedAt: "2026-02-01T00:00:00.000Z" },
    rows: [],
    rejects: [],
    findings: { came: [], went: [] },
    events: none,
    fields: none,
    days: none,
    unknown: [],
  });
  expect(comparedLines(comparison)).toEqual([]);
});

it("tells findings of one code apart by their targets and reject codes", async () => {
  const finding = { severity: "error", title: "t", detail: "", rows: 5 } as const;
  const renamed = (target: string) => {
    const fix = { path: ["mapping", target], value: "x", line: "l", isSafe: false };
    return { ...finding, code: "field_renamed", title: `${target} is elsewhere`, fix };
  };
  const rejected = (rejectCode: "time_missing" | "event_missing") => {
    return { ...finding, code: "rows_rejected", title: rejectCode, rejectCode };
  };
  const earlier = { ...cleanReport, findings: [renamed("userID"), rejected("time_missing")] };
  const now = [renamed("metadata"), renamed("userID"), rejected("event_missing")];
  expect((await compare(earlier, { ...cleanReport, findings: now })).findings).toMatchObject({
    came: [{ title: "metadata is elsewhere" }, { title: "event_missing" }],
    went: [{ title: "time_missing" }],
  });
});

it("lists names, rows, days, rejects, findings and the verdict that differ", async () => {
  const finding = { code: "ids_junk", severity: "warning", title: "5 ids", detail: "", rows: 5 };
  const earlier: Report = {
    ...cleanReport,
    days: evenDays(27),
    events: [exampleEvent("brewed"), exampleEvent("poured", { rows: 5 })],
    rejects: [{ code: "time_missing", rows: 3, advice: "", samples: [] }],
    findings: [{ ...finding, severity: "warning" }],
    verdict: { tone: "warning", sentence: "Nearly ready." },
    rows: { ...cleanReport.rows, read: 67_203, rejected: 3 },
  };
  const report: Report = {
    ...cleanReport,
    days: [...evenDays().slice(1).with(3, evenDay(4, 50))],
    events: [exampleEvent("bought"), exampleEvent("brewed", { rows: 20_000 })],
    rejects: [{ code: "event_missing", rows: 1, advice: "", samples: [] }],
    findings: [{ ...finding, severity: "warning", code: "gap_days" }],
  };
  const comparison = await compare(earlier, report);
  expect(comparison).toMatchObject({
    verdict: { before: { sentence: "Nearly ready." }, after: { tone: "good" } },
    rows: [
      { figure: "read", before: 67_203, after: 67_200 },
      { figure: "rejected", before: 3, after: 0 },
    ],
    rejects: [
      { code: "event_missing", before: 0, after: 1 },
      { code: "time_missing", before: 3, after: 0 },
    ],
    findings: { came: [{ code: "gap_days" }], went: [{ code: "ids_junk" }] },
    events: {
      came: { total: 1, items: [{ event: "bought", rows: 33_600 }] },
      went: { total: 1, items: [{ event: "poured", rows: 5 }] },
      changed: { total: 1, items: [{ event: "brewed", before: 33_600, after: 20_000 }] },
    },
    days: {
      came: { total: 1, items: [{ day: dayOf(27), events: 2_400 }] },
      went: { total: 1, items: [{ day: dayOf(0), events: 2_400 }] },
      changed: { total: 1, items: [{ day: dayOf(4), before: 2_400, after: 1_200 }] },
    },
    unknown: [],
  });
  expect(comparedLines(comparison)).toEqual([
    ["verdict", "was Nearly ready."],
    ["rows", "read 67,203 → 67,200 (< 0.1 % less); rejected 3 → 0 (100.0 % less)"],
    ["rejects", "event_missing 0 → 1; time_missing 3 → 0 (100.0 % less)"],
    ["findings", "new gap_days 5 ids; gone ids_junk 5 ids"],
    [
      "events",
      "bought new, 33,600 events; poured gone, 5 events; brewed 33,600 → 20,000 (40.5 % less)",
    ],
    [
      "days",
      "2026-01-28 new, 2,400 events; 2026-01-01 gone, 2,400 events; 2026-01-05 2,400 → 1,200 (50.0 % less)",
    ],
  ]);
});

it("does not take chance for a change of volume", async () => {
  const of = (rows: number): Report => ({
    ...cleanReport,
    events: [exampleEvent("brewed", { rows })],
  });
  const isChanged = async (before: number, after: number) =>
    (await compare(of(before), of(after))).events.changed.total;
  expect(await isChanged(2, 3)).toBe(0);
  expect(await isChanged(1_000, 1_090)).toBe(0);
  expect(await isChanged(1_000, 1_100)).toBe(0);
  expect(await isChanged(10_000, 11_000)).toBe(1);
});

it("lists fields that came, went, or are filled otherwise", async () => {
  const event = (...keys: readonly ReportProperty[]) =>
    exampleEvent("bought", { properties: properties(...keys) });
  const earlier: Report = {
    ...cleanReport,
    events: [
      event(exampleProperty("price"), exampleProperty("coupon"), exampleProperty("shop")),
      exampleEvent("brewed", { properties: properties(exampleProperty("coupon")) }),
    ],
    userProperties: properties(exampleProperty("plan")),
  };
  const report: Report = {
    ...cleanReport,
    events: [
      event(exampleProperty("price", { fill: 0.4 }), exampleProperty("shop", { fill: 0.96 })),
      exampleEvent("brewed", { properties: properties(exampleProperty("beans")) }),
    ],
    userProperties: properties(exampleProperty("plan"), exampleProperty("city")),
  };
  const { fields, ...comparison } = await compare(earlier, report);
  expect(fields).toEqual({
    came: {
      total: 2,
      items: [
        { of: "user", key: "city", events: [], eventsTotal: 0, rows: 1_000 },
        { of: "metadata", key: "beans", events: ["brewed"], eventsTotal: 1, rows: 1_000 },
      ],
    },
    went: {
      total: 1,
      items: [
        {
          of: "metadata",
          key: "coupon",
          events: ["bought", "brewed"],
          eventsTotal: 2,
          rows: 2_000,
        },
      ],
    },
    changed: {
      total: 1,
      items: [{ of: "metadata", event: "bought", key: "price", before: 1, after: 0.4 }],
    },
  });
  expect(comparedLines({ ...comparison, fields })).toContainEqual([
    "fields",
    "user.city new, 1,000 events; metadata.beans of brewed new, 1,000 events; metadata.coupon of bought and 1 more gone, 2,000 events; metadata.price of bought filled 100.0 % → 40.0 %",
  ]);
});

it("says what lists that were cut cannot tell, and does not guess it", async () => {
  const cut: Report = {
    ...cleanReport,
    events: [
      exampleEvent("brewed", {
        properties: {
          ...properties(exampleProperty("price")),
          otherKeys: { keys: null, values: 9 },
        },
      }),
    ],
    otherEvents: { names: null, rows: 33_600 },
  };
  const whole: Report = {
    ...cleanReport,
    events: [
      exampleEvent("bought"),
      exampleEvent("brewed", { properties: properties(exampleProperty("beans")) }),
    ],
  };
  const forward = await compare(cut, whole);
  expect(forward.events.came.total).toBe(0);
  expect(forward.fields.came.total).toBe(0);
  expect(forward.fields.went.items).toMatchObject([{ key: "price" }]);
  expect(forward.unknown).toEqual([
    'Only this report has 1 name ("bought"), but the earlier one counts 33,600 events of names that it does not list.',
    "1 field is in only one of the reports, but the other one does not list all fields of its inputs.",
  ]);
  const back = await compare(whole, cut);
  expect(back.events.went.total).toBe(0);
  expect(back.fields.went.total).toBe(0);
  expect(back.unknown[0]).toMatch(/^Only the earlier report has 1 name \("bought"\), but this one/);
});

it("compares no counts with a sample, and no days in another zone", async () => {
  const sample: Report = {
    ...cleanReport,
    sample: { share: 0.01 },
    rows: { ...cleanReport.rows, read: 672, mapped: 672 },
    events: [exampleEvent("brewed", { rows: 336 })],
    days: evenDays(2),
  };
  const comparison = await compare(sample, cleanReport);
  expect(comparison).toMatchObject({ rows: [], events: none, days: none });
  expect(comparison.unknown).toEqual([
    "Counts of rows, events and days are not compared, and fill rates are of the rows that were read: the earlier report is of 1 % of the inputs.",
    'Only this report has 1 name ("bought"), but the earlier one is of a part of its inputs.',
  ]);
  const zoned = await compare({ ...cleanReport, dayZone: "-08:00", days: [] }, cleanReport);
  expect(zoned).toMatchObject({
    days: none,
    unknown: ["Days are not compared: they are in UTC, and were in -08:00."],
  });
});

it("names options that were other, as the reason may be there", async () => {
  const configuration = { ...cleanReport.configuration, includeEvents: ["a"], older: 1 };
  const { unknown } = await compare({ ...cleanReport, configuration }, cleanReport);
  expect(unknown).toEqual([
    "Differences may come from options that were other: includeEvents, older.",
  ]);
});

it("compares what the result of --json has, and says what it does not have", async () => {
  const { version, sample, rejects, findings, verdict } = cleanReport;
  const rows = { ...cleanReport.rows, read: 67_000 };
  const facts = { version, sample, rows, rejects, findings, verdict };
  const comparison = await compare({ command: "validate", exitCode: 0, ...facts }, cleanReport);
  expect(comparison).toMatchObject({
    earlier: { startedAt: null },
    rows: [{ figure: "read", before: 67_000, after: 67_200 }],
    events: none,
    fields: none,
    days: none,
  });
  expect(comparison.unknown).toEqual([
    expect.stringMatching(/^Event names, fields and days are not compared: .* --json result/),
  ]);
});

it("reads reports with more and fewer members than its own version has", async () => {
  const { target: _, renamedFields: __, estimates: ___, ...older } = cleanReport;
  expect((await compare({ ...older, later: { any: 1 } }, cleanReport)).unknown).toEqual([]);
});
