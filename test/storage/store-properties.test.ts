import fc from "fast-check";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../src/storage/sqlite-store.js";
import type { EntityKey } from "../../src/storage/store.js";
import { modelStore } from "./model-store.js";
import { everything, FIRST_TIME, gate, withoutEvents } from "./records.js";
import { type VersionedStore, versioned } from "./versioned-writes.js";

const kinds = ["gate", "segment"] as const;
const ids = ["a", "B", "﷐", "😀"];
const keys: readonly EntityKey[] = kinds.flatMap((kind) => ids.map((id) => ({ kind, id })));

const options = fc.record({
  rehearse: fc.boolean(),
  unreferenced: fc.boolean(),
  /** Difference between the version of the condition and the stored one. */
  isCurrent: fc.integer({ min: 0, max: 5 }).map((digit) => digit > 0),
});

const write = fc.record({
  act: fc.constantFrom("insert", "insert", "replace", "replace", "replace", "remove"),
  key: fc.constantFrom(...keys),
  name: fc.constantFrom("Name", "name", "Other", "😀"),
  createdTime: fc.integer({ min: FIRST_TIME, max: FIRST_TIME + 2 }),
  references: fc.array(fc.constantFrom(...keys), { maxLength: 3 }),
  options,
});
type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never;

/** Writes that are made at once, and the part of the lists that is looked at after them. */
const burst = fc.record({
  writes: fc.array(write, { minLength: 1, maxLength: 5 }),
  slice: fc.record({ start: fc.nat(4), count: fc.integer({ min: 1, max: 3 }) }),
});

/** Does a write; `version` is the version that was stored before the burst. */
function perform({ entities }: VersionedStore, wanted: Write, version: number, mark: number) {
  const { act, key, name, createdTime, references } = wanted;
  const { isCurrent, ...conditions } = wanted.options;
  const condition = { ...conditions, version: isCurrent ? version : version + 1 };
  const record = { ...gate(key.id), ...key, name, createdTime, references, body: { mark } };
  switch (act) {
    case "insert":
      return entities.insert(record, condition);
    case "remove":
      return entities.remove(key, condition);
    default:
      return entities.replace({ ...record, version: condition.version + 1 }, condition);
  }
}

async function look({ entities }: VersionedStore, slice: { start: number; count: number }) {
  const perKey = keys.map(async (key) => [
    await entities.get(key),
    await entities.versions(key, everything),
    await entities.versions(key, slice),
    await entities.referrers(key, everything),
    await entities.referrers(key, slice),
  ]);
  const perKind = kinds.map((kind) => [
    entities.list(kind, everything),
    entities.list(kind, slice),
  ]);
  return Promise.all([...perKey, ...perKind.flat()]);
}

it("SQLite behaves like a store in maps, in any order of writes", async () => {
  const outcomes = new Map<unknown, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 12 }), async (bursts) => {
      const model = versioned(modelStore());
      const store = versioned(await openSqliteStore(":memory:", withoutEvents));
      let mark = 0;
      for (const { writes, slice } of bursts) {
        const versions = await Promise.all(writes.map(({ key }) => model.entities.get(key)));
        const versionOf = (index: number) => versions[index]?.version ?? 1;
        const expected = [];
        for (const [index, wanted] of writes.entries()) {
          expected.push(await perform(model, wanted, versionOf(index), mark + index));
        }
        const received = await Promise.all(
          writes.map((wanted, index) => perform(store, wanted, versionOf(index), mark + index)),
        );
        mark += writes.length;
        expect(received).toEqual(expected);
        expect(await look(store, slice)).toEqual(await look(model, slice));
        for (const outcome of received) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      await store.close();
    }),
    { numRuns: 150 },
  );
  // All that can happen did: the writes are not refused for one reason alone.
  expect([...outcomes.keys()].map(String).toSorted()).toEqual(
    [
      "inserted",
      "id_taken",
      "name_taken",
      "replaced",
      "stale",
      "referenced",
      "true",
      "false",
    ].toSorted(),
  );
});
