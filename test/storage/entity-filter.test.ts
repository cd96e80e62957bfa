import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { builtFile } from "../../src/base/package-files.js";
import type { AnyObject } from "../../src/contract/fields.js";
import type { ListFilter } from "../../src/contract/list-query.js";
import { consoleFile } from "../../src/storage/data-files.js";
import { checkDatabase } from "../../src/storage/open-database.js";
import { openSqliteStore } from "../../src/storage/sqlite-store.js";
import { LIST_ROWS_PER_TURN_MAX } from "../../src/storage/storage-limits.js";
import type { EntityStore, Store } from "../../src/storage/store.js";
import { StoreThread } from "../../src/storage/store-thread.js";
import { propertyRuns } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { modelStore } from "./model-store.js";
import { everything, FIRST_TIME, gate, withoutEvents } from "./records.js";

const workerEntry = builtFile("store-worker.js");

const tags = ["a", "A", "a,b", "nul\0x", "nul\0y", "␀", '"', "\ud800"];
const texts = [
  "Check out",
  "check",
  'say "hi" AND',
  "*",
  "İSTANBUL",
  "naïve",
  "😀😀x",
  "a\nb",
  "ab",
];
const searches = [...texts, "ck", "c", "che", "out\n", '"hi', "AND", "😀😀", "zz", "i̇st", "", "\n"];

const body = fc.record({
  name: fc.constantFrom(...texts),
  description: fc.constantFrom(...texts, undefined),
  tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
  type: fc.constantFrom("Permanent", "TEMPORARY"),
  status: fc.constantFrom("active", "Archived", undefined),
  isArchived: fc.constantFrom(true, undefined),
  targetApps: fc.constantFrom("web", ["web", "ios"], undefined),
});

const write = fc.record({
  kind: fc.constantFrom("gate", "segment"),
  id: fc.constantFrom("p", "q", "r", "s", "t"),
  time: fc.integer({ min: FIRST_TIME, max: FIRST_TIME + 2 }),
  body: fc.option(body, { freq: 6 }),
});
type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never;

const values = fc.record(
  {
    tags: fc.array(fc.constantFrom(...tags, "none"), { maxLength: 3 }),
    type: fc.constantFrom(["permanent"], ["permanent", "temporary"], ["other"]),
    status: fc.constantFrom(["active"], ["archived"]),
    targetAppID: fc.constantFrom(["web"], ["ios", "web"]),
  },
  { requiredKeys: [] },
);

const filter: fc.Arbitrary<ListFilter> = fc.record({
  archived: fc.boolean(),
  values: values as fc.Arbitrary<ListFilter["values"]>,
  search: fc.constantFrom(...searches, "", "").map((text) => text.toLowerCase()),
});

function perform(entities: EntityStore, { kind, id, time, body }: Write) {
  const key = { kind, id } as const;
  return entities.write(key, (current) => {
    if (body === null) return undefined;
    const name = `Name of ${id}`;
    const version = (current?.version ?? 0) + 1;
    // What JSON does not hold is no part of a body.
    const plain = JSON.parse(JSON.stringify({ ...body, id })) as AnyObject;
    return { ...key, name, version, createdTime: time, body: plain, references: [] };
  });
}

const slice = fc.record({ start: fc.nat(2), count: fc.integer({ min: 1, max: 9 }) });

it("lists what a look at every entity finds, for any filter after any writes", async () => {
  const directory = scratchDirectory("entity-filter");
  const path = join(directory, consoleFile.name);
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { minLength: 1, maxLength: 25 }),
      fc.array(fc.tuple(filter, slice), { minLength: 5, maxLength: 15 }),
      async (writes, queries) => {
        const store = await openSqliteStore(directory, withoutEvents);
        const model = modelStore();
        await forget(store);
        for (const wanted of writes) await perform(model.entities, wanted);
        await Promise.all(writes.map((wanted) => perform(store.entities, wanted)));
        for (const [wanted, part] of queries) {
          for (const kind of ["gate", "segment"] as const) {
            const expected = await model.entities.list(kind, part, wanted);
            expect(await store.entities.list(kind, part, wanted)).toEqual(expected);
          }
        }
        await store.close();
        expect(checkDatabase(path, consoleFile.schema)).toEqual([]);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

async function forget({ entities }: Store) {
  for (const kind of ["gate", "segment"] as const) {
    for (const key of (await entities.list(kind, everything)).items) {
      await entities.write(key, () => undefined);
    }
  }
}

/** More gates than a page reads while other work waits. */
async function fill({ entities }: Store) {
  await Promise.all(
    Array.from({ length: LIST_ROWS_PER_TURN_MAX + 50 }, (_, index) => {
      const record = gate(`g${index}`, { createdTime: FIRST_TIME + (index % 97) });
      const tags = [`t${index % 2}`, `u${index % 3}`];
      const body = { id: record.id, name: record.name, status: "active", tags };
      return entities.write(record, () => ({ ...record, body }));
    }),
  );
}

const longFilters: readonly ListFilter[] = [
  { archived: false, values: { tags: ["t0", "t1"] }, search: "" },
  { archived: false, values: { status: ["active"] }, search: "7" },
  { archived: true, values: {}, search: "name of" },
];

it("reads long lists in a thread, with the same results", async () => {
  const store = await openSqliteStore(scratchDirectory("long-lists"), withoutEvents, {
    workerEntry,
  });
  const model = modelStore();
  await Promise.all([fill(store), fill(model)]);
  for (const filter of longFilters) {
    const expected = await model.entities.list("gate", { start: 3, count: 20 }, filter);
    expect(expected.items).toHaveLength(20);
    expect(await store.entities.list("gate", { start: 3, count: 20 }, filter)).toEqual(expected);
  }
  await store.close();
});

it("starts the thread for long lists only", async () => {
  const entry = new URL("file:///nowhere/reader.js");
  const store = await openSqliteStore(scratchDirectory("short-lists"), withoutEvents, {
    workerEntry: entry,
  });
  await fill(store);
  const short = { archived: false, values: { tags: ["u1"], status: ["active"] }, search: "" };
  const few = { start: 0, count: 100 };
  expect((await store.entities.list("gate", few, short)).items).toHaveLength(100);
  await expect(store.entities.list("gate", everything, short)).rejects.toThrow("died");
  for (const filter of longFilters) {
    const listed = store.entities.list("gate", few, filter);
    await expect(listed).rejects.toThrow("the thread of long reads and writes died");
  }
  await store.close();
});

it("reports why the thread cannot read", async () => {
  const path = join(scratchDirectory("no-database"), consoleFile.name, "below");
  const reader = new StoreThread(workerEntry, path);
  const [filter] = longFilters;
  const listed = reader.filtered("gate", everything, filter as ListFilter);
  await expect(listed).rejects.toMatchObject({ code: "database_unwritable" });
  await reader.close();
});
