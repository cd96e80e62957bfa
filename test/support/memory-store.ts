import type { JsonObject } from "../../src/contract/fields.js";
import type { EventIntake, StoredEvent } from "../../src/storage/event-store.js";
import type { KeyRecord } from "../../src/storage/key-store.js";
import type { EntityKey, EntityRecord, Page, Slice, Store } from "../../src/storage/store.js";

/** A store that keeps everything in maps, for tests of what stands before it. */
export function memoryStore(): Store {
  const records = new Map<string, EntityRecord>();
  const snapshots = new Map<string, JsonObject[]>();
  const keys = new Map<string, KeyRecord>();
  const intakes = new Map<string, EventIntake>();
  const events: StoredEvent[] = [];
  const place = ({ kind, id }: EntityKey) => `${kind}/${id}`;
  const all = () => [...records.values()].sort(newestFirst);
  const nameTaken = ({ kind, id, name }: EntityRecord) =>
    all().some((other) => other.kind === kind && other.id !== id && other.name === name);
  const pointsAt = (key: EntityKey) => (record: EntityRecord) =>
    record.references.some((reference) => place(reference) === place(key));
  const keep = (record: EntityRecord) => {
    records.set(place(record), record);
    snapshots.set(place(record), [record.body, ...(snapshots.get(place(record)) ?? [])]);
  };
  return {
    entities: {
      get: async (key) => records.get(place(key)),
      list: async (kind, slice) =>
        pageOf(
          all().filter((record) => record.kind === kind),
          slice,
        ),
      insert: async (record, options) => {
        if (records.has(place(record))) return "id_taken";
        if (nameTaken(record)) return "name_taken";
        if (options?.rehearse !== true) keep(record);
        return "inserted";
      },
      replace: async (record, { version, unreferenced, rehearse }) => {
        if (records.get(place(record))?.version !== version) return "stale";
        if (nameTaken(record)) return "name_taken";
        if (unreferenced === true && all().some(pointsAt(record))) return "referenced";
        if (rehearse !== true) keep(record);
        return "replaced";
      },
      remove: async (key, { version }) => {
        if (records.get(place(key))?.version !== version) return false;
        snapshots.delete(place(key));
        return records.delete(place(key));
      },
    },
    history: {
      versions: async (key, slice) => pageOf(snapshots.get(place(key)) ?? [], slice),
      referrers: async (key, slice) => pageOf(all().filter(pointsAt(key)), slice),
    },
    keys: {
      find: async (hash) => [...keys.values()].find((key) => key.hash === hash),
      list: async () => [...keys.values()],
      insert: async (key) => {
        keys.set(key.id, key);
      },
      revoke: async (id, time) => {
        const key = keys.get(id);
        if (key === undefined || key.revokedTime !== null) return false;
        keys.set(id, { ...key, revokedTime: time });
        return true;
      },
    },
    events: {
      append: async (intake) => {
        const { idempotencyKey } = intake;
        if (idempotencyKey !== undefined) {
          if (intakes.has(idempotencyKey)) return;
          intakes.set(idempotencyKey, intake);
        }
        events.push(...intake.events);
      },
      counts: async () => [],
      list: async () => ({ items: events, nextCursor: undefined }),
    },
    close: async () => undefined,
  };
}

function newestFirst(left: EntityRecord, right: EntityRecord): number {
  return right.createdTime - left.createdTime || (left.id < right.id ? -1 : 1);
}

function pageOf<Item>(items: readonly Item[], { start, count }: Slice): Page<Item> {
  return { items: items.slice(start, start + count), totalItems: items.length };
}
