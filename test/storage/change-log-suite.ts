import fc from "fast-check";
import { expect, it } from "vitest";
import type { AuditFilter, EntityRecord } from "../../src/storage/store.js";
import { propertyRuns } from "../support/property-runs.js";
import { everything, gate, next } from "./records.js";
import type { Stores } from "./store-suite.js";
import type { VersionedEntities } from "./versioned-writes.js";

const kinds = ["gate", "segment"] as const;
const ids = ["a", "b\0", "😀"];

const write = fc.record({
  act: fc.constantFrom("insert", "replace", "replace", "list", "remove"),
  kind: fc.constantFrom(...kinds),
  id: fc.constantFrom(...ids),
  name: fc.constantFrom("One", "Two", "Three", "Four"),
  isRehearsed: fc.boolean(),
});

/** Entities and versions that the log names, each change laid over those before it. */
async function fromLog(entities: VersionedEntities, pageSize: number) {
  const versions = new Map<string, number>();
  const times: number[] = [];
  for (let sequence = 0; ; ) {
    const page = await entities.changesAfter(sequence, pageSize);
    for (const { kind, id, version, time } of page) {
      times.push(time);
      if (version === null) versions.delete(`${kind} ${id}`);
      else versions.set(`${kind} ${id}`, version);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    expect(last.sequence).toBeGreaterThan(sequence);
    sequence = last.sequence;
  }
  return { versions, times };
}

async function stored(entities: VersionedEntities) {
  const versions = new Map<string, number>();
  for (const kind of kinds) {
    for (const { id, version } of (await entities.list(kind, everything)).items) {
      versions.set(`${kind} ${id}`, version);
    }
  }
  return versions;
}

export function changeLogSuite({ open }: Stores): void {
  it("is empty at first", async () => {
    const { entities } = await open();
    expect(entities.latestChange()).toEqual({ sequence: 0, time: 0 });
    expect(await entities.changesAfter(0, 10)).toEqual([]);
  });

  it("has a change for each write, in order, with its time", async () => {
    let time = 1_000;
    const { entities } = await open(undefined, () => time);
    const record = gate("a\0");
    await entities.insert(record);
    time = 2_000;
    await entities.replace(next(record), { version: 1 });
    const list = { how: "add", ids: ["u"] } as const;
    await entities.replace(next(next(record)), { version: 2, list });
    await entities.remove(record, { version: 3 });
    const of = { kind: "gate", id: "a\0" };
    const changes = [
      { ...of, sequence: 1, time: 1_000, version: 1 },
      { ...of, sequence: 2, time: 2_000, version: 2 },
      { ...of, sequence: 3, time: 2_001, version: 3 },
      { ...of, sequence: 4, time: 2_002, version: null },
    ];
    expect(await entities.changesAfter(0, 10)).toEqual(changes);
    expect(await entities.changesAfter(1, 2)).toEqual(changes.slice(1, 3));
    expect(await entities.changesAfter(4, 2)).toEqual([]);
    expect(entities.latestChange()).toEqual({ sequence: 4, time: 2_002 });
  });

  it("has later times even if the clock is set back", async () => {
    let time = 5_000;
    const { entities } = await open(undefined, () => time);
    await entities.insert(gate("a"));
    time = 10;
    await Promise.all(["b", "c"].map((id) => entities.insert(gate(id))));
    const times = (await entities.changesAfter(0, 10)).map((change) => change.time);
    expect(times).toEqual([5_000, 5_001, 5_002]);
  });

  it("has no change of a write that was rehearsed, refused or without effect", async () => {
    const { entities } = await open();
    await entities.insert(gate("a"));
    await entities.insert(gate("b", { references: [{ kind: "gate", id: "a" }] }));
    const before = entities.latestChange();
    const rehearse = true;
    await entities.insert(gate("c"), { rehearse });
    await entities.replace(next(gate("a")), { version: 1, rehearse });
    await entities.remove(gate("b"), { version: 1, rehearse });
    await entities.insert(gate("a"));
    await entities.replace(next(gate("a")), { version: 7 });
    await entities.replace(next(gate("a")), { version: 1, unreferenced: true });
    await entities.insert(gate("c", { name: "Name of a" }));
    await entities.write(gate("none"), () => undefined);
    expect(entities.latestChange()).toEqual(before);
    expect(await entities.changesAfter(before.sequence, 10)).toEqual([]);
  });

  it("keeps who made a write, from which version, and what a removal removed", async () => {
    const { entities } = await open(undefined, () => 1_000);
    const author = { keyID: "key_1", keyName: "CI \0 \ud800", requestID: "r/1" };
    const record = gate("a\0");
    await entities.insert(record, { author });
    await entities.replace(next(record), { version: 1 });
    await entities.remove(record, { version: 2, author });
    await entities.insert(gate("b"), { author: { ...author, keyID: "key_2", keyName: "Other" } });
    const log = async (filter: AuditFilter = {}, slice = everything) =>
      (await entities.auditLog(filter, slice)).items.map(({ sequence }) => sequence);
    const { items, totalItems } = await entities.auditLog({}, { start: 1, count: 2 });
    expect(totalItems).toBe(4);
    const common = { kind: "gate", id: "a\0", removed: null };
    expect(items).toEqual([
      { ...common, sequence: 3, time: 1_002, version: null, fromVersion: 2, author },
      { ...common, sequence: 2, time: 1_001, version: 2, fromVersion: 1, author: null },
    ]);
    expect(await entities.auditRecord(3)).toMatchObject({ removed: next(record).body });
    expect(await entities.auditRecord(1)).toMatchObject({ fromVersion: null, removed: null });
    expect(await entities.auditRecord(5)).toBeUndefined();
    expect(await log({ id: "a\0" })).toEqual([3, 2, 1]);
    expect(await log({ authors: ["key_1"] })).toEqual([3, 1]);
    expect(await log({ authors: ["CI \0 \ud800", "key_2"] })).toEqual([4, 3, 1]);
    expect(await log({ actions: ["create", "delete"] })).toEqual([4, 3, 1]);
    expect(await log({ actions: ["update"], kinds: ["gate"] })).toEqual([2]);
    expect(await log({ kinds: ["segment"] })).toEqual([]);
    expect(await log({ kinds: [] })).toEqual([]);
    expect(await log({ requestID: "r/1", from: 1_001, to: 1_003 })).toEqual([3]);
  });

  it("keeps the position of each follower", async () => {
    const { entities } = await open();
    expect(entities.followerPosition("a")).toBeUndefined();
    await entities.moveFollower("a", 3);
    await entities.moveFollower("b", 0);
    await entities.moveFollower("a", 7);
    expect([entities.followerPosition("a"), entities.followerPosition("b")]).toEqual([7, 0]);
  });

  it("leads from nothing to what is stored, after any writes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        async (writes, pageSize) => {
          const { entities } = await open();
          await Promise.all(writes.map((wanted) => perform(entities, wanted)));
          const { versions, times } = await fromLog(entities, pageSize);
          expect(versions).toEqual(await stored(entities));
          expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
}

type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never;

async function perform(entities: VersionedEntities, { act, kind, id, name, isRehearsed }: Write) {
  const change = (current: EntityRecord | undefined): EntityRecord | undefined => {
    if (act === "remove") return undefined;
    if (current === undefined) return act === "insert" ? gate(id, { kind, name }) : undefined;
    return act === "insert" ? current : next(current, act === "replace" ? { name } : {});
  };
  const refusal = new Error("exists");
  const options = {
    rehearse: isRehearsed,
    ...(act === "list" ? { list: { how: "add", ids: [name] } as const } : {}),
  };
  const write = entities.write(
    { kind, id },
    (current) => {
      if (act === "insert" && current !== undefined) throw refusal;
      return change(current);
    },
    options,
  );
  await write.catch((error: unknown) => {
    if (error !== refusal) throw error;
  });
}
