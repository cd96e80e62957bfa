import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Json5Reader } from "../../src/contract/json-text.js";
import {
  completeText,
  completeValue,
  textPairFaults,
  valuePairFaults,
} from "../../src/contract/json5-pair.js";

const faultsOfValue = (holder: unknown) => valuePairFaults(holder, "value", new Json5Reader());
const faultsOfText = (holder: unknown) => textPairFaults(holder, "schema", new Json5Reader());
const differ = (name: string) => [
  { path: [`${name}Json5`], message: `Must have the same value as ${name}` },
];

const safeKey = fc.string().filter((key) => key !== "__proto__" && key !== "constructor");
const json = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(safeKey, tie("node"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).node;
const object = fc.dictionary(safeKey, json, { maxKeys: 5, noNullPrototype: true });

/** The value as JSON5: comments before everything, a comma after the last member. */
function commented(value: unknown, comment: string): string {
  if (Array.isArray(value)) {
    return `${comment}[${value.map((member) => `${commented(member, comment)},`).join("")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([key, member]) => `${comment}${JSON.stringify(key)}:${commented(member, comment)},`,
    );
    return `${comment}{${members.join("")}${comment}}`;
  }
  return `${comment}${JSON.stringify(value)}`;
}

describe("an object and its JSON5 text", () => {
  const comment = fc.constantFrom("/* why */", "// why\n", "\n\t", "/**/ // {[\"'\n");

  test("the text with comments has the value of the object", () => {
    fc.assert(
      fc.property(object, comment, (value, comment) => {
        const valueJson5 = commented(value, comment);
        expect(faultsOfValue({ value, valueJson5 })).toEqual([]);
        const pair = completeValue(undefined, valueJson5, new Json5Reader());
        expect(JSON.stringify(pair?.value)).toBe(JSON.stringify(value));
        expect(pair?.json5).toBe(valueJson5);
      }),
    );
  });

  test("a derived text has the value of the object", () => {
    fc.assert(
      fc.property(object, (value) => {
        const pair = completeValue(value, undefined, new Json5Reader());
        expect(faultsOfValue({ value, valueJson5: pair?.json5 })).toEqual([]);
        expect(pair?.value).toBe(value);
      }),
    );
  });

  test("a text with another value is a fault", () => {
    fc.assert(
      fc.property(object, safeKey, comment, (value, key, comment) => {
        const other = { ...value, [key]: ["another"] };
        fc.pre(JSON.stringify(value[key]) !== '["another"]');
        expect(faultsOfValue({ value, valueJson5: commented(other, comment) })).toEqual(
          differ("value"),
        );
      }),
    );
  });

  test("given fields stay unchanged, absent ones stay absent", () => {
    const value = { a: 1 };
    expect(completeValue(value, "{a:1}", new Json5Reader())).toEqual({ value, json5: "{a:1}" });
    expect(completeValue(undefined, undefined, new Json5Reader())).toBeUndefined();
  });

  test.each([
    ["{a: 1", "Is not valid JSON5: line 1, column 6: invalid end of input"],
    ["[1] // list", "Expected object, received array"],
    ["null", "Expected object, received null"],
  ])("the text %j is a fault: %s", (valueJson5, message) => {
    const faults = [{ path: ["valueJson5"], message }];
    expect(faultsOfValue({ valueJson5 })).toEqual(faults);
    expect(faultsOfValue({ value: {}, valueJson5 })).toEqual(faults);
  });

  test("an object that is not valid JSON is a fault, its text is not", () => {
    const value = { a: Number.POSITIVE_INFINITY };
    expect(faultsOfValue({ value, valueJson5: "{}" })).toEqual([
      { path: ["value"], message: "Contains Infinity, which is not a JSON number" },
    ]);
  });

  test.each([[undefined], [null], [7], ["x"], [[]], [{ value: 7, valueJson5: 7 }]])(
    "%j gives no fault, because the schema reports wrong types",
    (holder) => {
      expect(faultsOfValue(holder)).toEqual([]);
      expect(faultsOfText(holder)).toEqual([]);
    },
  );
});

describe("a JSON text and its JSON5 text", () => {
  test.each([
    [undefined, undefined, undefined],
    ['{"a": 1}', undefined, { json: '{"a": 1}', json5: '{"a": 1}' }],
    [undefined, "{a: 1} // one", { json: '{"a":1}', json5: "{a: 1} // one" }],
    ['{ "a":1}', "{a: 1}", { json: '{ "a":1}', json5: "{a: 1}" }],
    [null, undefined, { json: null, json5: null }],
    [undefined, null, { json: null, json5: null }],
    [null, null, { json: null, json5: null }],
  ])("%j and %j become %j", (json, json5, pair) => {
    expect(faultsOfText({ schema: json, schemaJson5: json5 })).toEqual([]);
    expect(completeText(json, json5, new Json5Reader())).toEqual(pair);
  });

  test.each([
    ['{"a": 1}', "{a: 2}"],
    [null, "{}"],
    ["{}", null],
    [null, "null"],
    ["null", null],
  ])("%j and %j differ", (schema, schemaJson5) => {
    expect(faultsOfText({ schema, schemaJson5 })).toEqual(differ("schema"));
  });

  test("reports invalid JSON and invalid JSON5 separately", () => {
    expect(faultsOfText({ schema: "{a: 1}", schemaJson5: "{" })).toEqual([
      { path: ["schema"], message: expect.stringMatching(/^Is not valid JSON: /) },
      {
        path: ["schemaJson5"],
        message: "Is not valid JSON5: line 1, column 2: invalid end of input",
      },
    ]);
  });
});
