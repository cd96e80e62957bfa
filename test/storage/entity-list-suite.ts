import { expect, it } from "vitest";
import { entityKinds } from "../../src/contract/common.js";
import { everything, FIRST_TIME, gate, next } from "./records.js";
import type { Stores } from "./store-suite.js";

export function entityListSuite({ open }: Stores): void {
  it("lists newest creation first, then by id", async () => {
    const { entities } = await open();
    const times = { b: 1, Z: 2, a: 2, "10": 2, "9": 2, c: 3, "﷐": 2, "😀": 2 };
    for (const [id, time] of Object.entries(times)) {
      await entities.insert(gate(id, { createdTime: FIRST_TIME + time }));
    }
    const { items, totalItems } = await entities.list("gate", everything);
    // By code points: a lead surrogate is a smaller unit than U+FDD0.
    expect(items.map(({ id }) => id)).toEqual(["c", "10", "9", "Z", "a", "﷐", "😀", "b"]);
    expect(totalItems).toBe(8);
  });

  it("lists whole records of one kind", async () => {
    const { entities } = await open();
    const records = entityKinds.map((kind) =>
      gate(`only ${kind}`, { kind, references: [{ kind, id: "x" }] }),
    );
    for (const record of records) await entities.insert(record);
    for (const record of records) {
      const page = await entities.list(record.kind, everything);
      expect(page).toEqual({ items: [record], totalItems: 1 });
    }
  });

  it("lists the current version in the order of creation", async () => {
    const { entities } = await open();
    await entities.insert(gate("old"));
    await entities.insert(gate("new", { createdTime: FIRST_TIME + 1 }));
    await entities.replace(next(gate("old")), { version: 1 });
    const { items } = await entities.list("gate", everything);
    expect(items.map(({ id, version }) => [id, version])).toEqual([
      ["new", 1],
      ["old", 2],
    ]);
  });

  it("returns pages without gap or overlap, and an empty one past the end", async () => {
    const { entities } = await open();
    const records = Array.from({ length: 25 }, (_, index) =>
      gate(`g${index}`, { createdTime: FIRST_TIME + (index % 7) }),
    );
    await Promise.all(records.map((record) => entities.insert(record)));
    const all = (await entities.list("gate", everything)).items;
    expect(all).toHaveLength(25);
    for (const count of [1, 4, 25, 26]) {
      const pages = [];
      for (let start = 0; start < 25; start += count) {
        const page = await entities.list("gate", { start, count });
        expect(page.totalItems).toBe(25);
        pages.push(...page.items);
      }
      expect(pages).toEqual(all);
    }
    for (const start of [25, 1_000, Number.MAX_SAFE_INTEGER]) {
      const page = await entities.list("gate", { start, count: 10 });
      expect(page).toEqual({ items: [], totalItems: 25 });
    }
  });

  it("returns an empty list if there is nothing", async () => {
    const { entities } = await open();
    expect(await entities.list("prompt", everything)).toEqual({ items: [], totalItems: 0 });
  });
}
