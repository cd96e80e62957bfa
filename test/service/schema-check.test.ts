import { describe, expect, test } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { checkSchema } from "../../src/service/schema-check.js";

const check = (schema: unknown, ...values: AnyObject[]) =>
  checkSchema({ schema: JSON.stringify(schema), values });
const ofSchema = (reason: unknown) => [{ value: undefined, reason }];

describe("values", () => {
  const schema = {
    type: "object",
    properties: { color: { type: "string" }, size: { enum: [1, 2] } },
    required: ["color"],
    additionalProperties: false,
  };

  test("that fit have no fault", () => {
    expect(check(schema, { color: "red" }, { color: "blue", size: 2 })).toEqual([]);
  });

  test("that do not are reported, each with its path and reason", () => {
    expect(
      check(
        schema,
        { color: 7 },
        { color: "red" },
        {},
        { color: "red", size: 3 },
        { color: "red", x: 1 },
      ),
    ).toEqual([
      { value: 0, reason: "/color must be string" },
      { value: 2, reason: "must have required property 'color'" },
      { value: 3, reason: "/size must be equal to one of the allowed values: [1,2]" },
      { value: 4, reason: 'must NOT have additional properties: "x"' },
    ]);
  });

  test("are reported briefly, even for a long schema", () => {
    const [fault] = check({ properties: { a: { pattern: "x".repeat(9_000) } } }, { a: "y" });
    expect(fault?.reason).toMatch(/^\/a must match pattern "x+…$/);
    expect(fault?.reason.length).toBeLessThan(310);
  });

  test("have only the properties of their own", () => {
    expect(check({ required: ["toString"] }, {})).toEqual([
      { value: 0, reason: "must have required property 'toString'" },
    ]);
  });
});

describe("a schema", () => {
  test.each([
    ["true and false", true],
    ["unknown keywords, those of other dialects among them", { id: "x", $async: true, unit: "ms" }],
    ["formats, which say nothing", { properties: { a: { format: "date-time" } }, format: "none" }],
    ["the dialect by name", { $schema: "https://json-schema.org/draft/2020-12/schema" }],
    ["a reference to itself", { properties: { a: { $ref: "#" } } }],
    ["a dynamic reference", { $dynamicAnchor: "n", properties: { a: { $dynamicRef: "#n" } } }],
    [
      "references to identifiers inside",
      { $id: "https://a.test/s", $defs: { b: { $id: "b" } }, $ref: "b" },
    ],
    ["the schema of schemas", { $ref: "https://json-schema.org/draft/2020-12/schema" }],
  ])("may have %s", (_, schema) => {
    expect(check(schema, {})).toEqual([]);
  });

  test("that refers to itself is followed into the value", () => {
    const schema = { properties: { next: { $ref: "#" } }, required: ["id"] };
    expect(check(schema, { id: 1, next: { id: 2, next: {} } })).toEqual([
      { value: 0, reason: "/next/next must have required property 'id'" },
    ]);
  });

  test("has a dynamic reference that is resolved where it is used", () => {
    const schema = {
      $dynamicAnchor: "node",
      type: "object",
      properties: { child: { $dynamicRef: "#node" } },
    };
    expect(check(schema, { child: { child: 7 } })).toEqual([
      { value: 0, reason: "/child/child must be object" },
    ]);
  });

  test.each([
    [null, "Expected object or boolean, received null"],
    ["object", "Expected object or boolean, received string"],
    [[], "Expected object or boolean, received array"],
    [{ type: "text" }, /^\/type must be equal to one of the allowed values/],
    [{ properties: [] }, "/properties must be object"],
    [{ minLength: -1 }, "/minLength must be >= 0"],
    [{ properties: { a: { pattern: "(" } } }, /^Invalid regular expression/],
    [
      { $schema: "http://json-schema.org/draft-07/schema#" },
      /^\$schema must be https:.*2020-12\/schema, received "http:.*draft-07/,
    ],
    [{ $schema: 7 }, /^\$schema must be .*received 7$/],
    [{ $ref: "https://schemas.test/other.json" }, /^can't resolve reference https:/],
    [{ $ref: "file:///etc/passwd" }, /^can't resolve reference file:/],
    [{ $ref: "#/$defs/none" }, /^can't resolve reference #\/\$defs\/none/],
    [{ $ref: "#" }, "is too large, is nested too deep, or refers to itself without end"],
    [{ $dynamicRef: "#none" }, /./],
  ])("%j is none: %s", (schema, reason) => {
    const expected = typeof reason === "string" ? reason : expect.stringMatching(reason);
    expect(check(schema, {})).toEqual(ofSchema(expected));
  });

  test("does not see what another one defined", () => {
    expect(check({ $id: "https://a.test/one", $defs: { x: { $id: "two" } } }, {})).toEqual([]);
    expect(check({ $id: "https://a.test/one" }, {})).toEqual([]);
    expect(check({ $ref: "https://a.test/two" }, {})).toEqual(
      ofSchema(expect.stringMatching(/^can't resolve reference/)),
    );
  });
});
