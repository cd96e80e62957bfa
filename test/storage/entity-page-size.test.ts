import { afterEach, beforeEach, expect, it } from "vitest";
import { ENTITY_PAGE_BYTES_MAX } from "../../src/storage/storage-limits.js";
import type { EntityRecord } from "../../src/storage/store.js";
import { openEntities } from "./open-entities.js";
import { everything, gate, next } from "./records.js";

/** One more of them than fit into a page. */
const LARGE_RECORDS = 4;

let place: Awaited<ReturnType<typeof openEntities>>;
beforeEach(async () => {
  place = await openEntities();
});
afterEach(() => place.database.close());

function large(record: EntityRecord): EntityRecord {
  return { ...record, body: { text: "x".repeat(ENTITY_PAGE_BYTES_MAX / LARGE_RECORDS + 1) } };
}

const fitting = LARGE_RECORDS - 1;

it("ends a page of entities before the one that does not fit", async () => {
  const { entities } = place;
  for (let id = 0; id < LARGE_RECORDS; id += 1) await entities.insert(large(gate(`g${id}`)));
  const first = await entities.list("gate", everything);
  expect(first.items.map(({ id }) => id)).toEqual(["g0", "g1", "g2"]);
  expect(first.totalItems).toBe(LARGE_RECORDS);
  const rest = await entities.list("gate", { start: fitting, count: everything.count });
  expect(rest.items.map(({ id }) => id)).toEqual(["g3"]);
  const filter = { archived: false, values: { status: ["active"] }, search: "" };
  expect((await entities.list("gate", everything, filter)).items).toEqual(first.items);
});

it("ends a page of versions before the one that does not fit", async () => {
  const { entities } = place;
  let record = large(gate("g"));
  await entities.insert(record);
  for (let version = 1; version < LARGE_RECORDS; version += 1) {
    record = large(next(record));
    await entities.replace(record, { version });
  }
  const first = await entities.versions(record, everything);
  expect([first.items.length, first.totalItems]).toEqual([fitting, LARGE_RECORDS]);
  const rest = await entities.versions(record, { start: fitting, count: everything.count });
  expect([rest.items.length, rest.totalItems]).toEqual([1, LARGE_RECORDS]);
  // Only the present version of an entity is part of a list.
  expect((await entities.list("gate", everything)).items).toHaveLength(1);
});

it("ends a page of referrers before the one that does not fit", async () => {
  const { entities } = place;
  const target = gate("target");
  await entities.insert(target);
  const references = [{ kind: "gate", id: "target" }] as const;
  for (let id = 0; id < LARGE_RECORDS; id += 1) {
    await entities.insert(large(gate(`g${id}`, { references })));
  }
  const first = await entities.referrers(target, everything);
  expect([first.items.length, first.totalItems]).toEqual([fitting, LARGE_RECORDS]);
  const rest = await entities.referrers(target, { start: fitting, count: everything.count });
  expect(rest.items.map(({ id }) => id)).toEqual(["g3"]);
});

it("returns a single result of any size", async () => {
  const { entities } = place;
  const huge = gate("g", { body: { text: "x".repeat(ENTITY_PAGE_BYTES_MAX + 1) } });
  await entities.insert(huge);
  expect((await entities.list("gate", everything)).items).toEqual([huge]);
});
