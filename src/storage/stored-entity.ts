import type { EntityKind } from "../contract/common.js";
import type { AnyObject } from "../contract/fields.js";
import { filterValuesOf, isArchived, searchTextOf } from "../contract/list-query.js";
import { originalText, type SqlValue, storedText } from "./sqlite-database.js";
import type { EntityKey, EntityRecord, ListedEntity } from "./store.js";

/** An entity with its current body, as a row of the database. */
export interface StoredEntity {
  readonly row: number;
  readonly kind: EntityKind;
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly created_time: number;
  /** JSON of the references. */
  readonly reference_keys: string;
  /** 0 or 1. */
  readonly archived: number;
  /** JSON of the values that filters compare. */
  readonly filter_values: string;
  readonly search_text: string;
  readonly body: string;
}

export function toStored(record: EntityRecord): Omit<StoredEntity, "row"> {
  return {
    kind: record.kind,
    id: storedText(record.id),
    name: storedText(record.name),
    version: record.version,
    created_time: record.createdTime,
    reference_keys: JSON.stringify(record.references.map(({ kind, id }) => ({ kind, id }))),
    archived: Number(isArchived(record.body)),
    filter_values: storedValues(filterValuesOf(record.body)),
    search_text: storedText(searchTextOf(record.body)),
    body: JSON.stringify(record.body),
  };
}

/** Returns the values of filters as JSON of stored texts. */
export function storedValues(values: Readonly<Record<string, readonly string[]>>): string {
  const stored = Object.entries(values).map(([name, texts]) => [name, texts.map(storedText)]);
  return JSON.stringify(Object.fromEntries(stored));
}

/** Returns the values of the columns that an update may change, in their order. */
export function columnsOf(stored: Omit<StoredEntity, "row">): SqlValue[] {
  const { name, version, created_time, reference_keys } = stored;
  const { archived, filter_values, search_text } = stored;
  return [name, version, created_time, reference_keys, archived, filter_values, search_text];
}

export function toRecord(stored: StoredEntity): EntityRecord {
  return {
    kind: stored.kind,
    id: originalText(stored.id),
    name: originalText(stored.name),
    version: stored.version,
    createdTime: stored.created_time,
    body: toBody(stored.body),
    // Parses what `toStored` wrote.
    references: JSON.parse(stored.reference_keys) as readonly EntityKey[],
  };
}

export function toListed(stored: StoredEntity): ListedEntity {
  let body: AnyObject | undefined;
  return {
    ...toRecord({ ...stored, body: "null" }),
    get body() {
      body ??= toBody(stored.body);
      return body;
    },
    bodyText: stored.body,
  };
}

export function toBody(json: string): AnyObject {
  return JSON.parse(json) as AnyObject;
}
