import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import type { Segment } from "../../src/contract/segment.js";
import { startTestService, type TestService } from "../support/service.js";

const path = "/console/v1/segments";
const minimal = { name: "A Segment", type: "rule_based" };
const rule = (...conditions: AnyObject[]) => ({ name: "staff", passPercentage: 100, conditions });

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

const create = (body: unknown) => service.call<Segment>({ method: "POST", path, body });

async function faultsOf(body: unknown) {
  const { status, json } = await create(body);
  expect(status).toBe(400);
  return json.errors;
}

describe("POST /console/v1/segments", () => {
  it("creates a segment: 201, `Segment created successfully.`", async () => {
    const { status, json, headers } = await create(minimal);
    expect(status).toBe(201);
    expect(json.message).toBe("Segment created successfully.");
    expect(headers["etag"]).toBe('"1"');
    expect(json.data).toMatchObject({ id: "a_segment", name: "A Segment", type: "rule_based" });
  });

  it("answers `id`, `isEnabled`, `description`, `lastModifierName`, `lastModifierID`, `type`, `count`, `tags`", async () => {
    const { json } = await create(minimal);
    expect(json.data).toMatchObject({
      id: "a_segment",
      isEnabled: true,
      description: "",
      lastModifierName: "CONSOLE API",
      lastModifierID: expect.any(String),
      type: "rule_based",
      count: 0,
      tags: [],
    });
  });

  it.each(["id_list", "rule_based", "analysis_list", "user_store_id_list"])(
    "type: takes `%s`",
    async (type) => {
      expect((await create({ ...minimal, type })).json.data.type).toBe(type);
    },
  );

  it("idType: default `userID`", async () => {
    expect((await create(minimal)).json.data.idType).toBe("userID");
  });

  it("team, teamID, creatorID, creatorEmail: string or null", async () => {
    const none = { team: null, teamID: null, creatorID: null, creatorEmail: null };
    expect((await create({ ...minimal, ...none })).json.data).toMatchObject(none);
    const given = { team: "core", teamID: "t", creatorID: "c", creatorEmail: "c@example.com" };
    expect((await create({ name: "Other", type: "id_list", ...given })).json.data).toMatchObject(
      given,
    );
  });

  it("ignores fields that only the service writes", async () => {
    const { json } = await create({ ...minimal, count: 7, isEnabled: false, version: 9, other: 1 });
    expect(json.data).toMatchObject({ count: 0, isEnabled: true, version: 1 });
    expect(json.data).not.toHaveProperty("other");
  });

  it.each([
    ["name: required", { name: undefined }, "name", "Required"],
    ["name: at least 3", { name: "ab" }, "name", "Must be at least 3 characters"],
    ["name: at most 100", { name: "a".repeat(101) }, "name", "Must be at most 100 characters"],
    ["name: no dots", { name: "a.b" }, "name", "Must match /^[a-zA-Z0-9_\\- ]*$/"],
    ["type: required", { type: undefined }, "type", "Required"],
    [
      "type: one of four",
      { type: "list" },
      "type",
      "Expected one of id_list, rule_based, analysis_list, user_store_id_list",
    ],
    ["id: at least 3", { id: "ab" }, "id", "Must be at least 3 characters"],
    ["id: at most 100", { id: "a".repeat(101) }, "id", "Must be at most 100 characters"],
    ["id: no blanks", { id: "a b" }, "id", "Must match /^[a-zA-Z0-9_-]*$/"],
    [
      "description: max 1000",
      { description: "a".repeat(1001) },
      "description",
      "Must be at most 1000 characters",
    ],
    ["tags: array of string", { tags: "a" }, "tags", "Expected array, received string"],
    ["tags: array of string", { tags: [1] }, "tags[0]", "Expected string, received number"],
    ["rules: array of Rule", { rules: {} }, "rules", "Expected array, received object"],
  ])("refuses: %s (%j)", async (_, change, property, errorMessage) => {
    expect(await faultsOf({ ...minimal, ...change })).toEqual([{ property, errorMessage }]);
  });

  it("accepts names and ids of 3 and of 100 characters", async () => {
    const long = "a".repeat(100);
    expect((await create({ ...minimal, name: "abc", id: long })).status).toBe(201);
    expect((await create({ ...minimal, name: long, id: "abc" })).status).toBe(201);
  });

  it.each(["public", "passes_gate", "fails_gate", "time"])(
    "rules: refuses conditions of type `%s`, and lists those that it takes",
    async (type) => {
      const [fault, ...others] = (await faultsOf({ ...minimal, rules: [rule({ type })] })) ?? [];
      expect(others).toEqual([]);
      expect(fault?.property).toBe("rules[0].conditions[0].type");
      expect(fault?.errorMessage).toMatch(/^Expected one of user_id, email, .*passes_segment/);
      expect(fault?.errorMessage.split(/of |, /)).not.toContain(type);
    },
  );

  it("rules: each gets identifiers", async () => {
    const { json } = await create({ ...minimal, rules: [rule({ type: "email" })] });
    const [made] = json.data.rules;
    expect(made?.baseID).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(made?.id).toBe(made?.baseID);
  });

  it("rules: two of one name are refused: `Duplicate rule name(s) given`", async () => {
    const { status, json } = await create({ ...minimal, rules: [rule(), rule()] });
    expect(status).toBe(400);
    expect(json.message).toBe("Duplicate rule name(s) given");
  });

  it("a name or id in use is refused: `Name is already in use`", async () => {
    await create(minimal);
    const again = await create({ ...minimal, id: "another" });
    expect(again.status).toBe(400);
    expect(again.json.message).toBe("Name is already in use");
    expect(again.json.errors?.map(({ property }) => property)).toEqual(["name"]);
    expect(await faultsOf({ ...minimal, name: "Another", id: "a_segment" })).toEqual([
      { property: "id", errorMessage: "Name is already in use" },
    ]);
    // Without an id the fault is reported at the name, because the id is derived from it.
    expect(await faultsOf({ ...minimal, name: "A segment" })).toEqual([
      { property: "name", errorMessage: "Name is already in use" },
    ]);
  });
});

describe("GET /console/v1/segments/{id}/references", () => {
  it("lists what names the segment, whatever its kind", async () => {
    await create(minimal);
    const rules = [rule({ type: "passes_segment", targetValue: "a_segment" })];
    for (const kind of ["gates", "dynamic_configs", "segments"]) {
      const body = {
        name: `In ${kind}`,
        rules,
        ...(kind === "segments" && { type: "rule_based" }),
      };
      await service.call({ method: "POST", path: `/console/v1/${kind}`, body });
    }
    const { json } = await service.call({ path: `${path}/a_segment/references?limit=2` });
    expect(json.data).toEqual([
      { id: "in_segments", name: "In segments", entityType: "segment" },
      { id: "in_dynamic_configs", name: "In dynamic_configs", entityType: "dynamic_config" },
    ]);
    expect(json.pagination.totalItems).toBe(3);
    expect((await service.call({ path: `${path}/none/references` })).status).toBe(404);
  });
});

describe("segments that were created", () => {
  it("are listed, newest first: `Segments listed successfully.`", async () => {
    for (const name of ["first", "second", "third"]) await create({ ...minimal, name });
    const { status, json } = await service.call<Segment[]>({ path: `${path}?limit=2` });
    expect(status).toBe(200);
    expect(json.message).toBe("Segments listed successfully.");
    expect(json.data.map(({ id }) => id)).toEqual(["third", "second"]);
    expect(json.pagination).toMatchObject({ totalItems: 3, nextPage: `${path}?page=2&limit=2` });
  });

  it("are read: `Segment read successfully.`", async () => {
    const { json: created } = await create(minimal);
    const { status, json, headers } = await service.call<Segment>({ path: `${path}/a_segment` });
    expect(status).toBe(200);
    expect(headers["etag"]).toBe('"1"');
    expect(json).toEqual({ message: "Segment read successfully.", data: created.data });
  });

  it("are deleted: `Segment deleted successfully.`, and then not found", async () => {
    await create(minimal);
    const one = { path: `${path}/a_segment` };
    const { status, json } = await service.call({ method: "DELETE", ...one });
    expect(status).toBe(200);
    expect(json).toEqual({ message: "Segment deleted successfully." });
    for (const method of ["GET", "DELETE"] as const) {
      const { status, json } = await service.call({ method, ...one });
      expect(status).toBe(404);
      expect(json).toEqual({ status: 404, message: "Segment not found.", errors: [] });
    }
  });

  it("are not deleted if If-Match has another version", async () => {
    await create(minimal);
    const { status } = await service.call({
      method: "DELETE",
      path: `${path}/a_segment`,
      headers: { "if-match": '"2"' },
    });
    expect(status).toBe(412);
    expect((await service.call({ path: `${path}/a_segment` })).status).toBe(200);
  });

  it("reference segments, and are referenced by segments and gates", async () => {
    const asks = rule({ type: "passes_segment", targetValue: ["a_segment"] });
    await create(minimal);
    await create({ name: "Inner", type: "rule_based", rules: [asks] });
    const gate = { name: "A Gate", rules: [asks] };
    await service.call({ method: "POST", path: "/console/v1/gates", body: gate });
    const key = { kind: "segment", id: "a_segment" } as const;
    const { items } = await service.store.entities.referrers(key, { start: 0, count: 10 });
    expect(items.map(({ kind, id }) => ({ kind, id }))).toEqual([
      { kind: "gate", id: "a_gate" },
      { kind: "segment", id: "Inner" },
    ]);
  });
});

it("takes 100,000 ids in one request, and other bodies of at most a MiB", async () => {
  await create({ name: "long", type: "id_list" });
  const ids = Array.from({ length: 100_000 }, (_, index) => `user-${index}-${"x".repeat(30)}`);
  const list = `${path}/long/id_list`;
  const added = await service.call<Segment>({ method: "PATCH", path: list, body: { ids } });
  expect([added.status, added.json.data.count]).toEqual([200, ids.length]);
  const body = { ids: [...ids.slice(0, -1), ""] };
  const { status, json } = await service.call({ method: "PATCH", path: list, body });
  expect([status, json.errors[0]?.property]).toEqual([400, "ids[99999]"]);
  expect((await create({ ...minimal, description: "x".repeat(1_100_000) })).status).toBe(413);
});

it("refuses a change of the type, and takes the same type back", async () => {
  await create({ name: "typed", type: "id_list" });
  for (const [method, rest] of [
    ["PATCH", {}],
    ["POST", { description: "", rules: [] }],
  ] as const) {
    const change = (type: string) =>
      service.call<Segment>({ method, path: `${path}/typed`, body: { ...rest, type } });
    const { status, json } = await change("rule_based");
    expect([status, json.errors]).toEqual([
      400,
      [
        {
          property: "type",
          errorMessage: "The type of a segment cannot change; it is id_list",
        },
      ],
    ]);
    expect((await change("id_list")).json.data.type).toBe("id_list");
  }
});

it.each([
  ["gates", "type=permanent,unknown", "PERMANENT, TEMPORARY"],
  ["segments", "type=list", "id_list, rule_based, analysis_list, user_store_id_list"],
])("refuses an unknown type in lists of %s", async (resource, query, known) => {
  const { status, json } = await service.call({ path: `/console/v1/${resource}?${query}` });
  expect([status, json.errors[0]?.errorMessage]).toEqual([
    400,
    expect.stringContaining(`Expected one of ${known}; received `),
  ]);
  const first = known.split(", ")[0] as string;
  const good = await service.call({ path: `/console/v1/${resource}?type=${first.toLowerCase()}` });
  expect(good.status).toBe(200);
});
