import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import type { Gate } from "../../src/contract/gate.js";
import { refusal } from "../support/refusal.js";
import { startTestService, type TestCall, type TestService } from "../support/service.js";

const path = "/console/v1/gates";
const one = `${path}/a_gate`;
const rule = { name: "staff", passPercentage: 10, conditions: [] };
const full = { isEnabled: true, description: "", rules: [] };

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const call = (request: TestCall) => service.call<Gate>(request);
const create = (body: object = {}) =>
  call({ method: "POST", path, body: { name: "A Gate", ...body } });
const replace = (body: object) => call({ method: "POST", path: one, body });
const patch = (body: object) => call({ method: "PATCH", path: one, body });
const put = (action: string, body?: object) =>
  call({ method: "PUT", path: `${one}/${action}`, body });
const read = async () => (await call({ path: one })).json.data;

/** Removes the fields that every update changes. */
const withoutStamp = ({ version: _, lastModifiedTime: __, ...rest }: Gate) => rest;

describe("POST /console/v1/gates", () => {
  it("creates: 201, `Gate created successfully.`, version 1", async () => {
    const { status, headers, json } = await create();
    expect(status).toBe(201);
    expect(headers["etag"]).toBe('"1"');
    expect(json.message).toBe("Gate created successfully.");
    expect(json.data).toMatchObject({ id: "a_gate", status: "In Progress", version: 1 });
    expect(await read()).toEqual(json.data);
  });

  it.each<[string, AnyObject]>([
    ["isEnabled: boolean", { isEnabled: false }],
    ["type: PERMANENT or TEMPORARY", { type: "PERMANENT" }],
    ["checksPerHour: integer, as a text too", { checksPerHour: "7" }],
    ["tags: array of string, in their order", { tags: ["b", "a"] }],
    ["targetApps: one, or an array", { targetApps: "web" }],
    ["targetApps: one, or an array", { targetApps: ["web", "ios"] }],
    ["holdoutIDs: array of string", { holdoutIDs: ["h"] }],
    ["team, teamID: string or null", { team: "core", teamID: null }],
    ["creatorID, creatorEmail", { creatorID: "me", creatorEmail: null }],
    [
      "reviewSettings",
      { reviewSettings: { requiredReview: false, allowedReviewers: [{ id: "r" }] } },
    ],
    ["monitoringMetrics: {name, type}", { monitoringMetrics: [{ name: "m", type: "sum" }] }],
    ["measureMetricLifts: boolean", { measureMetricLifts: true }],
    ["releasePipelineID: string or null", { releasePipelineID: "p" }],
    ["description: max 1000", { description: "🙂".repeat(1_000) }],
    ["id: 3 to 100, with dots", { id: "my.gate-1_x" }],
  ])("takes and echoes %s", async (_, body) => {
    expect(await create(body)).toMatchObject({ status: 201, json: { data: body } });
  });

  it.each<[string, AnyObject, string, string | RegExp]>([
    ["name: required", { name: undefined }, "name", "Required"],
    ["name: 3 to 100", { name: "ab" }, "name", "Must be at least 3 characters"],
    ["name: 3 to 100", { name: "a".repeat(101) }, "name", "Must be at most 100 characters"],
    ["name: pattern", { name: "a/b" }, "name", /^Must match/],
    ["id: 3 to 100", { id: "ab" }, "id", "Must be at least 3 characters"],
    ["id: 3 to 100", { id: "a".repeat(101) }, "id", "Must be at most 100 characters"],
    ["id: no blanks", { id: "a b" }, "id", /^Must match/],
    ["description: max 1000", { description: "a".repeat(1_001) }, "description", /at most 1000/],
    ["type: one of two", { type: "LASTING" }, "type", "Expected one of PERMANENT, TEMPORARY"],
    [
      "isEnabled: boolean",
      { isEnabled: "true" },
      "isEnabled",
      /^Expected boolean, received string/,
    ],
    ["checksPerHour: integer", { checksPerHour: "1.5" }, "checksPerHour", /^Expected integer/],
    ["tags: of string", { tags: [1] }, "tags[0]", "Expected string, received number"],
    ["targetApps", { targetApps: [1] }, "targetApps", "Expected string or array of strings"],
    [
      "reviewSettings.requiredReview: true",
      { reviewSettings: { requiredReview: true } },
      "reviewSettings.requiredReview",
      "This service does not hold changes for review: send false, or leave it out",
    ],
    [
      "monitoringMetrics",
      { monitoringMetrics: [{ name: "m" }] },
      "monitoringMetrics[0].type",
      "Required",
    ],
  ])("refuses %s", async (_, body, property, message) => {
    expect(await create(body)).toMatchObject(refusal(property, message));
  });

  it("ignores fields that only the service writes", async () => {
    const body = { version: 9, status: "Launched", typeReason: "x", lastModifierID: "x", other: 1 };
    const { data } = (await create(body)).json;
    expect(data).toMatchObject({ version: 1, status: "In Progress", typeReason: "NONE" });
    expect(data.lastModifierID).not.toBe("x");
    expect(data).not.toHaveProperty("other");
  });

  it("refuses a name or id in use, also of an archived gate, until it is deleted", async () => {
    await create();
    await put("archive");
    const inUse = "Name is already in use";
    expect(await create()).toMatchObject(refusal("name", inUse));
    expect(await create({ id: "another" })).toMatchObject(refusal("name", inUse));
    expect(await create({ name: "Another", id: "a_gate" })).toMatchObject(refusal("id", inUse));
    await call({ method: "DELETE", path: one });
    expect(await create()).toMatchObject({ status: 201, json: { data: { version: 1 } } });
    const { json } = await service.call<Gate[]>({ path: `${one}/versions` });
    expect(json.data.map(({ version }) => version)).toEqual([1]);
  });
});

describe("POST /console/v1/gates/{id}", () => {
  it("requires isEnabled, description and rules", async () => {
    await create();
    const { status, json } = await replace({});
    expect(status).toBe(400);
    expect(json.errors.map(({ property }) => property).sort()).toEqual([
      "description",
      "isEnabled",
      "rules",
    ]);
  });

  it("resets absent fields to defaults, except the name, the ID type and the creator", async () => {
    const kept = { idType: "stableID", checksPerHour: 7, holdoutIDs: ["h"], creatorID: "me" };
    await create({ ...kept, tags: ["a"], type: "PERMANENT", team: "core", targetApps: ["web"] });
    const { status, json } = await replace({ ...full, id: "ignored" });
    expect({ status, message: json.message }).toEqual({
      status: 200,
      message: "Gate updated successfully.",
    });
    expect(json.data).toMatchObject({ ...kept, id: "a_gate", name: "A Gate", version: 2 });
    expect(json.data).toMatchObject({ tags: [], type: "TEMPORARY", team: null, targetApps: [] });
  });

  it("accepts the whole gate, like PATCH, and changes only the version", async () => {
    const conditions = [{ type: "user_id", operator: null, targetValue: [1, 2] }];
    await create({ rules: [{ ...rule, id: "", passPercentage: "12.50", conditions }] });
    const whole = await read();
    for (const update of [replace, patch]) {
      const { status, json } = await update(whole);
      expect(status).toBe(200);
      expect(withoutStamp(json.data)).toEqual(withoutStamp(whole));
    }
    expect((await read()).version).toBe(3);
  });

  it("sets the status Disabled with isEnabled false, and In Progress with true", async () => {
    await create();
    expect((await replace({ ...full, isEnabled: false })).json.data.status).toBe("Disabled");
    expect((await replace(full)).json.data.status).toBe("In Progress");
  });
});

describe("PUT /console/v1/gates/{id}/…", () => {
  it("disable keeps the status, enable and launch set it", async () => {
    await create();
    const steps = ["launch", "disable", "launch", "enable", "disable"];
    const after = [];
    for (const step of steps) {
      const { status, json } = await put(step);
      expect({ status, message: json.message }).toMatchObject({
        status: 200,
        message: "Gate updated successfully.",
      });
      after.push([json.data.status, json.data.isEnabled, json.data.version]);
    }
    expect(after).toEqual([
      ["Launched", true, 2],
      ["Launched", false, 3],
      ["Launched", false, 4],
      ["In Progress", true, 5],
      ["In Progress", false, 6],
    ]);
  });

  it("archive and unarchive accept an optional body with their reason", async () => {
    await create();
    expect((await put("archive")).json.data).toMatchObject({ status: "Archived", version: 2 });
    expect((await put("unarchive")).json.data).toMatchObject({ status: "In Progress", version: 3 });
    const reason = { forceArchive: true, archiveReason: "done" };
    expect((await put("archive", reason)).json.data.status).toBe("Archived");
    expect((await put("unarchive", { unarchiveReason: "not" })).json.data.version).toBe(5);
    expect(await put("archive", { forceArchive: "yes" })).toMatchObject(
      refusal("forceArchive", "Expected boolean, received string"),
    );
  });

  it("answers 404 `Gate not found.` for a missing gate", async () => {
    for (const action of ["archive", "unarchive", "disable", "enable", "launch"]) {
      expect(await put(action)).toMatchObject({
        status: 404,
        json: { message: "Gate not found." },
      });
    }
  });
});

describe("GET /console/v1/gates/{id}/gate_references", () => {
  const asks = (type: string) => ({
    rules: [{ ...rule, conditions: [{ type, targetValue: "a_gate" }] }],
  });

  it("lists the references to the gate, which is archived only by force", async () => {
    await create();
    const referrers = [
      ["gates", { name: "A Gate 2", ...asks("passes_gate") }],
      ["dynamic_configs", { name: "A Config", ...asks("fails_gate") }],
      ["experiments", { name: "A Trial", targetingGateID: "a_gate" }],
    ] as const;
    for (const [kind, body] of referrers) {
      await call({ method: "POST", path: `/console/v1/${kind}`, body });
    }
    const { json } = await service.call<AnyObject[]>({ path: `${one}/gate_references?limit=2` });
    expect(json.message).toBe("Gates listed successfully.");
    expect(json.data.map(({ id, entityType }) => [id, entityType])).toEqual([
      ["a_trial", "experiment"],
      ["a_config", "dynamic_config"],
    ]);
    expect(json.pagination).toMatchObject({
      totalItems: 3,
      nextPage: `${one}/gate_references?page=2&limit=2`,
      all: `${one}/gate_references`,
    });
    for (const body of [undefined, { forceArchive: false }]) {
      expect(await put("archive", body)).toMatchObject({
        status: 400,
        json: { message: expect.stringContaining("experiment a_trial") },
      });
    }
    expect((await put("archive", { forceArchive: true })).json.data.status).toBe("Archived");
  });
});

describe("If-Match", () => {
  const write = (ifMatch: string) =>
    call({ method: "PATCH", path: one, body: {}, headers: { "if-match": ifMatch } });

  it.each(["*", '"1"', '"7", "1"', '"7","1"'])("%s holds for version 1", async (ifMatch) => {
    await create();
    expect(await write(ifMatch)).toMatchObject({ status: 200, json: { data: { version: 2 } } });
  });

  it.each(['"7"', '"7", "8"', 'W/"1"'])("%s does not: 412", async (ifMatch) => {
    await create();
    expect((await write(ifMatch)).status).toBe(412);
    expect((await read()).version).toBe(1);
  });

  it.each(["1", '"1', '"1",'])("%s is no list of versions: 400", async (ifMatch) => {
    await create();
    expect((await write(ifMatch)).status).toBe(400);
  });
});
