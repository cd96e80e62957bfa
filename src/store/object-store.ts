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
  /** Prefixes, each with its final `/`, of keys that go on behind a further `/`. */
  readonly prefixes: readonly string[];
}

export interface ListOptions {
  /** Return what is directly below the prefix, and the prefixes of what is deeper. */
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
  readonly signal: AbortSignal;
}

/** Calls to one bucket. They throw `StoreError`, or the signal's reason. */
export interface ObjectStore {
  /** Lists the objects whose keys begin with `prefix`, ordered by key, page by page. Retries. */
  list(prefix: string, options: ListOptions): AsyncIterable<ObjectPage>;
  /** Returns the bytes of a range as they arrive. Does not retry: `fetchRange` does. */
  get(key: string, options: GetOptions): Promise<AsyncIterable<Uint8Array>>;
}

/** Address and style of calls of an S3 store; what is absent comes from the environment. */
export interface S3Options {
  readonly endpoint?: string;
  readonly region?: string;
  /** Buckets are part of the path, not of the host's name. */
  readonly pathStyle?: boolean;
}
