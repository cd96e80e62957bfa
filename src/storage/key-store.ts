export const keyKinds = ["console", "server", "client"] as const;

/**
 * Console keys open the console API. Server secrets open events and evaluation, client keys the part of it
 * that browsers need: they are not secret.
 */
export type KeyKind = (typeof keyKinds)[number];

/** A stored key: its hash, never the key itself. */
export interface KeyRecord {
  readonly id: string;
  readonly kind: KeyKind;
  /** True if writes are allowed. Only console keys may be read-only. */
  readonly canWrite: boolean;
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
}

/** A revocation by another process takes effect in the next turn of the event loop. */
export interface KeyStore {
  /** Returns the key with this hash, even if it is revoked. */
  find(hash: string): Promise<KeyRecord | undefined>;
  /** Returns all keys, oldest first. */
  list(): Promise<readonly KeyRecord[]>;
  insert(key: KeyRecord): Promise<void>;
  /** Returns false if the key is unknown or already revoked. */
  revoke(id: string, time: number): Promise<boolean>;
}
