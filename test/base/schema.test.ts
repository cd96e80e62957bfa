import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkValue, faultLines, mustBe } from "../../src/base/schema.js";

const linesOf = (schema: z.ZodType, value: unknown) =>
  faultLines(checkValue(schema, value).faults ?? []);

describe("checkValue", () => {
  it("returns the output of the schema", () => {
    const schema = z.object({ size: z.string().transform(Number) });
    expect(checkValue(schema, { size: "5" })).toEqual({ value: { size: 5 } });
  });

  it("finds all faults at once, each with its path and its value", () => {
    const schema = z.strictObject({
      name: z.string().min(1),
      rows: z.int().min(1).max(9),
      share: z.number().gt(0),
      kind: z.enum(["csv", "parquet"]),
      version: z.literal(1),
      files: z.array(z.object({ path: z.string(), day: z.string().regex(/^\d+$/) })).min(1),
      tags: z.array(z.string()).max(1),
      zone: z.string().refine((zone) => zone === "UTC", mustBe("UTC")),
    });
    const value = {
      name: "",
      rows: 0,
      share: 0,
      kind: "parqet",
      version: 2,
      zone: "CET",
      files: [{ day: "x" }],
      tags: ["a", "b"],
      nmae: 1,
      other: 2,
    };
    expect(linesOf(schema, value)).toEqual([
      "name: must not be empty",
      "rows: must be at least 1 (got 0)",
      "share: must be more than 0 (got 0)",
      'kind: must be one of csv, parquet (got "parqet"); did you mean parquet?',
      "version: must be 1 (got 2)",
      "files[0]: needs the key path",
      'files[0].day: must match /^\\d+$/ (got "x")',
      'tags: must have at most 1 item (got ["a","b"])',
      'zone: must be UTC (got "CET")',
      "nmae: unknown key; did you mean name?",
      "other: unknown key",
    ]);
    expect(linesOf(schema.pick({ rows: true }), { rows: 1.5 })).toEqual([
      "rows: must be a whole number (got 1.5)",
    ]);
    expect(linesOf(schema, undefined)).toEqual(["must be an object (got nothing)"]);
  });

  it("cuts long values", () => {
    const [line = ""] = linesOf(z.number(), "x".repeat(1_000));
    expect(line).toBe(`must be a number (got "${"x".repeat(56)}…)`);
  });

  it("marks unknown keys, including names that JavaScript inherits", () => {
    const value: unknown = JSON.parse('{ "__proto__": {}, "constructor": 1 }');
    expect(checkValue(z.strictObject({ a: z.string().optional() }), value).faults).toEqual([
      { path: ["__proto__"], message: "unknown key", isUnknownKey: true },
      { path: ["constructor"], message: "unknown key", isUnknownKey: true },
    ]);
  });
});

describe("checkValue, for a value with several forms, reports", () => {
  const choice = z.strictObject({ field: z.string(), zone: z.string().optional() });
  const form = z.union([
    z.string().min(1),
    choice,
    z.strictObject({ fields: z.array(z.union([z.string(), choice])) }),
    z.array(z.union([z.string(), choice])).min(1),
  ]);

  it.each([
    ["the kinds that it may be", 5, ["must be a string, an object or a list (got 5)"]],
    ["the fault of the only form of its kind", "", ["must not be empty"]],
    [
      "the faults of the form with most of its keys",
      { fields: 1 },
      ["fields: must be a list (got 1)"],
    ],
    [
      "a misspelt key of that form",
      { field: "a", zon: "UTC" },
      ["zon: unknown key; did you mean zone?"],
    ],
    ["the key that is missing", { zone: "UTC" }, ["needs the key field"]],
    ["the faults of forms within forms", ["a", { field: "b", x: 1 }], ["[1].x: unknown key"]],
    ["the length of a list", [], ["must have at least 1 item (got [])"]],
  ])("%s", (_, value, lines) => {
    expect(linesOf(form, value)).toEqual(lines);
  });

  it("the message of the schema for the whole union", () => {
    const size = z.union([z.string().regex(/^\d+MB$/), z.int()], mustBe("a size such as 5MB"));
    expect(linesOf(size, true)).toEqual(["must be a size such as 5MB (got true)"]);
  });
});
