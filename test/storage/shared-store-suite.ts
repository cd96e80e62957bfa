import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import type { EntityRecord } from "../../src/storage/store.js";
import { everything, gate, key, next } from "./records.js";
import type { Stores } from "./store-suite.js";
import type { VersionedStore } from "./versioned-writes.js";

/** Stores that are opened again, and several at one place. */
export function sharedStoreSuite({ open, newPlace }: Stores): void {
  it("has all data after it is reopened", async () => {
    const place = newPlace();
    const before = await open(place);
    const record = gate("a", { references: [{ kind: "gate", id: "b😀" }] });
    await before.entities.insert(record);
    await before.entities.replace(next(record), { version: 1 });
    await before.keys.insert(key("k", "1"));
    await before.close();

    const { entities, keys } = await open(place);
    expect(await entities.get(record)).toEqual(next(record));
    expect((await entities.list("gate", everything)).totalItems).toBe(1);
    expect((await entities.versions(record, everything)).totalItems).toBe(2);
    const { items } = await entities.referrers({ kind: "gate", id: "b😀" }, everything);
    expect(items).toEqual([next(record)]);
    expect(await keys.find("1".repeat(64))).toEqual(key("k", "1"));
  });

  it("finishes accepted writes on close", async () => {
    const place = newPlace();
    const before = await open(place);
    const writes = Array.from({ length: 200 }, (_, index) =>
      before.entities.insert(gate(`${index}`)),
    );
    await before.close();
    expect(new Set(await Promise.all(writes))).toEqual(new Set(["inserted"]));
    const { entities } = await open(place);
    expect((await entities.list("gate", everything)).totalItems).toBe(200);
  });

  it("shows writes of another store on the same directory at once", async () => {
    const place = newPlace();
    const [one, two] = [await open(place), await open(place)];
    await one.entities.insert(gate("a"));
    expect(await two.entities.get(gate("a"))).toEqual(gate("a"));
    expect(await two.entities.replace(next(gate("a")), { version: 1 })).toBe("replaced");
    expect(await one.entities.get(gate("a"))).toEqual(next(gate("a")));
    expect(await one.entities.replace(next(gate("a")), { version: 1 })).toBe("stale");
    expect(await two.entities.insert(gate("b", { name: "Name of a" }))).toBe("name_taken");
    expect(await one.entities.list("gate", everything)).toEqual(
      await two.entities.list("gate", everything),
    );
  });

  it("continues the changes of another store on the same directory at once", async () => {
    const place = newPlace();
    const [one, two] = [await open(place, () => 500), await open(place, () => 100)];
    await one.entities.insert(gate("a"));
    expect(two.entities.latestChange()).toEqual({ sequence: 1, time: 500 });
    await two.entities.insert(gate("b"));
    expect(one.entities.latestChange()).toEqual({ sequence: 2, time: 501 });
    expect(await one.entities.changesAfter(0, 9)).toEqual(await two.entities.changesAfter(0, 9));
  });

  it("sees a key that another store created or revoked in the next turn of the event loop", async () => {
    const place = newPlace();
    const [one, two] = [await open(place), await open(place)];
    const record = key("k", "1");
    expect(await one.keys.find(record.hash)).toBeUndefined();
    await two.keys.insert(record);
    await nextTurn();
    expect(await one.keys.find(record.hash)).toEqual(record);
    await two.keys.revoke("k", 7);
    await nextTurn();
    expect(await one.keys.find(record.hash)).toEqual({ ...record, revokedTime: 7 });
  });

  it("loses no write if two stores change one entity at once", async () => {
    const place = newPlace();
    const stores = [await open(place), await open(place)];
    await stores[0]?.entities.insert(gate("a", { body: {} }));
    const write = async ({ entities }: VersionedStore, writer: number) => {
      for (;;) {
        const current = (await entities.get(gate("a"))) as EntityRecord;
        const body = { ...current.body, [`writer${writer}`]: true };
        const condition = { version: current.version };
        if ((await entities.replace(next(current, { body }), condition)) === "replaced") return;
      }
    };
    await Promise.all(
      Array.from({ length: 40 }, (_, writer) =>
        write(stores[writer % 2] as VersionedStore, writer),
      ),
    );
    const last = await stores[0]?.entities.get(gate("a"));
    expect([last?.version, Object.keys(last?.body ?? {}).length]).toEqual([41, 40]);
  });
}
