import type { AuditedKind, EntityKind } from "../contract/common.js";
import type { AnyObject } from "../contract/fields.js";
import type { ListFilter } from "../contract/list-query.js";
import type { Author } from "./author.js";
import type { EventStore, EventStoreSize } from "./event-store.js";
import type { KeyStore } from "./key-store.js";
import type { SessionStore } from "./session-store.js";
import type { DatabaseSize } from "./sqlite-database.js";

export interface EntityKey {
  readonly kind: EntityKind;
  readonly id: string;
}

/** One entity at one version. */
export interface EntityRecord extends EntityKey {
  /** Unique within its kind, including archived entities. */
  readonly name: string;
  readonly version: number;
  /** ms since the epoch. */
  readonly createdTime: number;
  /** The entity as answers return it. */
  readonly body: AnyObject;
  /** Keys of the entities that this one points at. */
  readonly references: readonly EntityKey[];
}

/** An entity in a list. */
export interface ListedEntity extends EntityRecord {
  /** The body as JSON, as it is stored. Answers copy it; `body` parses it at its first use. */
  readonly bodyText: string;
}

/** At most `count` results from index `start` on: fewer if they have more than `ENTITY_PAGE_BYTES_MAX` bytes. */
export interface Slice {
  readonly start: number;
  readonly count: number;
}

export interface EntityPage<Item> {
  readonly items: readonly Item[];
  readonly totalItems: number;
}

/**
 * Returns the next state of an entity, or undefined to remove it. `current` is undefined if the entity does
 * not exist. `listChange` is the number of ids that the write added to the entity's list, minus those that
 * it removed. An error cancels the write.
 */
export type ChangeEntity = (
  current: EntityRecord | undefined,
  listChange: number,
) => EntityRecord | undefined;

/** A change of an entity's list of ids. Adding a listed id or removing an unlisted one does nothing. */
export interface ListChange {
  readonly how: "add" | "remove" | "replace";
  readonly ids: readonly string[];
}

export interface WriteOptions {
  readonly author?: Author;
  /** Makes every check of the real write, and stores nothing. */
  readonly rehearse?: boolean;
  /** Refuses the write while another entity points at this one. */
  readonly unreferenced?: boolean;
  readonly list?: ListChange;
}

/** `name_taken` and `referenced`: refused, nothing was stored. */
export type WriteOutcome = "written" | "name_taken" | "referenced";

/** The position of a write in the log of all writes. */
export interface LatestChange {
  /** Grows with every write. */
  readonly sequence: number;
  /** ms since the epoch, later than that of every write before, even if the clock is set back. */
  readonly time: number;
}

/**
 * One committed write: an entity was created, changed or removed, or its list was changed; or a key was
 * created or revoked.
 */
export interface EntityChangeRecord extends LatestChange {
  readonly kind: AuditedKind;
  readonly id: string;
  /** The version that was stored; null for a removal. */
  readonly version: number | null;
}

/** A write as the audit log keeps it. */
export interface AuditRecord extends EntityChangeRecord {
  /** The version before; null for a creation, and for removals that are older than the audit log. */
  readonly fromVersion: number | null;
  /** Null for writes that are older than the audit log. */
  readonly author: Author | null;
  /** The entity that a removal removed; null for other writes. */
  readonly removed: AnyObject | null;
}

/** Writes need one of the values of each member that is given. */
export interface AuditFilter {
  readonly kinds?: readonly AuditedKind[];
  readonly id?: string;
  readonly actions?: readonly ("create" | "update" | "delete")[];
  /** Ids or names of keys. */
  readonly authors?: readonly string[];
  readonly requestID?: string;
  /** ms since the epoch, inclusive. */
  readonly from?: number;
  /** ms since the epoch, exclusive. */
  readonly to?: number;
}

/**
 * The ids of a list as SDKs read them: a text to which changes append lines, `+` or `-` and the first 8
 * characters of the base64 of the SHA-256 of an id.
 */
export interface ListFile {
  /** Cannot be guessed. Another file has another id. */
  readonly id: string;
  /** ms since the epoch. */
  readonly createdTime: number;
  /** Bytes. */
  readonly size: number;
}

/** A part of a reading of all entities. */
export interface EntityScan {
  readonly records: readonly EntityRecord[];
  /** Undefined after the last one. */
  readonly next: number | undefined;
}

/** Entities with their versions, references and lists of ids. */
export interface EntityStore {
  get(key: EntityKey): Promise<EntityRecord | undefined>;
  /** Does what `get` does, at once. The `change` of a write sees the writes before its own. */
  find(key: EntityKey): EntityRecord | undefined;
  /** Returns all entities of a kind of which there are few, in any order, as `find` does. */
  findAll(kind: EntityKind): readonly EntityRecord[];
  /** Returns the newest creation first, then by id; all entities without a filter. */
  list(kind: EntityKind, slice: Slice, filter?: ListFilter): Promise<EntityPage<ListedEntity>>;
  /** Returns ids of the entity's list, in the order of their bytes. */
  listedIDs(key: EntityKey, slice: Slice): Promise<readonly string[]>;
  /** Returns the bodies of all versions, newest first. */
  versions(key: EntityKey, slice: Slice): Promise<EntityPage<AnyObject>>;
  /** Returns the entities that point at this one, of any kind or of one, in the order of lists. */
  referrers(key: EntityKey, slice: Slice, kind?: EntityKind): Promise<EntityPage<EntityRecord>>;
  /**
   * Reads an entity and stores what `change` makes of it, with its version snapshot and references, in
   * one transaction: no other write comes in between, and it is stored completely or not at all. Durable
   * when the promise resolves. `change` may be called again after a transaction that failed.
   */
  write(key: EntityKey, change: ChangeEntity, options?: WriteOptions): Promise<WriteOutcome>;
  /**
   * Returns the newest write that is durable, of any process: sequence 0 and time 0 before the first one
   * that the log holds. Costs microseconds, so callers ask at each request.
   */
  latestChange(): LatestChange;
  /**
   * Returns up to `count` entities of all kinds, in an order that no write changes. `after` is the `next`
   * of the page before, 0 at first. Entities that are written meanwhile may be missing: they are in the log.
   */
  scan(after: number, count: number): Promise<EntityScan>;
  /** Returns true if an id is on the list of an entity. Costs microseconds. */
  isListed(key: EntityKey, id: string): boolean;
  /**
   * Returns the file that SDKs read the list of an entity from, which is made first if there is none.
   * Undefined if there is no such entity.
   */
  listFile(key: EntityKey): Promise<ListFile | undefined>;
  /**
   * Returns the text of a file from a byte on, which is empty at the end. Undefined if there is no such
   * file, or no longer.
   */
  readListFile(id: string, start: number): Promise<string | undefined>;
  /** Returns the first `count` writes after a sequence, in order. Rehearsed and refused writes have none. */
  changesAfter(sequence: number, count: number): Promise<readonly EntityChangeRecord[]>;
  /** Returns the last write that a follower of the log has done with; undefined for a new follower. */
  followerPosition(name: string): number | undefined;
  /** Sets it, durably. */
  moveFollower(name: string, sequence: number): Promise<void>;
  /** Returns writes, newest first. Their `removed` is null. */
  auditLog(filter: AuditFilter, slice: Slice): Promise<EntityPage<AuditRecord>>;
  /** Returns one write by its sequence. */
  auditRecord(sequence: number): Promise<AuditRecord | undefined>;
}

export interface CountedKind {
  readonly kind: string;
  readonly count: number;
}

export interface StoreSize {
  readonly console: DatabaseSize;
  readonly events: EventStoreSize;
  readonly entities: readonly CountedKind[];
  /** Keys that are not revoked. */
  readonly keys: readonly CountedKind[];
}

/** Everything that the service stores. */
export interface Store {
  readonly entities: EntityStore;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly events: EventStore;
  /**
   * Looks at the files of the store. If `isWriting`, also looks at the space of the disk, and makes a write
   * that changes nothing. Throws `database_damaged`, `disk_full` and what a write throws.
   */
  probe(isWriting: boolean): Promise<void>;
  /** Costs milliseconds. */
  size(): Promise<StoreSize>;
  /** Finishes accepted requests, then releases the databases. */
  close(): Promise<void>;
}
