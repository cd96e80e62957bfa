import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { QualifyingEvent } from "../../src/contract/qualifying-event.js";
import { startTestService, type TestCall, type TestService } from "../support/service.js";

const path = "/console/v1/experiments/qualifying_events";
const required = {
  sql: "select user_id, paid_at from checkouts",
  timestampColumn: "paid_at",
  idTypeMapping: [{ serviceUnitID: "userID", column: "user_id" }],
};
const minimal = { name: "Checkout paid", ...required };
const nameTaken = [{ property: "name", errorMessage: "Name is already in use" }];

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

const pathOf = (name: string) => `${path}/${encodeURIComponent(name)}`;
const create = (body: unknown) => service.call<QualifyingEvent>({ method: "POST", path, body });
const update = (name: string, body: unknown, headers: TestCall["headers"] = {}) =>
  service.call<QualifyingEvent>({ method: "POST", path: pathOf(name), body, headers });
const read = (name: string) => service.call<QualifyingEvent>({ path: pathOf(name) });

const badFields = [
  ["sql: required", { sql: undefined }, "sql", "Required"],
  ["sql: string", { sql: 1 }, "sql", "Expected string, received number"],
  ["timestampColumn: required", { timestampColumn: undefined }, "timestampColumn", "Required"],
  [
    "timestampColumn: string",
    { timestampColumn: null },
    "timestampColumn",
    "Expected string, received null",
  ],
  ["idTypeMapping: required", { idTypeMapping: undefined }, "idTypeMapping", "Required"],
  [
    "idTypeMapping: array",
    { idTypeMapping: {} },
    "idTypeMapping",
    "Expected array, received object",
  ],
  [
    "idTypeMapping: items have a column",
    { idTypeMapping: [{ serviceUnitID: "userID" }] },
    "idTypeMapping[0].column",
    "Required",
  ],
  [
    "idTypeMapping: items have a serviceUnitID",
    { idTypeMapping: [{ serviceUnitID: 1, column: "c" }] },
    "idTypeMapping[0].serviceUnitID",
    "Expected string, received number",
  ],
  ["name: string", { name: 1 }, "name", "Expected string, received number"],
  ["tags: array of string", { tags: [null] }, "tags[0]", "Expected string, received null"],
  [
    "timestampAsDay: boolean",
    { timestampAsDay: "yes" },
    "timestampAsDay",
    "Expected boolean, received string",
  ],
  [
    "sourceType: `table` or `query`",
    { sourceType: "view" },
    "sourceType",
    "Expected one of table, query",
  ],
  ["tableName: for `table`", { sourceType: "table" }, "tableName", "Required"],
  [
    "tableName: not empty for `table`",
    { sourceType: "table", tableName: "" },
    "tableName",
    "Expected the name of a table, received an empty text",
  ],
  ["tableName: string", { tableName: 1 }, "tableName", "Expected string, received number"],
  [
    "customFieldMapping: items have a formula",
    { customFieldMapping: [{ key: "k" }] },
    "customFieldMapping[0].formula",
    "Required",
  ],
  ["isReadOnly: boolean", { isReadOnly: 1 }, "isReadOnly", "Expected boolean, received number"],
  ["owner: object", { owner: [] }, "owner", "Expected object, received array"],
  ["team: string or null", { team: 1 }, "team", "Expected string, received number"],
  ["teamID: string or null", { teamID: 1 }, "teamID", "Expected string, received number"],
  ["dryRun: boolean", { dryRun: "true" }, "dryRun", "Expected boolean, received string"],
] as const;

describe("POST /console/v1/experiments/qualifying_events/{name}", () => {
  it("updates: 200, `Qualifying event updated successfully.`", async () => {
    await create({ ...minimal, description: "paid" });
    const { status, json, headers } = await update("Checkout paid", { ...required, sql: "new" });
    expect(status).toBe(200);
    expect(json.message).toBe("Qualifying event updated successfully.");
    expect(headers["etag"]).toBe('"2"');
    expect(json.data).toMatchObject({ sql: "new", description: "", version: 2 });
    expect((await read("Checkout paid")).json.data).toEqual(json.data);
  });

  it("creates a new name, with the same answer", async () => {
    const { status, json } = await update("Checkout paid", required);
    expect(status).toBe(200);
    expect(json.message).toBe("Qualifying event updated successfully.");
    expect(json.data).toMatchObject({ ...minimal, version: 1 });
  });

  it("answers `name`, `description`, `tags`, `sql`, `timestampColumn`, `timestampAsDay`, `idTypeMapping`, `sourceType`, `tableName`", async () => {
    const { json } = await update("Checkout paid", required);
    expect(json.data).toMatchObject({
      name: "Checkout paid",
      description: "",
      tags: [],
      ...required,
      timestampAsDay: false,
      sourceType: "query",
      tableName: "",
    });
  });

  it.each(badFields)("refuses: %s (%j)", async (_, change, property, errorMessage) => {
    const { status, json } = await update("Checkout paid", { ...required, ...change });
    expect(status).toBe(400);
    expect(json.errors).toEqual([{ property, errorMessage }]);
  });

  it("name: accepts the current one and refuses another, because an update cannot change it", async () => {
    await create(minimal);
    expect((await update("Checkout paid", minimal)).status).toBe(200);
    for (const name of ["Checkout paid", "New"]) {
      const { status, json } = await update(name, { ...required, name: "Other" });
      expect(status).toBe(400);
      expect(json.errors?.map(({ property }) => property)).toEqual(["name"]);
    }
    expect((await read("New")).status).toBe(404);
    expect((await read("Other")).status).toBe(404);
  });

  it("accepts the whole entity as it was read", async () => {
    const { json } = await create({ ...minimal, sourceType: "table", tableName: "checkouts" });
    const again = await update("Checkout paid", json.data);
    expect(again.json.data).toEqual({
      ...json.data,
      version: 2,
      lastModifiedTime: expect.any(Number),
    });
  });

  it.each([
    "a/b",
    "..%2f",
    "../gates",
    "50 % off",
    "🎉 paid",
    "söld?x=1#y",
    "...",
    "versions",
    "é".repeat(255),
  ])("can be requested by the name %j, percent-encoded", async (name) => {
    expect((await update(name, required)).json.data.name).toBe(name);
    expect((await update(name, required)).json.data.version).toBe(2);
    expect((await read(name)).json.data.name).toBe(name);
    expect((await service.call({ method: "DELETE", path: pathOf(name) })).status).toBe(200);
    expect((await read(name)).status).toBe(404);
  });

  it.each(["%00", "a%0Ab", "%C2%85", "x".repeat(256)])(
    "refuses a path with the name %s, which nothing can have; reading it is a 404",
    async (name) => {
      const call = { path: `${path}/${name}`, body: required };
      const { status, json } = await service.call({ method: "POST", ...call });
      expect(status).toBe(400);
      expect(json.errors?.map(({ property }) => property)).toEqual(["name"]);
      expect((await service.call({ path: call.path })).status).toBe(404);
    },
  );

  it("dryRun: answers like the real call and stores nothing", async () => {
    const made = await update("Checkout paid", { ...required, dryRun: true });
    expect(made.status).toBe(200);
    expect(made.json.data).toMatchObject({ ...minimal, version: 1 });
    expect(made.json.data).not.toHaveProperty("dryRun");
    expect((await read("Checkout paid")).status).toBe(404);

    const { json: before } = await create(minimal);
    const changed = await update("Checkout paid", { ...required, sql: "new", dryRun: true });
    expect(changed.json.data).toMatchObject({ sql: "new", version: 2 });
    expect((await read("Checkout paid")).json.data).toEqual(before.data);
  });

  it("dryRun: answers the errors of the real call", async () => {
    const { status, json } = await update("Checkout paid", {
      ...required,
      name: "x",
      dryRun: true,
    });
    expect(status).toBe(400);
    expect(json.errors?.map(({ property }) => property)).toEqual(["name"]);
    const missing = await update("Checkout paid", { dryRun: true });
    expect(missing.json.errors?.map(({ property }) => property).sort()).toEqual(
      Object.keys(required).sort(),
    );
  });

  it("If-Match: changes only that version, and creates nothing", async () => {
    expect((await update("New", required, { "if-match": "*" })).status).toBe(412);
    expect((await read("New")).status).toBe(404);
    await create(minimal);
    expect((await update("Checkout paid", required, { "if-match": '"2"' })).status).toBe(412);
    expect((await update("Checkout paid", required, { "if-match": '"1"' })).status).toBe(200);
  });

  it("loses none of 50 parallel calls: one creates, the others change", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        update("Checkout paid", { ...required, description: `call ${index}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const versions = answers.map(({ json }) => json.data.version).sort((a, b) => a - b);
    expect(versions).toEqual(answers.map((_, index) => index + 1));
    const last = answers.find(({ json }) => json.data.version === 50);
    expect((await read("Checkout paid")).json.data).toEqual(last?.json.data);
  });
});

describe("POST /console/v1/experiments/qualifying_events", () => {
  it("creates: 201, `Qualifying event created successfully.`", async () => {
    const { status, json, headers } = await create(minimal);
    expect(status).toBe(201);
    expect(json.message).toBe("Qualifying event created successfully.");
    expect(headers["etag"]).toBe('"1"');
    expect(json.data).toMatchObject(minimal);
  });

  it.each([
    ...badFields,
    ["name: required", { name: undefined }, "name", "Required"],
    ["name: not empty", { name: "" }, "name", undefined],
    ["name: at most 255", { name: "x".repeat(256) }, "name", "Must be at most 255 characters"],
    ["name: no control characters", { name: "a\u0000b" }, "name", undefined],
    ["name: no half of a character", { name: "a\ud800" }, "name", undefined],
    ["name: not what clients resolve away", { name: ".." }, "name", undefined],
  ] as const)("refuses: %s (%j)", async (_, change, property, errorMessage) => {
    const { status, json } = await create({ ...minimal, ...change });
    expect(status).toBe(400);
    expect(new Set(json.errors?.map((fault) => fault.property))).toEqual(new Set([property]));
    if (errorMessage !== undefined) expect(json.errors?.[0]?.errorMessage).toBe(errorMessage);
  });

  it("a name in use is refused: `Name is already in use`, in a dry run too", async () => {
    await create(minimal);
    for (const dryRun of [false, true]) {
      const { status, json } = await create({ ...minimal, dryRun });
      expect(status).toBe(400);
      expect(json.message).toBe("Name is already in use");
      expect(json.errors).toEqual(nameTaken);
    }
  });

  it("dryRun: answers like the real call and stores nothing", async () => {
    const { status, json } = await create({ ...minimal, dryRun: true });
    expect(status).toBe(201);
    expect(json.data).toMatchObject({ ...minimal, version: 1 });
    expect((await read("Checkout paid")).status).toBe(404);
  });
});

describe("qualifying events that were created", () => {
  it("are listed, newest first: `Qualifying events listed successfully.`", async () => {
    for (const name of ["first", "second", "third"]) await create({ ...minimal, name });
    const { status, json } = await service.call<QualifyingEvent[]>({ path: `${path}?limit=2` });
    expect(status).toBe(200);
    expect(json.message).toBe("Qualifying events listed successfully.");
    expect(json.data.map(({ name }) => name)).toEqual(["third", "second"]);
    expect(json.pagination).toMatchObject({ totalItems: 3, nextPage: `${path}?page=2&limit=2` });
  });

  it("are read: `Qualifying event read successfully.`", async () => {
    const { json: created } = await create(minimal);
    const { status, json } = await read("Checkout paid");
    expect(status).toBe(200);
    expect(json).toEqual({ message: "Qualifying event read successfully.", data: created.data });
  });

  it("are deleted: `Qualifying event deleted successfully.`, and then not found", async () => {
    await create(minimal);
    const one = { path: pathOf("Checkout paid") };
    const { status, json } = await service.call({ method: "DELETE", ...one });
    expect(status).toBe(200);
    expect(json).toEqual({ message: "Qualifying event deleted successfully." });
    for (const method of ["GET", "DELETE"] as const) {
      const { json } = await service.call({ method, ...one });
      expect(json).toEqual({ status: 404, message: "Qualifying event not found.", errors: [] });
    }
  });
});
