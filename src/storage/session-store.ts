/** A person who is signed in: the holder of a token acts with a key. */
export interface SessionRecord {
  /** Lower-case hexadecimal SHA-256 of the token. */
  readonly hash: string;
  /** The hash of the key: its state and its rights are those of the session. */
  readonly keyHash: string;
  /** ms since the epoch. */
  readonly createdTime: number;
  /** ms since the epoch, from which on it is refused. */
  readonly expiresTime: number;
}

export interface SessionStore {
  /** Returns the session with this hash, even if it has expired. */
  find(hash: string): Promise<SessionRecord | undefined>;
  /** Stores a session, and removes those that had expired when it was created. */
  insert(session: SessionRecord): Promise<void>;
  /** Does nothing if the session is unknown. */
  remove(hash: string): Promise<void>;
}
