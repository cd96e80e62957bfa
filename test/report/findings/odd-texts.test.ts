import { describe, expect, it } from "vitest";
import type { Report } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport, exampleEvent } from "../example-report.js";

type OddID = Report["identity"]["oddIDs"][number];

const odd = (one: Partial<OddID>): OddID => ({
  field: "userID",
  form: "blanks",
  rows: 9,
  ids: 3,
  twins: 0,
  examples: [" u1"],
  ...one,
});

const withMapping = (mapping: object): Report => ({
  ...cleanReport,
  configuration: { ...cleanReport.configuration, mapping },
});

const mapped = withMapping({
  event: [{ path: ["event_type"] }],
  userID: [{ path: ["user_id"] }],
  stableID: [{ path: ["a.b"], unless: ["0"] }, { path: ["c", "d"] }],
  value: [{ path: ["amount"] }],
});

function find(change: Partial<Report>) {
  return findFindings({ ...mapped, ...change });
}

function findIDs(oddIDs: readonly OddID[], report = mapped) {
  return findFindings({ ...report, identity: { ...report.identity, oddIDs } });
}

describe("ids in an odd form", () => {
  it("with blanks are a finding with the line that trims them", () => {
    const examples = [" u1", "u2\u200b"];
    const [finding, ...others] = findIDs([odd({ twins: 2, examples })]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: "blanks_around", severity: "warning", rows: 9 });
    expect(finding?.title).toBe('9 events have user ids with blanks around them, such as " u1"');
    expect(finding?.detail).toContain('"u2\\u200b"');
    expect(finding?.detail).toContain("2 user ids would be the same as another one");
    expect(finding?.fix).toMatchObject({
      line: '"mapping": {"userID": {"field": "user_id", "trim": true}}',
      isSafe: true,
    });
  });

  it("keep what the fields already say", () => {
    const [finding] = findIDs([odd({ field: "stableID" })]);
    expect(finding?.fix?.value).toEqual([
      { field: ["a.b"], unless: ["0"], trim: true },
      { field: "c.d", trim: true },
    ]);
    const json = withMapping({ userID: [{ path: ["user_id"], as: "json", trim: true }] });
    const decimals = odd({ form: "decimal", twins: 1 });
    expect(findIDs([decimals], json)[0]?.fix?.value).toEqual({
      field: "user_id",
      as: ["json", "integer"],
      trim: true,
    });
    expect(findIDs([odd({})], json)[0]?.fix).toBeUndefined();
  });

  it("in quotes or with a fraction are a finding if they are many, or the same as another one", () => {
    const { count } = cleanReport.identity.users;
    for (const [form, code, as] of [
      ["quotes", "quotes_around", "json"],
      ["decimal", "ids_decimal", "integer"],
    ] as const) {
      const few = odd({ form, ids: count / 2 - 1, examples: ["1.0"] });
      expect(findIDs([few])).toEqual([]);
      expect(findIDs([{ ...few, ids: null, twins: null }])).toEqual([]);
      for (const one of [{ ids: count / 2 }, { twins: 1 }, { ids: null, rows: 60_000 }]) {
        const [finding] = findIDs([{ ...few, ...one }]);
        expect(finding?.code).toBe(code);
        expect(finding?.fix?.value).toEqual({ field: "user_id", as });
      }
    }
  });
});

describe("event names in an odd form", () => {
  const eventsOf = (...names: readonly string[]) => ({
    events: names.map((name) => exampleEvent(name)),
  });

  it("are decoded if at least half are in quotes", () => {
    const [finding] = find(eventsOf('"Sign up"', '"Buy"', "View"));
    expect(finding).toMatchObject({ code: "quotes_around" });
    expect(finding?.fix?.line).toBe('"mapping": {"event": {"field": "event_type", "as": "json"}}');
    expect(find(eventsOf('"Buy"', "Sign up", "View"))).toEqual([]);
    expect(find(eventsOf('"Buy" or "Sell"', '"'))).toEqual([]);
  });

  it("are trimmed, also if they differ by the blanks only", () => {
    for (const names of [["Buy\u00a0"], ["Buy", "Buy "], ["Buy", "\ufeffBuy"]]) {
      const [finding, ...others] = find(eventsOf(...names));
      expect(others).toEqual([]);
      expect(finding).toMatchObject({ code: "blanks_around" });
      expect(finding?.fix?.value).toEqual({ field: "event_type", trim: true });
    }
  });
});

describe("values in an odd form", () => {
  const samplesOf = (...values: readonly unknown[]) => ({
    samples: values.map((value) => ({
      source: "a",
      event: "brewed",
      raw: "{}",
      result: JSON.stringify({ event: "brewed", value }),
      trace: [],
    })),
  });

  it("are decoded or trimmed as samples show them", () => {
    const [finding] = find(samplesOf('"9.5"', '"8"', 7));
    expect(finding).toMatchObject({ code: "quotes_around" });
    expect(finding?.fix?.line).toBe('"mapping": {"value": {"field": "amount", "as": "json"}}');
    const fix = { value: { field: "amount", trim: true } };
    expect(find(samplesOf("9.5 ", "8"))).toMatchObject([{ code: "blanks_around", fix }]);
    expect(find(samplesOf("9.5", 8, undefined))).toEqual([]);
    expect(find({ samples: [{ ...samplesOf(1).samples[0]!, result: '{"value":"\\"' }] })).toEqual(
      [],
    );
  });
});
