import { describe, expect, it } from "vitest";
import { resolveWritten } from "../../../src/mapper/resolve-mapping.js";
import type { Report } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport } from "../example-report.js";

const base = { event: "e", timestamp: "t", userID: "u" };

function reportOf(metadata: object | string | null, ...fields: readonly string[]): Report {
  const mapping = resolveWritten({ ...base, metadata } as Parameters<typeof resolveWritten>[0]);
  return {
    ...cleanReport,
    configuration: { ...cleanReport.configuration, mapping: JSON.parse(JSON.stringify(mapping)) },
    unusedFields: fields.map((field) => ({ field, share: 0.5 })),
  };
}

describe("fields that go nowhere", () => {
  const pairs = { pairs: ["p.list", "p"], key: "k", value: ["v", { field: "n", as: "number" }] };

  it.each<[string, object | string | null, unknown[]]>([
    ["an object", "props", ["props"]],
    ["the first of several", ["a", "b"], [["a", "b"]]],
    ["nothing", null, []],
    [
      "fields",
      { fields: ["a.b", { field: "c", name: "d" }] },
      [{ fields: ["a.b", { field: "c", name: "d" }] }],
    ],
    ["the rest of an object", { rest: "p" }, [{ rest: ["p"] }]],
    ["pairs", pairs, [{ ...pairs, key: ["k"] }]],
    ["a merged object", ["p", { fields: ["q"] }], ["p", { fields: ["q"] }]],
  ])("are a finding whose line keeps them beside %s", (_, metadata, parts) => {
    const report = reportOf(metadata, "items", "geo.country", "device.country");
    const [finding] = findFindings(report).filter(({ code }) => code === "fields_unmapped");
    expect(finding).toMatchObject({
      severity: "info",
      title: "3 fields go nowhere, such as items",
    });
    const value = finding?.fix?.value;
    const named = ["geo.country", "device.country"].map((field) => ({ field, name: field }));
    expect(value).toEqual([...parts, { fields: ["items", ...named] }]);
    expect(() => resolveWritten({ ...base, metadata: value } as never)).not.toThrow();
  });

  it("are not a finding if there are none", () => {
    expect(findFindings(reportOf("props"))).toEqual([]);
  });
});

describe("an insert id that repeats too often", () => {
  const report = (rows: number, by: readonly string[]): Report => ({
    ...reportOf("props"),
    configuration: {
      ...cleanReport.configuration,
      mapping: { insertID: [{ path: ["id"] }] },
    },
    rows: {
      ...cleanReport.rows,
      duplicates: {
        ...cleanReport.rows.duplicates,
        exact: { by, rows, sources: [], removed: false },
      } as unknown as Report["rows"]["duplicates"],
    },
  });
  const finding = (rows: number, by: readonly string[] = ["insertID"]) =>
    findFindings(report(rows, by)).find(({ code }) => code === "duplicates");
  const { mapped } = cleanReport.rows;

  it("is a doubt about the id, and not a reason to remove events", () => {
    const found = finding(Math.round(mapped * 0.9));
    expect(found?.title).toMatch(/^90\.0 % of the events repeat an insert id: "id" may not/);
    expect(found?.fix).toMatchObject({ path: ["mapping", "insertID"], value: null, isSafe: false });
  });

  it("is a reason to remove them up to a fifth, or if the key has more than the id", () => {
    expect(finding(Math.round(mapped * 0.1))?.fix).toMatchObject({ path: ["dedupe"] });
    const wide = ["insertID", "event", "timestamp"];
    expect(finding(Math.round(mapped * 0.9), wide)?.fix).toMatchObject({ path: ["dedupe"] });
  });

  it("is estimated too", () => {
    const { rows } = report(0, []);
    const duplicates = {
      withInsertID: mapped,
      withinSplits: mapped / 2,
      estimated: mapped / 2,
      unknown: 0,
      error: 1,
    };
    const found = findFindings({ ...report(0, []), rows: { ...rows, duplicates } }).find(
      ({ code }) => code === "duplicates",
    );
    expect(found?.fix?.path).toEqual(["mapping", "insertID"]);
  });
});
