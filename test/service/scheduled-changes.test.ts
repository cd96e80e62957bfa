import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import type { AnyHandlers } from "../../src/http/handler.js";
import { keyRecord, type NewKeyFacts, newKeyText } from "../../src/http/key-text.js";
import { EntityOperations } from "../../src/service/entity-operations.js";
import { gateHandlers } from "../../src/service/gates.js";
import { ScheduledChanges } from "../../src/service/scheduled-changes.js";
import { startTestService, type TestService } from "../support/service.js";
import { countedIdentifiers } from "../support/stamp.js";

const root = "/console/v1/scheduled_changes";
const gates = "/console/v1/gates";
const NOW = Date.UTC(2026, 0, 15, 12);
const LATER = NOW + 60_000;

let service: TestService;
let now: number;
let failed: unknown[];
let changes: ScheduledChanges;

beforeEach(async () => {
  now = NOW;
  failed = [];
  // Its own timer never finds a change that is due.
  service = await startTestService({
    now: () => NOW,
    currentTime: () => NOW,
    newIdentifier: countedIdentifiers(),
  });
  const { entities, keys } = service.store;
  const operations = new EntityOperations(entities, () => now);
  const newIdentifier = countedIdentifiers();
  changes = new ScheduledChanges({
    entities,
    keys,
    operations,
    newIdentifier,
    handlers: gateHandlers(operations, newIdentifier) as unknown as AnyHandlers,
    now: () => now,
    onFailed: (error) => failed.push(error),
  });
  await call("POST", gates, { name: "a_gate" });
});

afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown, key?: string) {
  const { json, status } = await service.call<AnyObject>({
    method: method as "GET",
    path,
    ...(key === undefined ? {} : { key }),
    ...(body === undefined ? {} : { body }),
  });
  return { ...json, status };
}

async function newKey(facts: Partial<NewKeyFacts>): Promise<{ key: string; id: string }> {
  const key = newKeyText("console");
  const record = keyRecord(key, { kind: "console", createdTime: NOW, ...facts });
  await service.store.keys.insert(record);
  return { key, id: record.id };
}

async function schedule(change: object, key?: string, scheduledTime: unknown = LATER) {
  const body = { entityType: "gate", entityID: "a_gate", change, scheduledTime };
  const answer = await call("POST", root, body, key);
  return { ...answer, path: `${root}/${answer.data?.["id"]}` };
}

const gate = async () => (await call("GET", `${gates}/a_gate`)).data ?? {};

describe("a scheduled change", () => {
  it("is made at its time, not before, once, by the key that scheduled it", async () => {
    const ci = await newKey({ name: "CI" });
    const { path, data, status } = await schedule({ isEnabled: false, tags: ["q3"] }, ci.key);
    expect(status).toBe(201);
    expect(data).toMatchObject({ status: "pending", error: null, creatorName: "CI" });
    now = LATER - 1;
    await changes.check();
    expect(await gate()).toMatchObject({ isEnabled: true, version: 1 });
    now = LATER;
    await changes.check();
    await changes.check();
    const changed = { isEnabled: false, tags: ["q3"], version: 2, lastModifierName: "CI" };
    expect(await gate()).toMatchObject({ ...changed, lastModifiedTime: LATER });
    expect((await call("GET", path)).data).toMatchObject({ status: "applied", error: null });
    expect((await call("GET", `${root}?status=pending`)).data).toEqual([]);
    const { data: entries } = await call("GET", "/console/v1/audit_logs?entityType=gate&limit=1");
    expect(entries).toMatchObject([
      { requestID: `scheduled_change/${data?.["id"]}`, updatedBy: "CI" },
    ]);
    expect(failed).toEqual([]);
  });

  it("that was made but not ended before a crash is only ended", async () => {
    const { path, data } = await schedule({ description: "scheduled" });
    now = LATER;
    const { entities } = service.store;
    const write = entities.write.bind(entities);
    entities.write = (key, ...rest) =>
      key.kind === "scheduled_change" ? Promise.reject(new Error("killed")) : write(key, ...rest);
    await changes.check();
    expect(failed).toMatchObject([{ message: "killed" }]);
    entities.write = write;
    await call("PATCH", `${gates}/a_gate`, { description: "by hand" });
    await changes.check();
    expect(await gate()).toMatchObject({ description: "by hand", version: 3 });
    expect((await call("GET", path)).data).toMatchObject({
      ...data,
      status: "applied",
      version: 2,
      lastModifiedTime: LATER,
    });
  });

  it("with the id of an earlier one that was removed is made", async () => {
    const body = { id: "end_of_sale", entityType: "gate", entityID: "a_gate" };
    for (const [index, description] of ["first", "second"].entries()) {
      const scheduledTime = LATER + index;
      await call("POST", root, { ...body, change: { description }, scheduledTime });
      now = scheduledTime;
      await changes.check();
      expect(await gate()).toMatchObject({ description });
      await call("DELETE", `${root}/end_of_sale`);
    }
    expect(failed).toEqual([]);
  });

  it("is not made to another entity that has the id of a removed one", async () => {
    const { path } = await schedule({ description: "of the removed one" });
    await call("DELETE", `${gates}/a_gate`);
    await call("POST", gates, { name: "a_gate" });
    now = LATER;
    await changes.check();
    expect((await gate())["description"]).toBe("");
    expect((await call("GET", path)).data).toMatchObject({
      status: "failed",
      error: "The gate a_gate was removed, and created again later.",
    });
  });

  it("that is cancelled is not made", async () => {
    const { path } = await schedule({ isEnabled: false });
    expect((await call("DELETE", path)).status).toBe(200);
    expect((await call("DELETE", path)).status).toBe(404);
    now = LATER;
    await changes.check();
    expect(await gate()).toMatchObject({ isEnabled: true });
  });

  it("that is cancelled while earlier ones are made is not made", async () => {
    await schedule({ description: "first" }, undefined, LATER);
    const { path } = await schedule({ isEnabled: false }, undefined, LATER + 1);
    now = LATER + 10;
    const { entities } = service.store;
    const write = entities.write.bind(entities);
    entities.write = async (key, ...rest) => {
      if (key.kind === "gate") {
        entities.write = write;
        expect((await call("DELETE", path)).status).toBe(200);
      }
      return write(key, ...rest);
    };
    await changes.check();
    expect(await gate()).toMatchObject({ description: "first", isEnabled: true, version: 2 });
    expect(failed).toEqual([]);
  });

  it("answers the warnings of its change", async () => {
    const { json } = await service.call({
      method: "POST",
      path: root,
      body: {
        entityType: "gate",
        entityID: "a_gate",
        change: { rules: [ruleOf("missing")] },
        scheduledTime: LATER,
      },
    });
    expect(json).toMatchObject({ warnings: [{ property: expect.stringContaining("rules[0]") }] });
  });

  it("comes after those that are due before it", async () => {
    await schedule({ description: "second" }, undefined, LATER + 1);
    await schedule({ description: "first" }, undefined, LATER);
    now = LATER + 10;
    await changes.check();
    expect(await gate()).toMatchObject({ description: "second", version: 3 });
  });

  it.each<[string, Partial<NewKeyFacts>, (id: string) => Promise<unknown>, string]>([
    ["whose key was revoked", {}, (id) => service.store.keys.revoke(id, NOW), "was revoked"],
    ["whose key expired", { expiresTime: LATER }, async () => undefined, "expired"],
    ["of a gate that was removed", {}, () => call("DELETE", `${gates}/a_gate`), "Gate not found."],
    [
      "that is refused by now",
      {},
      () => call("PATCH", `${gates}/other`, { rules: [ruleOf("a_gate")] }),
      "cycle",
    ],
  ])("%s fails with the reason, once", async (_, facts, spoil, reason) => {
    const { key, id } = await newKey(facts);
    await call("POST", gates, { name: "other" });
    const { path } = await schedule({ rules: [ruleOf("other")] }, key);
    await spoil(id);
    now = LATER;
    await changes.check();
    await changes.check();
    expect((await call("GET", path)).data).toMatchObject({
      status: "failed",
      error: expect.stringContaining(reason),
      version: 2,
    });
    expect(failed).toEqual([]);
  });
});

function ruleOf(gateID: string) {
  return {
    name: "nested",
    passPercentage: 100,
    conditions: [{ type: "passes_gate", targetValue: [gateID] }],
  };
}

describe("POST /console/v1/scheduled_changes", () => {
  it.each([
    [{ rules: "none" }, LATER, "change.rules"],
    [{ isEnabled: true }, NOW, "scheduledTime"],
    [{ isEnabled: true }, "soon", "scheduledTime"],
    ["text", LATER, "change"],
    [{}, LATER, "change"],
  ])("refuses %j at %j", async (change, time, property) => {
    const { status, errors } = await schedule(change as object, undefined, time);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
  });

  it("refuses a change of what does not exist, or of a kind that has none", async () => {
    const body = { entityID: "none", change: { description: "x" }, scheduledTime: LATER };
    expect((await call("POST", root, { ...body, entityType: "gate" })).status).toBe(404);
    expect((await call("POST", root, { ...body, entityType: "prompt" })).status).toBe(400);
  });

  it("needs a key that may write the entity", async () => {
    const { key } = await newKey({ scopes: ["scheduled_changes:write", "segments:write"] });
    const { status, message } = await schedule({ isEnabled: false }, key);
    expect([status, message]).toEqual([403, "The change needs a key with the scope gates:write."]);
    const other = await newKey({ scopes: ["scheduled_changes:write", "gates:write"] });
    expect((await schedule({ isEnabled: false }, other.key)).status).toBe(201);
  });
});
