import { expect, it } from "vitest";
import type { EntityRecord } from "../../src/storage/store.js";
import { everything, gate, next } from "./records.js";
import type { Stores } from "./store-suite.js";
import type { VersionedStore } from "./versioned-writes.js";

const oddTexts = [
  "😀",
  "a/b%2F..",
  "..",
  "",
  " ",
  "NUL\0here",
  "NUL\0there",
  "\0",
  "␀0000",
  "␀",
  "half \ud800",
  "half \udc00",
  "\u00e9",
  "e\u0301",
  "'; DROP TABLE entity; --",
  "x".repeat(5_000),
];

export function entityStoreSuite({ open }: Stores): void {
  const insertAll = async ({ entities }: VersionedStore, ...records: readonly EntityRecord[]) => {
    for (const record of records) expect(await entities.insert(record)).toBe("inserted");
  };

  it("returns what was inserted, with the order of references and tags", async () => {
    const { entities } = await open();
    const record = gate("a", {
      body: { text: "ünï 😀 \0 \ud800", nested: { list: [1, 1e21, -0.5, null, true, {}] } },
      references: [
        { kind: "segment", id: "z" },
        { kind: "gate", id: "m\0" },
        { kind: "segment", id: "a" },
      ],
    });
    expect(await entities.get(record)).toBeUndefined();
    expect(await entities.insert(record)).toBe("inserted");
    expect(await entities.get({ kind: "gate", id: "a" })).toEqual(record);
  });

  it("shows a write the writes before it, in the same turn", async () => {
    const { entities } = await open();
    const seen: unknown[] = [];
    const look = () => seen.push([entities.find(gate("a"))?.id, entities.findAll("gate").length]);
    const insert = (record: EntityRecord) =>
      entities.write(record, () => {
        look();
        return record;
      });
    const holdout: EntityRecord = { ...gate("a"), kind: "holdout" };
    await Promise.all([insert(gate("a")), insert(holdout), insert(gate("b"))]);
    look();
    expect(seen).toEqual([
      [undefined, 0],
      ["a", 1],
      ["a", 1],
      ["a", 2],
    ]);
    expect(entities.findAll("holdout")).toEqual([holdout]);
  });

  it("distinguishes all texts, as id and as name", async () => {
    const { entities } = await open();
    for (const text of oddTexts) {
      expect(await entities.insert(gate(text, { name: text })), text).toBe("inserted");
    }
    for (const text of oddTexts) {
      expect(await entities.get(gate(text))).toEqual(gate(text, { name: text }));
      expect(await entities.insert(gate(text, { name: "other" }))).toBe("id_taken");
      expect(await entities.insert(gate("other", { name: text }))).toBe("name_taken");
    }
    const page = await entities.list("gate", everything);
    expect(page.items.map(({ id }) => id).toSorted()).toEqual(oddTexts.toSorted());
  });

  it("keeps bodies of a megabyte", async () => {
    const { entities } = await open();
    const record = gate("big", { body: { text: "é😀".repeat(200_000) } });
    await entities.insert(record);
    expect(await entities.get(record)).toEqual(record);
    expect(await entities.replace(next(record), { version: 1 })).toBe("replaced");
    const { items } = await entities.versions(record, everything);
    expect(items).toEqual([next(record).body, record.body]);
  });

  it("keeps ids and names unique within their kind, case-sensitively", async () => {
    const store = await open();
    await insertAll(
      store,
      gate("a", { name: "One" }),
      gate("A", { name: "one" }),
      gate("a", { kind: "segment", name: "One" }),
    );
    const { entities } = store;
    expect(await entities.insert(gate("a", { name: "Two" }))).toBe("id_taken");
    expect(await entities.insert(gate("b", { name: "One" }))).toBe("name_taken");
    expect(await entities.insert(gate("a", { name: "One" }))).toBe("id_taken");
    expect(await entities.get(gate("a"))).toEqual(gate("a", { name: "One" }));
    expect(await entities.get(gate("b"))).toBeUndefined();
  });

  it("replaces every field of a record", async () => {
    const store = await open();
    const record = gate("a", { references: [{ kind: "gate", id: "b" }] });
    await insertAll(store, record);
    const changed = next(record, {
      name: "Another",
      createdTime: record.createdTime + 5,
      body: { other: true },
      references: [{ kind: "segment", id: "c" }],
    });
    expect(await store.entities.replace(changed, { version: 1 })).toBe("replaced");
    expect(await store.entities.get(record)).toEqual(changed);
    expect(await store.entities.insert(gate("b", { name: record.name }))).toBe("inserted");
  });

  it("replaces only the version in the condition", async () => {
    const store = await open();
    const record = gate("a");
    await insertAll(store, record);
    expect(await store.entities.replace(next(record), { version: 2 })).toBe("stale");
    expect(await store.entities.replace(gate("none"), { version: 1 })).toBe("stale");
    expect(await store.entities.replace(next(record), { version: 1 })).toBe("replaced");
    expect(await store.entities.replace(next(record), { version: 1 })).toBe("stale");
    expect(await store.entities.get(record)).toEqual(next(record));
  });

  it("does not rename to a name that another entity of the kind has", async () => {
    const store = await open();
    await insertAll(store, gate("a"), gate("b"), gate("c", { kind: "segment" }));
    const renamed = (name: string) => next(gate("a"), { name });
    const { entities } = store;
    expect(await entities.replace(renamed("Name of b"), { version: 1 })).toBe("name_taken");
    expect(await entities.get(gate("a"))).toEqual(gate("a"));
    expect(await entities.replace(renamed("Name of c"), { version: 1 })).toBe("replaced");
  });

  it("refuses a write that requires an unreferenced entity while another one references it", async () => {
    const store = await open();
    const toA = [{ kind: "gate", id: "a" }] as const;
    const a = gate("a", { references: toA });
    const b = gate("b", { references: toA });
    await insertAll(store, a, b);
    const { entities } = store;
    const condition = { version: 1, unreferenced: true };
    expect(await entities.replace(next(a), condition)).toBe("referenced");
    expect(await entities.remove(a, condition)).toBe(false);
    expect(await entities.get(a)).toEqual(a);

    await entities.replace(next(b, { references: [] }), { version: 1 });
    expect(await entities.replace(next(a), condition)).toBe("replaced");
    expect(await entities.remove(a, { version: 2, unreferenced: true })).toBe(true);
  });

  it("removes an entity with its versions and references, and lets it be created again", async () => {
    const store = await open();
    const target = { kind: "segment", id: "s" } as const;
    const record = gate("a", { references: [target] });
    await insertAll(store, record);
    const { entities } = store;
    await entities.replace(next(record), { version: 1 });
    expect(await entities.remove(record, { version: 1 })).toBe(false);
    expect(await entities.remove(record, { version: 2 })).toBe(true);
    expect(await entities.remove(record, { version: 2 })).toBe(false);
    expect(await entities.get(record)).toBeUndefined();
    const nothing = { items: [], totalItems: 0 };
    expect(await entities.list("gate", everything)).toEqual(nothing);
    expect(await entities.versions(record, everything)).toEqual(nothing);
    expect(await entities.referrers(target, everything)).toEqual(nothing);

    const anew = gate("a", { body: { anew: true } });
    await insertAll(store, anew);
    expect(await entities.versions(anew, everything)).toEqual({
      items: [anew.body],
      totalItems: 1,
    });
    expect(await entities.referrers(target, everything)).toEqual(nothing);
  });

  it("rehearses every write with the outcome of the real one, and stores nothing", async () => {
    const store = await open();
    const a = gate("a", { references: [{ kind: "gate", id: "b" }] });
    await insertAll(store, a, gate("b"));
    const { entities } = store;
    const rehearse = true;
    const outcomes = [
      await entities.insert(gate("c"), { rehearse }),
      await entities.insert(gate("a"), { rehearse }),
      await entities.insert(gate("c", { name: a.name }), { rehearse }),
      await entities.replace(next(a), { rehearse, version: 1 }),
      await entities.replace(next(a), { rehearse, version: 2 }),
      await entities.replace(next(a, { name: "Name of b" }), { rehearse, version: 1 }),
      await entities.replace(next(gate("b")), { rehearse, version: 1, unreferenced: true }),
      await entities.remove(a, { rehearse, version: 1 }),
      await entities.remove(a, { rehearse, version: 2 }),
    ];
    expect(outcomes).toEqual([
      "inserted",
      "id_taken",
      "name_taken",
      "replaced",
      "stale",
      "name_taken",
      "referenced",
      true,
      false,
    ]);
    expect(await entities.list("gate", everything)).toEqual({
      items: [a, gate("b")],
      totalItems: 2,
    });
    expect((await entities.versions(a, everything)).totalItems).toBe(1);
    expect((await entities.referrers(gate("b"), everything)).items).toEqual([a]);
  });

  it("separates concurrent rehearsals and writes", async () => {
    const { entities } = await open();
    const ids = Array.from({ length: 20 }, (_, index) => `g${index}`);
    const outcomes = await Promise.all(
      ids.map((id, index) => entities.insert(gate(id), { rehearse: index % 3 === 0 })),
    );
    expect(new Set(outcomes)).toEqual(new Set(["inserted"]));
    const kept = (await entities.list("gate", everything)).items.map(({ id }) => id);
    expect(kept.toSorted()).toEqual(ids.filter((_, index) => index % 3 !== 0).toSorted());
  });

  it("accepts one of many concurrent inserts of a name or id", async () => {
    const { entities } = await open();
    const outcomes = await Promise.all([
      ...Array.from({ length: 50 }, () => entities.insert(gate("a"))),
      ...Array.from({ length: 50 }, (_, n) => entities.insert(gate(`b${n}`, { name: "Name" }))),
    ]);
    const count = (outcome: string) => outcomes.filter((other) => other === outcome).length;
    expect([count("inserted"), count("id_taken"), count("name_taken")]).toEqual([2, 49, 49]);
  });

  it("makes a hundred versions for a hundred writers that retry until they succeed", async () => {
    const { entities } = await open();
    await entities.insert(gate("a", { body: {} }));
    const write = async (writer: number) => {
      for (;;) {
        const current = (await entities.get(gate("a"))) as EntityRecord;
        const body = { ...current.body, [`writer${writer}`]: current.version };
        const version = { version: current.version };
        if ((await entities.replace(next(current, { body }), version)) === "replaced") return;
      }
    };
    await Promise.all(Array.from({ length: 100 }, (_, writer) => write(writer)));
    const last = await entities.get(gate("a"));
    expect(last?.version).toBe(101);
    expect(Object.values(last?.body ?? {}).toSorted((x, y) => Number(x) - Number(y))).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect((await entities.versions(gate("a"), everything)).totalItems).toBe(101);
  });
}
