import { afterEach, beforeEach, expect, it } from "vitest";
import { builtFile } from "../../src/base/package-files.js";
import { openSqliteStore } from "../../src/storage/sqlite-store.js";
import { LISTED_IDS_PER_TURN_MAX } from "../../src/storage/storage-limits.js";
import type { EntityRecord, ListChange, Store, WriteOptions } from "../../src/storage/store.js";
import { scratchDirectory } from "../support/scratch.js";
import { everything, gate, next, withoutEvents } from "./records.js";

const workerEntry = builtFile("store-worker.js");
const key = { kind: "segment", id: "long\0" } as const;
const COUNT = LISTED_IDS_PER_TURN_MAX + 500;
const ids = Array.from({ length: COUNT }, (_, index) => `u${String(index).padStart(5, "0")}\0`);

let directory: string;
let store: Store;
beforeEach(async () => {
  directory = scratchDirectory("long-writes");
  store = await openSqliteStore(directory, withoutEvents, { workerEntry, now: () => 1_000 });
  await store.entities.write(key, () => gate(key.id, key));
});
afterEach(() => store.close());

/** Changes the list, and returns the growth of its number of ids. */
async function changeList(how: ListChange["how"], given: readonly string[], rehearse = false) {
  let growth = Number.NaN;
  const change = (record: EntityRecord | undefined, listChange: number) => {
    growth = listChange;
    return next(record as EntityRecord);
  };
  const options: WriteOptions = { rehearse, list: { how, ids: given } };
  expect(await store.entities.write(key, change, options)).toBe("written");
  return growth;
}

const listed = () => store.entities.listedIDs(key, { start: 0, count: COUNT * 2 });
const versionOf = async () => (await store.entities.get(key))?.version;

it("changes long lists with their entity, like short ones", async () => {
  expect(await changeList("add", ids, true)).toBe(COUNT);
  expect([await versionOf(), await listed()]).toEqual([1, []]);
  expect(await changeList("add", [...ids, ...ids.slice(3)])).toBe(COUNT);
  expect([await versionOf(), await listed()]).toEqual([2, ids]);
  expect(await changeList("remove", ids.slice(1))).toBe(1 - COUNT);
  expect([await versionOf(), await listed()]).toEqual([3, ids.slice(0, 1)]);
  expect(await changeList("replace", ids.slice(2))).toBe(COUNT - 3);
  expect(await changeList("replace", [])).toBe(2 - COUNT);
  expect(await listed()).toEqual([]);
  expect(store.entities.latestChange()).toEqual({ sequence: 5, time: 1_004 });
});

it("removes an entity with a long list", async () => {
  await changeList("add", ids);
  const other = gate("other", { references: [key] });
  await store.entities.write(other, () => other);
  const unreferenced = { unreferenced: true };
  const refused = store.entities.write(key, (record) => record && next(record), unreferenced);
  expect(await refused).toBe("referenced");
  expect(await versionOf()).toBe(2);
  expect(await store.entities.write(key, () => undefined)).toBe("written");
  expect(await store.entities.get(key)).toBeUndefined();
  await store.entities.write(key, () => gate(key.id, key));
  expect(await listed()).toEqual([]);
});

it("stores nothing if the change throws, and writes again after that", async () => {
  const defect = new Error("refused");
  const write = store.entities.write(
    key,
    () => {
      throw defect;
    },
    { list: { how: "add", ids } },
  );
  await expect(write).rejects.toBe(defect);
  expect([await versionOf(), await listed()]).toEqual([1, []]);
  expect(await changeList("add", ids)).toBe(COUNT);
});

it("lets other writes wait, and reads go on", async () => {
  const order: string[] = [];
  const during = (name: string) => (record: EntityRecord | undefined) => {
    order.push(name);
    return record === undefined ? gate(name) : next(record);
  };
  const before = store.entities.write(gate("before"), during("before"));
  const long = store.entities.write(key, during("long"), { list: { how: "add", ids } });
  const after = store.entities.write(gate("after"), during("after"));
  const second = store.entities.write(key, during("second"), { list: { how: "remove", ids } });
  expect((await store.entities.get(key))?.version).toBe(1);
  expect(await Promise.all([before, long, after, second])).toEqual(Array(4).fill("written"));
  expect(order).toEqual(["before", "long", "after", "second"]);
  const { items } = await store.entities.list("gate", everything);
  expect(items.map(({ id }) => id)).toEqual(["after", "before"]);
});

it("finishes accepted writes when the store closes", async () => {
  const long = changeList("add", ids);
  const write = store.entities.write(gate("a"), () => gate("a"));
  await store.close();
  expect([await long, await write]).toEqual([COUNT, "written"]);
  store = await openSqliteStore(directory, withoutEvents);
  expect(await listed()).toEqual(ids);
});
