export const keyKinds = ["console", "server"] as const;

/** Console keys open the console API, server secrets the event route. */
export type KeyKind = (typeof keyKinds)[number];

/** A key as it is stored: never the key itself. */
export interface KeyRecord {
  readonly id: string;
  readonly kind: KeyKind;
  /** Whether writes are allowed; only console keys may be without. */
  readonly canWrite: boolean;
  /** Lower-case hexadecimal SHA-256 of the whole key. */
  readonly hash: string;
  /** The first 8 characters, to tell keys apart. */
  readonly prefix: string;
  /** ms since the epoch. */
  readonly createdTime: number;
  /** ms since the epoch; null while the key holds. */
  readonly revokedTime: number | null;
}

/** A revocation by another process is seen by the next turn of the event loop. */
export interface KeyStore {
  /** Revoked ones are found too. */
  find(hash: string): Promise<KeyRecord | undefined>;
  /** Oldest first. */
  list(): Promise<readonly KeyRecord[]>;
  insert(key: KeyRecord): Promise<void>;
  /** False where there is no such key, or it was revoked before. */
  revoke(id: string, time: number): Promise<boolean>;
}
