import { expect, it } from "vitest";
import type { EntityKey } from "../../src/storage/store.js";
import { everything, FIRST_TIME, gate, next } from "./records.js";
import type { Stores } from "./store-suite.js";

export function historySuite({ open }: Stores): void {
  it("keeps the body of every version, newest first, page by page", async () => {
    const { entities } = await open();
    let record = gate("a");
    const bodies = [record.body];
    await entities.insert(record);
    await entities.insert(gate("other"));
    for (let version = 1; version < 7; version += 1) {
      record = next(record, { name: `Name ${version % 3}` });
      bodies.unshift(record.body);
      await entities.replace(record, { version });
    }
    expect(await entities.versions(record, everything)).toEqual({ items: bodies, totalItems: 7 });
    const page = await entities.versions(record, { start: 5, count: 5 });
    expect(page).toEqual({ items: bodies.slice(5), totalItems: 7 });
    const past = await entities.versions(record, { start: 7, count: 5 });
    expect(past).toEqual({ items: [], totalItems: 7 });
  });

  it("has no versions of a missing entity", async () => {
    const { entities } = await open();
    expect(await entities.versions(gate("none"), everything)).toEqual({ items: [], totalItems: 0 });
  });

  it("keeps no version of a refused write", async () => {
    const { entities } = await open();
    await entities.insert(gate("a"));
    await entities.insert(gate("b"));
    await entities.replace(next(gate("a")), { version: 9 });
    await entities.replace(next(gate("a"), { name: "Name of b" }), { version: 1 });
    const { items } = await entities.versions(gate("a"), everything);
    expect(items).toEqual([gate("a").body]);
  });

  it("lists the referrers of an entity, of every kind, newest creation first, then by id", async () => {
    const { entities } = await open();
    const references = [{ kind: "gate", id: "target" }] as const;
    const referrers = [
      gate("new", { references, createdTime: FIRST_TIME + 9 }),
      gate("a", { references, kind: "experiment" }),
      gate("a", { references, kind: "segment" }),
      gate("b", { references }),
    ];
    for (const record of referrers.toReversed()) await entities.insert(record);
    await entities.insert(gate("other", { references: [{ kind: "segment", id: "target" }] }));
    const page = await entities.referrers({ kind: "gate", id: "target" }, everything);
    expect(page).toEqual({ items: referrers, totalItems: 4 });
    const second = await entities.referrers(gate("target"), { start: 1, count: 2 });
    expect(second).toEqual({ items: referrers.slice(1, 3), totalItems: 4 });
  });

  it("uses the references of the current version", async () => {
    const { entities } = await open();
    const [x, y, z]: EntityKey[] = ["x", "y", "z"].map((id) => ({ kind: "segment", id }));
    const first = gate("a", { references: [x, y, y, x] as EntityKey[] });
    const second = next(first, { references: [z, y] as EntityKey[] });
    const pointing = async () =>
      Promise.all(
        [x, y, z].map(async (key) => {
          const { items, totalItems } = await entities.referrers(key as EntityKey, everything);
          expect(items).toHaveLength(totalItems);
          return totalItems;
        }),
      );
    await entities.insert(first);
    expect(await pointing()).toEqual([1, 1, 0]);
    await entities.replace(second, { version: 1 });
    expect(await pointing()).toEqual([0, 1, 1]);
    await entities.replace(next(second), { version: 2 });
    expect(await pointing()).toEqual([0, 1, 1]);
    const present = await entities.referrers(z as EntityKey, everything);
    expect(present.items).toEqual([next(second)]);
    await entities.remove(first, { version: 3 });
    expect(await pointing()).toEqual([0, 0, 0]);
  });

  it("keeps references to an entity that is removed and created again", async () => {
    const { entities } = await open();
    const referrer = gate("a", { references: [{ kind: "gate", id: "target" }] });
    await entities.insert(gate("target"));
    await entities.insert(referrer);
    await entities.remove(gate("target"), { version: 1 });
    await entities.insert(gate("target"));
    const { items } = await entities.referrers(gate("target"), everything);
    expect(items).toEqual([referrer]);
  });
}
