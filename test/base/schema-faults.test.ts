import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSchemaFaults, type Schema, type SchemaFault } from "../../src/base/schema-faults.js";
import { mappingSchema } from "../../src/mapper/mapping-schema.js";
import { presetNames } from "../../src/mapper/presets.js";
import { textFormats } from "../../src/pipeline/configuration/configuration-formats.js";
import {
  configurationSchema,
  editorKeywords,
} from "../../src/pipeline/configuration/configuration-schema.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const runs = Number(process.env["SWITCHYARD_SCHEMA_RUNS"] ?? 300);

function readJson(path: string): Json {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")) as Json;
}

/** The oracle: ajv's faults. */
function createOracle(schema: Schema) {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strictTypes: false });
  ajv.addVocabulary([...editorKeywords]);
  for (const [name, { accepts }] of Object.entries(textFormats)) ajv.addFormat(name, accepts);
  const check = ajv.compile(schema);
  return (value: unknown) => (check(value) ? [] : (check.errors ?? []).map(comparable));
}

/**
 * Without what ours leave out. Ajv escapes paths into the schema as parts of a URL, and lets them begin
 * at the definition that a reference leads to, unless the definition has no references of its own.
 */
function comparable(fault: SchemaFault | ErrorObject): unknown {
  const { schema: _, schemaPath, ...others } = { schema: undefined, ...fault };
  const path = decodeURIComponent(schemaPath).replace(/^#\/\$defs\/[^/]+/, "#");
  return { ...others, schemaPath: path };
}

/** What a schema speaks of: the words that are likely to hit a rule or to miss it narrowly. */
function wordsOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema === "string") found.add(schema);
  if (typeof schema !== "object" || schema === null) return found;
  for (const [key, inner] of Object.entries(schema)) {
    found.add(key);
    if (key !== "description") wordsOf(inner, found);
  }
  return found;
}

/** Values of all kinds, with the schema's own words as keys and texts. */
function valuesFor(schema: Schema): fc.Arbitrary<Json> {
  const words = fc.constantFrom(...wordsOf(schema));
  const text = fc.oneof(words, fc.string({ maxLength: 3 }), fc.constantFrom("", "a/b~c", "10 %"));
  const number = fc.oneof(
    ...[fc.integer({ min: -2, max: 40 }), fc.double()],
    fc.constantFrom(1e300, Infinity, Number.NaN, 0.5, -0),
  );
  const key = fc.oneof({ weight: 9, arbitrary: words }, { weight: 1, arbitrary: text });
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      ...[text, number, fc.boolean(), fc.constant(null)],
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    ),
  }));
  return value;
}

/** Puts other values at some places of a whole one, or takes them away, or adds to them. */
function changed(value: Json, others: fc.Arbitrary<Json>, words: string[]): fc.Arbitrary<Json> {
  const change = fc.record({
    path: fc.array(fc.nat(), { maxLength: 6 }),
    act: fc.constantFrom("replace", "remove", "add"),
    key: fc.constantFrom(...words),
    other: others,
  });
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    const root = { value: structuredClone(value) };
    for (const { path, act, key, other } of changes) {
      let parent: { [key: string]: Json } | Json[] = root;
      let last = "value";
      for (const step of path) {
        const at: Json | undefined = (parent as { [key: string]: Json })[last];
        if (typeof at !== "object" || at === null) break;
        const keys = Object.keys(at);
        if (keys.length === 0) break;
        parent = at;
        last = keys[step % keys.length] ?? "";
      }
      const members = parent as { [key: string]: Json };
      if (act === "replace") members[last] = other;
      else if (act === "add") members[key] = other;
      else if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete members[last];
    }
    return root.value;
  });
}

const ours: readonly (readonly [string, Schema, Json])[] = [
  [
    "configurations",
    configurationSchema(mappingSchema),
    {
      ...(readJson("pipeline.config.json") as { [key: string]: Json }),
      mapping: readJson("src/mapper/presets/ga4.json"),
    },
  ],
  ...presetNames.map(
    (name) =>
      [
        `mappings like ${name}`,
        mappingSchema,
        readJson(`src/mapper/presets/${name}.json`),
      ] as const,
  ),
];

describe("findSchemaFaults", () => {
  it.each(ours)("finds in %s what ajv finds, in its words and order", (_, schema, whole) => {
    const oracle = createOracle(schema);
    const others = valuesFor(schema);
    const words = [...wordsOf(schema)];
    fc.assert(
      fc.property(fc.oneof(others, changed(whole, others, words)), (value) => {
        const faults = findSchemaFaults(schema, value, textFormats);
        expect(faults.map(comparable)).toEqual(oracle(value));
      }),
      { numRuns: runs },
    );
  });

  it.each<Schema>([
    ...[{ type: "integer" }, { type: "number" }, { type: "object" }, { type: ["array", "null"] }],
    { type: ["string", "number"], minimum: 1, maximum: 2 },
    { type: "number", exclusiveMinimum: 0 },
    { type: "string", minLength: 2 },
    { type: "string", pattern: "^.$" },
    ...[{ const: "a" }, { const: null }, { enum: ["a", 1, null] }],
    { anyOf: [{ type: "string" }, { type: "array", items: { minimum: 2 } }] },
    { type: "array", items: { type: "integer" }, minItems: 2, maxItems: 2 },
    { type: "array", items: { type: "string" }, uniqueItems: true },
    { type: "array", prefixItems: [{ type: "integer" }, { const: "a" }], minItems: 2, maxItems: 3 },
    { type: "object", properties: { a: { const: 1 } }, required: ["a", "b"], minProperties: 1 },
    { type: "object", properties: { a: { const: 1 } }, additionalProperties: false },
    { type: "object", properties: { a: {} }, additionalProperties: { type: "integer" } },
    {
      $ref: "#/$defs/one",
      $defs: { one: { anyOf: [{ $ref: "#/$defs/two" }], type: "array" }, two: { minItems: 1 } },
    },
  ])("finds against %j what ajv finds", (schema) => {
    const oracle = createOracle(schema);
    const plain = [null, true, -1, 0, 0.5, 1, 1.5, 2, 3, Number.NaN, Infinity, "", "a", "ab", "😀"];
    const values = [
      ...plain,
      ...[[], [1], [1, "a"], [1, "b"], ["a", "a"], ["a", "b", "a", "b"], [1, "a", 1, "a"]],
      ...[{}, { a: 1 }, { a: 2 }, { a: 1, b: null }, { b: 1 }, { "x/y~z": "a" }],
      JSON.parse('{ "__proto__": 1, "toString": "a" }'),
    ];
    for (const value of values) {
      const faults = findSchemaFaults(schema, value, textFormats);
      expect(faults.map(comparable), JSON.stringify(value)).toEqual(oracle(value));
    }
  });

  it.each(["configurations"])("finds nothing in %s that fit", (kind) => {
    const [, schema, whole] = ours.find(([name]) => name === kind) ?? ours[0]!;
    expect(findSchemaFaults(schema, whole, textFormats)).toEqual([]);
  });

  it("leaves formats alone where it is given none", () => {
    const schema = { type: "string", format: "zone" };
    expect(findSchemaFaults(schema, "Mars")).toEqual([]);
    expect(findSchemaFaults(schema, "Mars", textFormats)).toHaveLength(1);
  });

  it.each([
    [{ oneOf: [] }, "no keyword of our schemas: oneOf"],
    [{ format: "colour" }, "no format of our schemas: colour"],
    [{ $ref: "#/$defs/toString" }, "no definition in our schema: #/$defs/toString"],
  ])("throws over %j, which is a bug and no fault", (schema, message) => {
    expect(() => findSchemaFaults(schema, "red", textFormats)).toThrow(message);
  });
});
