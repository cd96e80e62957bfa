import { expect, test } from "vitest";
import type { Report } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport, exampleEvent, exampleProperty, properties } from "../example-report.js";

const city = exampleProperty("city", {
  topValues: [
    { value: "(null)", rows: 40 },
    { value: "Bremen", rows: 10 },
  ],
});

function reportOf(format: string, configuration: Report["configuration"]): Report {
  const [source] = cleanReport.inputs.sources;
  if (source === undefined) throw new Error("the example has no source");
  const junkIDs = [{ field: "userID", value: "NULL", rows: 5 }] as const;
  return {
    ...cleanReport,
    inputs: { ...cleanReport.inputs, sources: [{ ...source, format }] },
    identity: { ...cleanReport.identity, junkIDs },
    events: [exampleEvent("bought", { properties: properties(city) })],
    configuration,
  };
}

function lineOf(report: Report): string | undefined {
  return findFindings(report).find(({ code }) => code === "csv_nulls_as_text")?.fix?.line;
}

const metadata = { kind: "merged", parts: [{ kind: "fields", fields: [{ name: "city" }] }] };

test("null texts in cells of CSV propose csvDialect.null, with the texts that it has already", () => {
  const csv = { nulls: ["-"] };
  expect(lineOf(reportOf("csv", { csv, mapping: { metadata } }))).toBe(
    '"csvDialect": {"null": ["-", "NULL", "(null)"]}',
  );
  const rest = { kind: "rest", path: [], except: [] };
  expect(lineOf(reportOf("csv", { mapping: { metadata: rest } }))).toBe(
    '"csvDialect": {"null": ["NULL", "(null)"]}',
  );
});

test("texts inside JSON and in other formats propose nothing", () => {
  expect(lineOf(reportOf("csv", {}))).toBe('"csvDialect": {"null": ["NULL"]}');
  expect(lineOf(reportOf("ndjson", { mapping: { metadata } }))).toBeUndefined();
});
