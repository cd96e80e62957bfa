import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DynamicConfig } from "../../src/contract/dynamic-config.js";
import { IsolatedSchemaChecker } from "../../src/service/isolated-schema-checker.js";
import { longTest } from "../support/long-test.js";
import { startTestService, type TestService } from "../support/service.js";
import { bomb } from "./schema-bombs.js";

const collection = "/console/v1/dynamic_configs";
const path = `${collection}/a_config`;
const rule = { name: "staff", passPercentage: 10, conditions: [] };

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

const create = (body: object) =>
  service.call<DynamicConfig>({ method: "POST", path: collection, body });
const made = (body: object = {}) => create({ name: "A Config", ...body });
const patch = (body: object) => service.call<DynamicConfig>({ method: "PATCH", path, body });
const read = () => service.call<DynamicConfig>({ path });

describe("`schema`: a JSON Schema Draft 2020-12 document that constrains the return values", () => {
  const schema = JSON.stringify({ properties: { color: { type: "string" } } });

  test("names the rule whose value does not fit", async () => {
    const rules = [
      { ...rule, name: "red", returnValue: { color: "red" } },
      { ...rule, name: "seven", returnValueJson5: "{color: 7}" },
    ];
    const { status, json } = await made({ schema, rules });
    expect([status, json.errors]).toEqual([
      400,
      [
        {
          property: "rules[1].returnValue",
          errorMessage:
            'Return value of rule "seven" does not fit the schema: /color must be string',
        },
      ],
    ]);
  });

  test("holds for later updates of the values, and of itself", async () => {
    await made({ schema, defaultValue: { color: "red" } });
    expect((await patch({ defaultValue: { color: 7 } })).json.errors).toEqual([
      {
        property: "defaultValue",
        errorMessage: "Default value does not fit the schema: /color must be string",
      },
    ]);
    expect((await patch({ schemaJson5: "{required: ['size']}" })).json.errors).toEqual([
      {
        property: "defaultValue",
        errorMessage: "Default value does not fit the schema: must have required property 'size'",
      },
    ]);
    expect((await patch({ schema: null, defaultValue: { color: 7 } })).status).toBe(200);
  });

  test.each([
    ["no JSON", "{type: 'object'}", /^Is not valid JSON: /],
    ["no schema", '{"type": "text"}', /^Is not a usable JSON Schema \(2020-12\): \/type must be/],
    ["an empty text", "", /^Is not valid JSON: /],
    ["a reference to elsewhere", '{"$ref": "http://127.0.0.1/s"}', /can't resolve reference/],
  ])("%s is a 400", async (_, schema, errorMessage) => {
    const { status, json } = await made({ schema });
    expect([status, json.errors]).toEqual([
      400,
      [{ property: "schema", errorMessage: expect.stringMatching(errorMessage) }],
    ]);
  });

  test("as JSON5 text is named in its faults", async () => {
    const { status, json } = await made({ schemaJson5: "{type: 'text'} // no type" });
    expect([status, json.errors.map(({ property }) => property)]).toEqual([400, ["schemaJson5"]]);
  });

  longTest("that takes too long is a 400, and the next one is answered", async () => {
    const { schema, values } = bomb("pattern");
    const { status, json } = await made({ schema, defaultValue: values[0] });
    expect([status, json.errors]).toEqual([
      400,
      [
        {
          property: "schema",
          errorMessage:
            "Is not a usable JSON Schema (2020-12): takes too long to check: more than 500 ms",
        },
      ],
    ]);
    expect((await made({ schema: "true" })).status).toBe(201);
  });
});

test("other requests are answered while a schema takes forever to check", async () => {
  const checkTimeoutMs = 1_000_000;
  await service.close();
  service = await startTestService({
    schemaChecker: new IsolatedSchemaChecker({ checkTimeoutMs }),
  });
  await made({ schema: "true" });
  const { schema, values } = bomb("pattern");
  let isAnswered = false;
  const stuck = create({ name: "Stuck", schema, defaultValue: values[0] }).finally(() => {
    isAnswered = true;
  });
  const answers = [
    await read(),
    await patch({ description: "new" }),
    await patch({ defaultValue: { a: 1 } }),
    await create({ name: "Harmless", schema: "true", defaultValue: { a: 1 } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
  expect(isAnswered).toBe(false);
  await service.app.http.close();
  expect((await stuck).status).toBe(503);
});
