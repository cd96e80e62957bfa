import { SwitchyardError } from "../base/errors.js";
import type { EntityKind } from "../contract/entity-kind.js";
import type { JsonObject } from "../contract/fields.js";
import type { EventStore } from "./event-store.js";
import type { KeyStore } from "./key-store.js";

export interface EntityKey {
  readonly kind: EntityKind;
  readonly id: string;
}

/** One entity at one version. */
export interface EntityRecord extends EntityKey {
  /** Unique within its kind, archived ones included. */
  readonly name: string;
  readonly version: number;
  /** ms since the epoch. */
  readonly createdTime: number;
  /** The entity as answers show it. */
  readonly body: JsonObject;
  /** What the entity points at. */
  readonly references: readonly EntityKey[];
}

/** Results from `start` on, at most `count`. */
export interface Slice {
  readonly start: number;
  readonly count: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly totalItems: number;
}

/** A page has more bytes than fit into an answer: fewer results at once do. */
export class PageTooLargeError extends SwitchyardError {
  constructor(results: number, bytes: number, bytesMax: number) {
    super(
      "page_too_large",
      `These ${results} results have ${bytes} bytes together, and an answer holds ${bytesMax}: ask for fewer`,
    );
  }
}

export type InsertOutcome = "inserted" | "id_taken" | "name_taken";

/** `stale`: the stored version was another one; `referenced`: it was to be unreferenced and is not. */
export type ReplaceOutcome = "replaced" | "stale" | "name_taken" | "referenced";

export interface WriteOptions {
  /** Everything is checked as for the real write, and nothing is kept. */
  readonly rehearse?: boolean;
}

/** What has to hold for a write to be made. */
export interface WriteCondition extends WriteOptions {
  /** The version that is stored. */
  readonly version: number;
  /** Nothing may point at the entity. */
  readonly unreferenced?: boolean;
}

/**
 * Entities with their versions and references. Every write is durable when its promise resolves, and
 * is one transaction with its version snapshot and references: wholly there or not at all.
 */
export interface EntityStore {
  get(key: EntityKey): Promise<EntityRecord | undefined>;
  /** Newest creation first, then by id. Throws `PageTooLargeError`. */
  list(kind: EntityKind, slice: Slice): Promise<Page<EntityRecord>>;
  insert(record: EntityRecord, options?: WriteOptions): Promise<InsertOutcome>;
  replace(record: EntityRecord, condition: WriteCondition): Promise<ReplaceOutcome>;
  /** Removes versions and references too. False where the condition does not hold. */
  remove(key: EntityKey, condition: WriteCondition): Promise<boolean>;
}

/** What is known of an entity beside its present state. */
export interface EntityHistory {
  /** Bodies of all versions, newest first. Throws `PageTooLargeError`. */
  versions(key: EntityKey, slice: Slice): Promise<Page<JsonObject>>;
  /** Entities that point at this one, in the order of lists. Throws `PageTooLargeError`. */
  referrers(key: EntityKey, slice: Slice): Promise<Page<EntityRecord>>;
}

/** Everything that the service keeps. */
export interface Store {
  readonly entities: EntityStore;
  readonly history: EntityHistory;
  readonly keys: KeyStore;
  readonly events: EventStore;
  /** Finishes what was accepted, then lets go of the database. */
  close(): Promise<void>;
}
