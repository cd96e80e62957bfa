/** An object as a listing describes it. */
export interface ObjectFacts {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Changes whenever the content does. */
  readonly etag: string;
  /** Milliseconds since 1970 UTC. */
  readonly modifiedMs: number;
}

export interface ObjectPage {
  readonly objects: readonly ObjectFacts[];
  /** Prefixes, each with its final `/`, of keys that have a further `/`. */
  readonly prefixes: readonly string[];
}

export interface ListOptions {
  /** List only what is directly below the prefix, and the prefixes of deeper keys. */
  readonly isFlat: boolean;
  readonly signal: AbortSignal;
}

export interface GetOptions {
  /** The object must have this ETag. */
  readonly etag: string;
  /** First byte. */
  readonly start: number;
  /** Byte after the last one, above `start`. */
  readonly end: number;
  /** Bytes of the object, if it is known: of a whole object, stores have a digest. */
  readonly size?: number;
  readonly signal: AbortSignal;
}

/** An object, without its content. */
export interface ObjectHead extends ObjectFacts {
  readonly metadata: Readonly<Record<string, string>>;
  /** Time of the answer by the clock of the store, in milliseconds since 1970 UTC. */
  readonly nowMs: number;
}

/** The content of an object: bytes, or a file that does not change. */
export type ObjectContent =
  | { readonly bytes: Uint8Array }
  | {
      readonly path: string;
      /** Bytes. */
      readonly size: number;
    };

export interface PutOptions {
  /** There must be no object of that key, or it must have this ETag. */
  readonly condition: "absent" | { readonly etag: string };
  /** SHA-256 of the content in hexadecimal, which the store checks. Kept as metadata. */
  readonly sha256: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Calls to one bucket. They throw `StoreError`, or the signal's reason. */
export interface ObjectStore {
  /** Lists the objects whose keys begin with `prefix`, ordered by key, page by page. Retries. */
  list(prefix: string, options: ListOptions): AsyncIterable<ObjectPage>;
  /** Returns the bytes of a range as they arrive. Does not retry: `fetchRange` does. */
  get(key: string, options: GetOptions): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Returns the MD5 of a whole object that the ETag is, in base64; undefined if it is none, or if TLS protects
   * the bytes on their way. Known after a range of the object was read.
   */
  md5Of?(etag: string): string | undefined;
  /** Returns undefined if there is no such object. Retries. */
  head(key: string, signal: AbortSignal): Promise<ObjectHead | undefined>;
  /**
   * Writes a whole object and returns its ETag, or `occupied` if the condition is not met. It is also not
   * met if an earlier attempt of the same call was stored and its answer was lost. Retries.
   */
  put(key: string, content: ObjectContent, options: PutOptions): Promise<string | "occupied">;
  /** Removes objects; those that do not exist are ignored. Retries. */
  remove(keys: readonly string[], signal: AbortSignal): Promise<void>;
}

/**
 * Checksums sent with written objects: only required ones, or also one that the store keeps; `off` also
 * compares nothing that is read.
 */
export const s3Checksums = ["required", "supported", "off"] as const;
export type S3Checksums = (typeof s3Checksums)[number];

/** Address of calls to an S3 store; absent members come from the environment. */
export interface S3Options {
  readonly endpoint?: string;
  readonly region?: string;
  readonly checksums?: S3Checksums;
  /** Limit for all threads of the process together. */
  readonly requestsPerSecond?: number;
}
