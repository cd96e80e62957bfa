import { describe, expect, test } from "vitest";
import type { WrittenMapping } from "../../src/mapper/mapping.js";
import { presets } from "../../src/mapper/presets.js";
import { resolveWritten } from "../../src/mapper/resolve-mapping.js";
import { summarizeFields } from "../../src/survey/field-summary.js";
import type { Row } from "../../src/survey/sample-rows.js";
import { unusedFields, variantOf } from "../../src/survey/unused-fields.js";

const unusedOf = (mapping: WrittenMapping, ...rows: readonly Row[]) =>
  unusedFields(summarizeFields(rows), resolveWritten(mapping)).map(
    ({ field, filled }) => `${field} ${filled}`,
  );

const base = { event: "e", timestamp: "t", userID: "u" } satisfies WrittenMapping;
const row = { e: "a", t: 1, u: "x" };

describe("fields without a target", () => {
  test("are listed with the rows that have a value, the most filled first", () => {
    const rows = [
      { ...row, os: "ios", city: null },
      { ...row, os: "", plan: 1 },
      { ...row, plan: 2 },
    ];
    expect(unusedOf(base, ...rows)).toEqual(["plan 2", "os 1"]);
  });

  test.each<[Partial<WrittenMapping>, string[]]>([
    [{}, ["p 1"]],
    [{ metadata: "p" }, []],
    [{ metadata: "p.q" }, ["p.b 1"]],
    [{ metadata: { rest: "p" } }, []],
    [{ metadata: { rest: "" } }, []],
    [{ metadata: { fields: ["p.q.r"] } }, ["p.b 1", "p.q.s 1"]],
    [{ metadata: { pairs: "p.q", key: "k", value: "v" } }, ["p.b 1"]],
    [{ metadata: [{ fields: ["p.b"] }, ["p.q"]] }, []],
    [{ filter: { field: "p.b", exclude: ["x"] }, insertID: "p.q.r" }, ["p.q.s 1"]],
    [{ stableID: { field: "p.b", unlessSameAs: "p.q" } }, []],
  ])("of %j within a row's objects are %j", (targets, fields) => {
    const nested = { ...row, p: { b: 1, q: { r: 1, s: JSON.stringify({ deep: 1 }) } } };
    expect(unusedOf({ ...base, ...targets }, nested)).toEqual(fields);
  });

  test("are not those that a column with a dotted name gives", () => {
    expect(unusedOf({ ...base, value: "p.b" }, { ...row, "p.b": 1, "p.c": 2 })).toEqual(["p.c 1"]);
  });
});

describe("the variant of a preset", () => {
  const unused = ["OS_NAME", "Country", "other"].map((field) => ({
    field,
    path: [field],
    filled: 1,
  }));

  test("adds the columns that the rows have, under the preset's names", () => {
    const changes = { metadata: "EVENT_PROPERTIES" };
    const found = { kind: "preset", preset: "amplitude", changes, reasons: [] } as const;
    const variant = variantOf(found, unused);
    expect(variant).toEqual({
      metadata: [
        "EVENT_PROPERTIES",
        {
          fields: [
            { field: "OS_NAME", name: "os_name" },
            { field: "Country", name: "country" },
          ],
        },
      ],
    });
    expect(() => resolveWritten({ ...presets.amplitude.mapping, ...variant })).not.toThrow();
    const members = ["data.currency_code", "^.device_info", "data.other"].map((field) => ({
      field,
      path: field.split("."),
      filled: 1,
    }));
    const mparticle = { kind: "preset", preset: "mparticle", reasons: [] } as const;
    const fields = summarizeFields([
      { "^": { device_info: { platform: "iOS", os_version: null } } },
    ]);
    const kept = ["data.currency_code", "^.device_info.platform"];
    expect(variantOf(mparticle, members, fields)).toEqual({
      metadata: ["data.custom_attributes", { fields: kept }],
    });
  });

  test("is not offered for rows without such columns, and for a guess", () => {
    const found = { kind: "given", preset: "amplitude", reasons: [] } as const;
    expect(variantOf(found, unused.slice(2))).toBeUndefined();
    expect(variantOf({ kind: "guess", changes: base, reasons: [] }, unused)).toBeUndefined();
  });
});
