import { afterEach, beforeEach, expect, it } from "vitest";
import { ENTITY_PAGE_BYTES_MAX } from "../../src/storage/storage-limits.js";
import { type EntityRecord, PageTooLargeError } from "../../src/storage/store.js";
import { openEntities } from "./open-entities.js";
import { everything, gate, next } from "./records.js";

/** So many of them are just too much for one page. */
const LARGE_RECORDS = 4;

let place: Awaited<ReturnType<typeof openEntities>>;
beforeEach(async () => {
  place = await openEntities();
});
afterEach(() => place.database.close());

function large(record: EntityRecord): EntityRecord {
  return { ...record, body: { text: "x".repeat(ENTITY_PAGE_BYTES_MAX / LARGE_RECORDS) } };
}

const fewer = { start: 0, count: LARGE_RECORDS - 1 };

it("refuses a page of entities with too many bytes, and returns a smaller one", async () => {
  const { entities } = place;
  for (let id = 0; id < LARGE_RECORDS; id += 1) await entities.insert(large(gate(`g${id}`)));
  await expect(entities.list("gate", everything)).rejects.toThrow(PageTooLargeError);
  expect((await entities.list("gate", fewer)).items).toHaveLength(fewer.count);
  const others = { start: 1, count: everything.count };
  expect((await entities.list("gate", others)).totalItems).toBe(LARGE_RECORDS);
});

it("refuses a page of versions with too many bytes", async () => {
  const { entities } = place;
  let record = large(gate("g"));
  await entities.insert(record);
  for (let version = 1; version < LARGE_RECORDS; version += 1) {
    record = large(next(record));
    await entities.replace(record, { version });
  }
  await expect(entities.versions(record, everything)).rejects.toThrow(PageTooLargeError);
  expect((await entities.versions(record, fewer)).totalItems).toBe(LARGE_RECORDS);
  // Only the present version of an entity is part of a list.
  expect((await entities.list("gate", everything)).items).toHaveLength(1);
});

it("refuses a page of referrers with too many bytes", async () => {
  const { entities } = place;
  const target = gate("target");
  await entities.insert(target);
  const references = [{ kind: "gate", id: "target" }] as const;
  for (let id = 0; id < LARGE_RECORDS; id += 1) {
    await entities.insert(large(gate(`g${id}`, { references })));
  }
  await expect(entities.referrers(target, everything)).rejects.toThrow(PageTooLargeError);
  expect((await entities.referrers(target, fewer)).totalItems).toBe(LARGE_RECORDS);
});

it("returns a single result of any size", async () => {
  const { entities } = place;
  const huge = gate("g", { body: { text: "x".repeat(ENTITY_PAGE_BYTES_MAX + 1) } });
  await entities.insert(huge);
  expect((await entities.list("gate", everything)).items).toEqual([huge]);
});
