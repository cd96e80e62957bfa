import type { EventStore } from "../../src/storage/event-store.js";
import type { KeyRecord } from "../../src/storage/key-store.js";
import type { OpenEvents } from "../../src/storage/sqlite-store.js";
import type { EntityRecord, Slice } from "../../src/storage/store.js";

export const FIRST_TIME = 1_700_000_000_000;

export const everything: Slice = { start: 0, count: 1000 };

/** A gate at version 1, named after its id, with a body that tells all this. */
export function gate(id: string, changes: Partial<EntityRecord> = {}): EntityRecord {
  const record = {
    kind: "gate",
    id,
    name: `Name of ${id}`,
    version: 1,
    createdTime: FIRST_TIME,
    references: [],
    ...changes,
  } as const;
  const { kind: _, references: __, ...shown } = record;
  return { body: { ...shown, tags: ["b", "a"] }, ...record };
}

/** The record as its next version. */
export function next(record: EntityRecord, changes: Partial<EntityRecord> = {}): EntityRecord {
  const version = record.version + 1;
  return { ...record, body: { ...record.body, version }, version, ...changes };
}

/** A key whose hash repeats a digit. */
export function key(id: string, digit: string, changes: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    kind: "console",
    name: "CONSOLE API",
    owner: null,
    scopes: ["write"],
    requestsPerMinuteMax: null,
    expiresTime: null,
    lastUsedTime: null,
    targetApp: null,
    hash: digit.repeat(64),
    prefix: "console-",
    createdTime: FIRST_TIME,
    revokedTime: null,
    ...changes,
  };
}

const untouched = () => Promise.reject(new Error("no test of this file asks for events"));
export const noEventStore: EventStore = {
  append: untouched,
  counts: untouched,
  countDays: untouched,
  countNames: untouched,
  list: untouched,
  lastSequence: () => 0,
  latest: untouched,
  recentUsers: untouched,
  countExperiment: untouched,
  gateAnswers: untouched,
  removeBefore: untouched,
  removePerson: untouched,
  size: untouched,
};

export const withoutEvents: OpenEvents = async () => ({
  events: noEventStore,
  close: async () => undefined,
});
