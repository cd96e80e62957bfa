import type { JsonObject } from "../contract/fields.js";
import type { StoredEntity, StoredKey } from "./entity-queries.js";
import type { EntityKey, EntityRecord } from "./store.js";
import { originalText, storedText } from "./stored-text.js";

export function toStoredKey({ kind, id }: EntityKey): StoredKey {
  return { kind, id: storedText(id) };
}

export function toStoredEntity(record: EntityRecord): StoredEntity {
  return {
    ...toStoredKey(record),
    name: storedText(record.name),
    version: record.version,
    created_time: record.createdTime,
    reference_keys: JSON.stringify(record.references.map(({ kind, id }) => ({ kind, id }))),
    body: JSON.stringify(record.body),
  };
}

export function toRecord(stored: StoredEntity): EntityRecord {
  return {
    kind: stored.kind,
    id: originalText(stored.id),
    name: originalText(stored.name),
    version: stored.version,
    createdTime: stored.created_time,
    body: toBody(stored.body),
    references: toReferences(stored.reference_keys),
  };
}

// What is parsed here is what `toStoredEntity` wrote.

export function toBody(json: string): JsonObject {
  return JSON.parse(json) as JsonObject;
}

export function toReferences(json: string): readonly EntityKey[] {
  return JSON.parse(json) as readonly EntityKey[];
}
