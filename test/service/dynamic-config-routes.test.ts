import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DynamicConfig } from "../../src/contract/dynamic-config.js";
import type { Gate } from "../../src/contract/gate.js";
import { startTestService, type TestService } from "../support/service.js";

const collection = "/console/v1/dynamic_configs";
const full = { isEnabled: true, description: "", rules: [] };
const rule = { name: "staff", passPercentage: 10, conditions: [] };

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

const create = (body: object) =>
  service.call<DynamicConfig>({ method: "POST", path: collection, body });
const replace = (body: object, query = "", id = "a_config") =>
  service.call<DynamicConfig>({ method: "POST", path: `${collection}/${id}${query}`, body });
const patch = (body: object, query = "", id = "a_config") =>
  service.call<DynamicConfig>({ method: "PATCH", path: `${collection}/${id}${query}`, body });
const read = (id = "a_config") => service.call<DynamicConfig>({ path: `${collection}/${id}` });
const made = (body: object = {}) => create({ name: "A Config", ...body });

describe("POST /console/v1/dynamic_configs", () => {
  test("creates: 201, `Dynamic Config created successfully.`, `name` required alone", async () => {
    const { status, headers, json } = await made();
    expect({ status, message: json.message }).toEqual({
      status: 201,
      message: "Dynamic Config created successfully.",
    });
    expect(json.data).toMatchObject({ id: "a_config", name: "A Config", version: 1 });
    expect(headers["etag"]).toBe('"1"');
    expect((await read()).json.data).toEqual(json.data);
  });

  test("`id` and `name` must not be in use", async () => {
    await made();
    const sameName = await create({ name: "A Config", id: "another" });
    const sameId = await create({ name: "Another", id: "a_config" });
    for (const { status, json } of [sameName, sameId]) {
      expect({ status, message: json.message }).toEqual({
        status: 400,
        message: "Name is already in use",
      });
    }
    expect([sameName, sameId].map(({ json }) => json.errors[0]?.property)).toEqual(["name", "id"]);
  });

  test.each([
    ["`name` is required", { name: undefined }, "name", "Required"],
    ["`name`: 3 to 100", { name: "ab" }, "name", "Must be at least 3 characters"],
    ["`name`: 3 to 100", { name: "a".repeat(101) }, "name", "Must be at most 100 characters"],
    ["`name`: pattern", { name: "a/b/c" }, "name", /^Must match .*a-zA-Z0-9_/],
    ["`id`: 3 to 100", { id: "ab" }, "id", "Must be at least 3 characters"],
    ["`id`: 3 to 100", { id: "a".repeat(101) }, "id", "Must be at most 100 characters"],
    ["`id`: pattern", { id: "a b c" }, "id", /^Must match .*a-zA-Z0-9_/],
    [
      "`description`: max 1000",
      { description: "x".repeat(1001) },
      "description",
      "Must be at most 1000 characters",
    ],
    [
      "`isEnabled`: boolean",
      { isEnabled: "yes" },
      "isEnabled",
      "Expected boolean, received string",
    ],
    ["`rules`: array of Rule", { rules: {} }, "rules", "Expected array, received object"],
    [
      "`defaultValue`: object",
      { defaultValue: [] },
      "defaultValue",
      /^Expected object, received array/,
    ],
    [
      "`defaultValueJson5`: string",
      { defaultValueJson5: {} },
      "defaultValueJson5",
      "Expected string, received object",
    ],
    ["`tags`: array of string", { tags: [1] }, "tags[0]", "Expected string, received number"],
    [
      "`creatorID`: string or null",
      { creatorID: 1 },
      "creatorID",
      /^Expected string, received number/,
    ],
    ["`creatorEmail`: string or null", { creatorEmail: 1 }, "creatorEmail", /received number$/],
    ["`targetApps`", { targetApps: 1 }, "targetApps", "Expected string or array of strings"],
    ["`schema`: string or null", { schema: {} }, "schema", "Expected string, received object"],
    ["`schemaJson5`: string or null", { schemaJson5: 1 }, "schemaJson5", /received number$/],
    ["`team`: string or null", { team: [] }, "team", "Expected string, received array"],
    ["`teamID`: string or null", { teamID: 1 }, "teamID", "Expected string, received number"],
    [
      "`releasePipelineID`: string or null",
      { releasePipelineID: 1 },
      "releasePipelineID",
      /number$/,
    ],
    [
      "a rule's `returnValue`: object",
      { rules: [{ ...rule, returnValue: 1 }] },
      "rules[0].returnValue",
      "Expected object, received number",
    ],
    [
      "a variant's `returnValue`: object",
      { rules: [{ ...rule, variants: [{ returnValue: 1 }] }] },
      "rules[0].variants[0].returnValue",
      "Expected object, received number",
    ],
  ])("%s", async (_, body, property, errorMessage) => {
    const { status, json } = await made(body);
    expect({ status, errors: json.errors }).toEqual({
      status: 400,
      errors: [
        {
          property,
          errorMessage:
            typeof errorMessage === "string" ? errorMessage : expect.stringMatching(errorMessage),
        },
      ],
    });
  });

  test("nullable fields accept null and echo it", async () => {
    const nothing = {
      creatorID: null,
      creatorEmail: null,
      schema: null,
      schemaJson5: null,
      team: null,
      teamID: null,
      releasePipelineID: null,
    };
    expect((await made(nothing)).json.data).toMatchObject(nothing);
  });

  test("two rules of one name: `Duplicate rule name(s) given`", async () => {
    const { status, json } = await made({ rules: [rule, rule] });
    expect([status, json.message]).toEqual([400, "Duplicate rule name(s) given"]);
  });

  test("reports all faults at once, of single fields and of JSON5 pairs", async () => {
    const { json } = await made({
      isEnabled: 1,
      defaultValue: { a: 1 },
      defaultValueJson5: "{a: 2}",
      schemaJson5: "{",
      rules: [{ ...rule, returnValueJson5: "[]", variants: [{ returnValueJson5: "{a: }" }] }],
    });
    expect(json.errors).toEqual([
      { property: "isEnabled", errorMessage: "Expected boolean, received number" },
      { property: "defaultValueJson5", errorMessage: "Must have the same value as defaultValue" },
      {
        property: "schemaJson5",
        errorMessage: "Is not valid JSON5: line 1, column 2: invalid end of input",
      },
      { property: "rules[0].returnValueJson5", errorMessage: "Expected object, received array" },
      {
        property: "rules[0].variants[0].returnValueJson5",
        errorMessage: "Is not valid JSON5: line 1, column 5: invalid character '}'",
      },
    ]);
  });
});

describe("POST /console/v1/dynamic_configs/{id}", () => {
  test("updates fully: `Dynamic config updated successfully.`, version 2", async () => {
    await made({ tags: ["a"], idType: "stableID" });
    const { status, json } = await replace({ ...full, description: "new" });
    expect([status, json.message]).toEqual([200, "Dynamic config updated successfully."]);
    expect(json.data).toMatchObject({
      id: "a_config",
      description: "new",
      tags: [],
      idType: "stableID",
      version: 2,
    });
  });

  test("Required: `isEnabled`, `description`, `rules`", async () => {
    await made();
    const { status, json } = await replace({});
    expect([status, json.errors]).toEqual([
      400,
      ["description", "isEnabled", "rules"].map((property) => ({
        property,
        errorMessage: "Required",
      })),
    ]);
  });

  test("accepts a whole entity as it was returned", async () => {
    const { json } = await made({ rules: [rule], schemaJson5: "true // all" });
    const { data } = (await replace(json.data)).json;
    const { lastModifiedTime: _, ...before } = json.data;
    expect(data).toMatchObject({ ...before, version: 2 });
  });

  test("of a missing one is a 404", async () => {
    const { status, json } = await replace(full, "", "none");
    expect([status, json.message]).toEqual([404, "Dynamic Config not found."]);
  });
});

describe("PATCH /console/v1/dynamic_configs/{id}", () => {
  test("changes only the given fields, one field of a JSON5 pair changes both", async () => {
    const before = (await made({ defaultValueJson5: "{a: 1} // one", tags: ["a"] })).json.data;
    const { status, json } = await patch({ defaultValue: { b: 2 } });
    expect([status, json.message]).toEqual([200, "Dynamic config updated successfully."]);
    expect(json.data).toEqual({
      ...before,
      defaultValue: { b: 2 },
      defaultValueJson5: '{"b":2}',
      version: 2,
      lastModifiedTime: json.data.lastModifiedTime,
    });
  });

  test("with a stale If-Match is a 412", async () => {
    await made();
    const call = { method: "PATCH", path: `${collection}/a_config`, body: {} } as const;
    const { status } = await service.call({ ...call, headers: { "if-match": '"7"' } });
    expect(status).toBe(412);
  });

  test("a name in use is a 400", async () => {
    await made();
    await create({ name: "Another" });
    expect((await patch({ name: "Another" })).json.message).toBe("Name is already in use");
  });
});

describe("`dryRun` (boolean) of a create, which the specification does not name", () => {
  const tried = (body: object) =>
    service.call<DynamicConfig>({
      method: "POST",
      path: `${collection}?dryRun=true`,
      body: { name: "A Config", ...body },
    });

  test("answers like the real create, and stores nothing", async () => {
    const { status, json } = await tried({});
    expect(status).toBe(201);
    expect(json).toMatchObject({
      message: "Dynamic Config created successfully.",
      data: { id: "a_config", version: 1 },
    });
    expect((await read()).status).toBe(404);
    await made();
    expect((await tried({})).json.message).toBe("Name is already in use");
  });

  test("validates, the schema too", async () => {
    const { status, json } = await tried({ schema: '{"type": "none"}' });
    expect([status, json.errors[0]?.property]).toEqual([400, "schema"]);
  });
});

describe("`dryRun` (boolean)", () => {
  const updates = [
    ["POST", (body: object, query: string) => replace({ ...full, ...body }, query)],
    ["PATCH", (body: object, query: string) => patch(body, query)],
  ] as const;

  test.each(updates)("of %s answers like the real call, and stores nothing", async (_, update) => {
    const before = (await made({ rules: [rule] })).json.data;
    const body = { description: "new", rules: before.rules, tags: ["b"] };
    const dry = await update(body, "?dryRun=true");
    expect((await read()).json.data).toEqual(before);
    const real = await update(body, "?dryRun=false");
    const { lastModifiedTime: _time, ...data } = real.json.data;
    expect(dry.status).toBe(200);
    expect(dry.headers["etag"]).toBe('"2"');
    expect(dry.json.message).toBe(real.json.message);
    expect(dry.json.data).toMatchObject({ ...data, version: 2 });
    expect((await read()).json.data).toEqual(real.json.data);
  });

  test.each(updates)("of %s refuses what the real call refuses", async (_, update) => {
    await made();
    await create({ name: "Another" });
    const wrongs = [
      { name: "Another" },
      { description: 7 },
      { rules: [rule, rule] },
      { schema: "{" },
      { schema: '{"type": 1}' },
      { schema: "false", defaultValue: { a: 1 } },
    ];
    for (const wrong of wrongs) {
      const dry = await update(wrong, "?dryRun=true");
      const real = await update(wrong, "");
      expect(dry.status).toBe(400);
      expect(dry).toMatchObject({ status: real.status, json: real.json });
    }
    expect((await read()).json.data.version).toBe(1);
  });

  test.each([
    ["?dryRun=", "Expected one of true, false"],
    ["?dryRun=1", "Expected one of true, false"],
    ["?dryRun=TRUE", "Expected one of true, false"],
    ["?dryRun=true&dryRun=true", "Expected string, received array"],
  ])("%s is a 400, because it is neither `true` nor `false`", async (query, errorMessage) => {
    await made();
    const { status, json } = await patch({ description: "new" }, query);
    expect([status, json.errors]).toEqual([400, [{ property: "dryRun", errorMessage }]]);
    expect((await read()).json.data.version).toBe(1);
  });
});

describe("reading, listing and deleting", () => {
  test("have their messages, and 404 if there is nothing", async () => {
    await made();
    await create({ name: "Another" });
    expect((await read()).json.message).toBe("Dynamic Config read successfully.");
    const list = await service.call<DynamicConfig[]>({ path: `${collection}?limit=1` });
    expect(list.json).toMatchObject({
      message: "Dynamic Configs listed successfully.",
      data: [{ name: "Another" }],
      pagination: { totalItems: 2, nextPage: `${collection}?page=2&limit=1` },
    });
    const path = `${collection}/a_config`;
    const deleted = await service.call({ method: "DELETE", path });
    expect(deleted).toMatchObject({
      status: 200,
      json: { message: "Dynamic Config deleted successfully." },
    });
    expect(deleted.json).not.toHaveProperty("data");
    for (const method of ["GET", "DELETE"] as const) {
      const { status, json } = await service.call({ method, path });
      expect([status, json.message]).toEqual([404, "Dynamic Config not found."]);
    }
  });

  test("references from conditions are listed with the gate", async () => {
    await service.call({ method: "POST", path: "/console/v1/gates", body: { name: "A Gate" } });
    const conditions = [{ type: "passes_gate", targetValue: "a_gate" }];
    await made({ rules: [{ ...rule, conditions }] });
    const { json } = await service.call<Gate[]>({
      path: "/console/v1/gates/a_gate/gate_references",
    });
    expect(json.data).toMatchObject([{ id: "a_config" }]);
  });
});
