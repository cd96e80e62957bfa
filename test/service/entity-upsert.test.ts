import { describe, expect, it } from "vitest";
import type { QualifyingEvent } from "../../src/contract/qualifying-event.js";
import { EntityOperations } from "../../src/service/entity-operations.js";
import { qualifyingEventType } from "../../src/service/qualifying-event-handlers.js";
import { createNamed, replaceQualifyingEvent } from "../../src/service/qualifying-event-rules.js";
import type { EntityRecord, EntityStore, Store } from "../../src/storage/store.js";
import { callerKey, stamp } from "../support/stamp.js";

const body = { sql: "select 1", timestampColumn: "time", idTypeMapping: [] };
const facts = { caller: callerKey, ifMatch: undefined };

/** One entity at most, and what another process does before each write. */
function storeOf(interfere: (records: Map<string, EntityRecord>, write: number) => void) {
  const records = new Map<string, EntityRecord>();
  let writes = 0;
  const before = () => {
    writes += 1;
    interfere(records, writes);
  };
  const entities: Pick<EntityStore, "get" | "insert" | "replace"> = {
    get: async ({ id }) => records.get(id),
    insert: async (record) => {
      before();
      if (records.has(record.id)) return "id_taken";
      records.set(record.id, record);
      return "inserted";
    },
    replace: async (record, { version }) => {
      before();
      if (records.get(record.id)?.version !== version) return "stale";
      records.set(record.id, record);
      return "replaced";
    },
  };
  return { records, operations: new EntityOperations({ entities } as Store, () => stamp.time) };
}

function upsert(operations: EntityOperations, tag: string, ifMatch?: readonly string[]) {
  return operations.upsert(
    qualifyingEventType,
    "Purchase",
    { ...facts, ifMatch },
    {
      create: (made) => createNamed("Purchase", { ...body, tags: [tag] }, made),
      change: (current) =>
        replaceQualifyingEvent(current, { ...body, tags: [...current.tags, tag] }),
    },
  );
}

function foreign(version: number, tags: string[]): EntityRecord {
  const entity: QualifyingEvent = {
    ...createNamed("Purchase", { ...body, tags }, stamp),
    version,
  };
  const { name, createdTime } = entity;
  const key = { kind: "qualifying_event", id: name } as const;
  return { ...key, name, version, createdTime, body: entity, references: [] };
}

const tagsOf = (records: Map<string, EntityRecord>) => records.get("Purchase")?.body["tags"];

describe("upsert", () => {
  it("creates where there is nothing, then changes", async () => {
    const { operations, records } = storeOf(() => undefined);
    expect(await upsert(operations, "a")).toMatchObject({ version: 1 });
    expect(await upsert(operations, "b")).toMatchObject({ version: 2 });
    expect(tagsOf(records)).toEqual(["a", "b"]);
  });

  it("changes what another process created meanwhile", async () => {
    const { operations, records } = storeOf((all, write) => {
      if (write === 1) all.set("Purchase", foreign(1, ["theirs"]));
    });
    expect(await upsert(operations, "ours")).toMatchObject({ version: 2 });
    expect(tagsOf(records)).toEqual(["theirs", "ours"]);
  });

  it("creates anew what another process deleted meanwhile", async () => {
    const { operations, records } = storeOf((all, write) => {
      if (write === 2) all.clear();
    });
    await upsert(operations, "first");
    expect(await upsert(operations, "second")).toMatchObject({ version: 1 });
    expect(tagsOf(records)).toEqual(["second"]);
  });

  it("gives up with a 409 where another process gets ahead again and again", async () => {
    const { operations } = storeOf((all, write) => {
      all.set("Purchase", foreign(write, ["theirs"]));
    });
    await expect(upsert(operations, "ours")).rejects.toMatchObject({ status: 409 });
  });

  it("loses none of 50 parallel calls: one creates, the others change", async () => {
    const { operations, records } = storeOf(() => undefined);
    const tags = Array.from({ length: 50 }, (_, index) => `tag-${index}`);
    const answers = await Promise.all(tags.map((tag) => upsert(operations, tag)));
    expect(answers.map(({ version }) => version)).toEqual(tags.map((_, index) => index + 1));
    expect(tagsOf(records)).toEqual(tags);
  });

  it("refuses to create where If-Match asks for a version", async () => {
    const { operations, records } = storeOf(() => undefined);
    await expect(upsert(operations, "a", ["1"])).rejects.toMatchObject({ status: 412 });
    expect(records.size).toBe(0);
  });
});
