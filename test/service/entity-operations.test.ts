import { describe, expect, it } from "vitest";
import type { QualifyingEvent } from "../../src/contract/qualifying-event.js";
import { EntityOperations } from "../../src/service/entity-operations.js";
import {
  createNamed,
  qualifyingEventType,
  replaceQualifyingEvent,
} from "../../src/service/qualifying-events.js";
import type { EntityRecord, EntityStore } from "../../src/storage/store.js";
import { modelStore } from "../storage/model-store.js";
import { callerKey, stamp } from "../support/stamp.js";

const body = { sql: "select 1", timestampColumn: "time", idTypeMapping: [] };
const facts = { caller: callerKey, requestID: "r", ifMatch: undefined };
const key = { kind: "qualifying_event", id: "Purchase" } as const;

function start() {
  const { entities } = modelStore();
  const tags = async () => (await entities.get(key))?.body["tags"];
  return { entities, tags, operations: new EntityOperations(entities, () => stamp.time) };
}

function upsert(operations: EntityOperations, tag: string, ifMatch?: readonly string[]) {
  return operations.upsert(
    qualifyingEventType,
    "Purchase",
    { ...facts, ifMatch },
    {
      create: (made) => createNamed("Purchase", { ...body, tags: [tag] }, made),
      change: (current) => addTag(current, tag),
    },
  );
}

function addTag(current: QualifyingEvent, tag: string): QualifyingEvent {
  return replaceQualifyingEvent(current, { ...body, tags: [...current.tags, tag] });
}

/** Writes as another process does. */
function writeForeign(entities: EntityStore, version: number, tags: string[]) {
  const entity = { ...createNamed("Purchase", { ...body, tags }, stamp), version };
  const { name, createdTime } = entity;
  const record: EntityRecord = { ...key, name, version, createdTime, body: entity, references: [] };
  return entities.write(key, () => record);
}

describe("upsert", () => {
  it("creates a new entity, then changes it", async () => {
    const { operations, tags } = start();
    expect(await upsert(operations, "a")).toMatchObject({ version: 1 });
    expect(await upsert(operations, "b")).toMatchObject({ version: 2 });
    expect(await tags()).toEqual(["a", "b"]);
  });

  it("loses none of 50 parallel calls: one creates, the others change", async () => {
    const { operations, tags } = start();
    const names = Array.from({ length: 50 }, (_, index) => `tag-${index}`);
    const answers = await Promise.all(names.map((name) => upsert(operations, name)));
    expect(answers.map(({ version }) => version)).toEqual(names.map((_, index) => index + 1));
    expect(await tags()).toEqual(names);
  });

  it("does not create if If-Match asks for a version", async () => {
    const { operations, tags } = start();
    await expect(upsert(operations, "a", ["1"])).rejects.toMatchObject({ status: 412 });
    expect(await tags()).toBeUndefined();
  });
});

describe("a change with a check that takes time", () => {
  const change = (operations: EntityOperations, tag: string, check: () => Promise<void>) =>
    operations.change(qualifyingEventType, "Purchase", facts, (old) => addTag(old, tag), { check });

  it("is made and checked again on what another process stored meanwhile", async () => {
    const { entities, operations, tags } = start();
    await upsert(operations, "first");
    let checks = 0;
    const answer = await change(operations, "ours", async () => {
      checks += 1;
      if (checks === 1) await writeForeign(entities, 2, ["theirs"]);
    });
    expect(answer.version).toBe(3);
    expect([checks, await tags()]).toEqual([2, ["theirs", "ours"]]);
  });

  it("notices that another process removed the entity and created it again", async () => {
    const { entities, operations, tags } = start();
    await upsert(operations, "first");
    let checks = 0;
    await change(operations, "ours", async () => {
      checks += 1;
      if (checks > 1) return;
      const old = await entities.get(key);
      await entities.write(key, () => undefined);
      await writeForeign(entities, 1, ["theirs"]);
      await entities.write(
        key,
        (record) =>
          record && {
            ...record,
            body: { ...record.body, createdTime: (old?.createdTime ?? 0) + 1 },
          },
      );
    });
    expect([checks, await tags()]).toEqual([2, ["theirs", "ours"]]);
  });

  it("is a 404 if the entity is removed meanwhile", async () => {
    const { entities, operations } = start();
    await upsert(operations, "first");
    const removed = change(operations, "ours", async () => {
      await entities.write(key, () => undefined);
    });
    await expect(removed).rejects.toMatchObject({ status: 404 });
  });

  it("loses none of 20 parallel calls", async () => {
    const { operations, tags } = start();
    await upsert(operations, "first");
    const names = Array.from({ length: 20 }, (_, index) => `tag-${index}`);
    await Promise.all(names.map((name) => change(operations, name, async () => {})));
    expect(new Set((await tags()) as string[])).toEqual(new Set(["first", ...names]));
  });

  it("stores nothing if the check throws", async () => {
    const { operations, tags } = start();
    await upsert(operations, "first");
    const refused = change(operations, "ours", () => Promise.reject(new Error("no")));
    await expect(refused).rejects.toThrow("no");
    expect(await tags()).toEqual(["first"]);
  });

  it("fails with a 409 if another process keeps changing the entity", async () => {
    const { entities, operations } = start();
    await upsert(operations, "first");
    let version = 1;
    const beaten = change(operations, "ours", async () => {
      version += 1;
      await writeForeign(entities, version, ["theirs"]);
    });
    await expect(beaten).rejects.toMatchObject({ status: 409 });
  });
});
