import type { Author } from "./author.js";

export const keyKinds = ["console", "server", "client"] as const;

/**
 * Console keys open the console API. Server secrets open events and evaluation, client keys the part of it
 * that browsers need: they are not secret.
 */
export type KeyKind = (typeof keyKinds)[number];

/** Name of a key that was given none. */
export const DEFAULT_KEY_NAME = "CONSOLE API";

/** A stored key: its hash, never the key itself. */
export interface KeyRecord {
  readonly id: string;
  readonly kind: KeyKind;
  /** Entities and the audit log show it as their writer. Need not be unique. */
  readonly name: string;
  /** Who answers for it: a person or a team. */
  readonly owner: string | null;
  /** Scopes of a console key: see `allows`. Empty for keys of other kinds. */
  readonly scopes: readonly string[];
  /** Requests in a minute, after which further ones are refused. Null without a limit. */
  readonly requestsPerMinuteMax: number | null;
  /** The application that evaluates with it: the key sees only what names it. Null for all entities. */
  readonly targetApp: string | null;
  /** Lower-case hexadecimal SHA-256 of the whole key. */
  readonly hash: string;
  /** The first 8 characters, to tell keys apart. */
  readonly prefix: string;
  /** ms since the epoch. */
  readonly createdTime: number;
  /** ms since the epoch; null while the key is valid. */
  readonly revokedTime: number | null;
  /** ms since the epoch, from which on it is refused; null if it does not expire. */
  readonly expiresTime: number | null;
  /** ms since the epoch, at most a minute before the last use; null if it was never used. */
  readonly lastUsedTime: number | null;
}

/** A revocation by another process takes effect in the next turn of the event loop. */
export interface KeyStore {
  /** Returns the key with this hash, even if it is revoked. */
  find(hash: string): Promise<KeyRecord | undefined>;
  /** Returns all keys, oldest first. */
  list(): Promise<readonly KeyRecord[]>;
  /** Stores a key. With an author, the audit log has it. */
  insert(key: KeyRecord, author?: Author): Promise<void>;
  /** Remembers a use: at most one in a minute is written. A use that cannot be written is forgotten. */
  noteUse(key: KeyRecord, time: number): void;
  /** Returns false if the key is unknown or already revoked. With an author, the audit log has it. */
  revoke(id: string, time: number, author?: Author): Promise<boolean>;
}
