import { createHash, type Hash } from "node:crypto";
import { KIB, MIB } from "../base/limits.js";
import { fetchRange } from "../store/fetch-range.js";
import type { S3Options } from "../store/object-store.js";
import { parseObjectUrl } from "../store/object-url.js";
import { openStore } from "../store/open-store.js";
import type { ByteSource } from "./byte-source.js";
import { objectStateOf } from "./fingerprint.js";
import type { FetchedBytes } from "./read-options.js";
import type { Source } from "./source.js";
import { corrupt, fromSystem } from "./source-errors.js";

/** The members of a source that are needed to fetch its object. */
export type SourceObject = Pick<Source, "name" | "path" | "fingerprint">;

export interface ObjectOptions {
  readonly signal: AbortSignal;
  readonly s3?: S3Options | undefined;
}

/** Bytes of the largest requests, and how many of them are under way. */
const RANGE_BYTES = 8 * MIB;
const RANGES_AHEAD = 3;
/** Bytes of the first request of a reader that may need no more; each further one is four times as long. */
const FIRST_RANGE_BYTES = 256 * KIB;

/** Reason of aborted requests; one for all, as its stack costs more than the rest of closing. */
const closed = new Error("the reader is closed");

/** Returns the MD5 of a source's object, if its store has one that must be compared. */
async function findMd5(
  { path, fingerprint }: SourceObject,
  { s3 = {} }: ObjectOptions,
): Promise<string | undefined> {
  const url = parseObjectUrl(path);
  return url && (await openStore(url, s3)).md5Of?.(objectStateOf(fingerprint).etag);
}

/** Fetches a range of a source's object. Throws `SourceError`, or the signal's reason. */
export async function fetchObject(
  { name, path, fingerprint }: SourceObject,
  { start, end }: { readonly start: number; readonly end: number },
  { signal, s3 = {} }: ObjectOptions,
  take: (bytes: Uint8Array, position: number) => void | Promise<void>,
): Promise<void> {
  const url = parseObjectUrl(path);
  if (url === undefined) throw new Error(`${path} is not the address of an object`);
  try {
    const store = await openStore(url, s3);
    const range = { ...objectStateOf(fingerprint), start, end, signal };
    await fetchRange(store, url.key, range, take);
  } catch (error) {
    throw fromSystem(name, error);
  }
}

/** A range that is being fetched. */
interface Fetched {
  readonly start: number;
  readonly bytes: Uint8Array;
  received: number;
  error?: unknown;
}

interface ObjectRange {
  readonly start: number;
  readonly end: number;
  /** Byte up to which all will be read; absent if the reader may stop early. */
  readonly expectedEnd?: number | undefined;
  /** Bytes of the object that were fetched already. */
  readonly fetched?: FetchedBytes | undefined;
}

/** Returns the known bytes from `start` on. */
function within(fetched: FetchedBytes | undefined, start: number, end: number): Uint8Array {
  if (fetched === undefined || fetched.start > start) return new Uint8Array();
  return fetched.bytes.subarray(start - fetched.start, end - fetched.start);
}

/** Bytes `start` (inclusive) to `end` (exclusive) of an object, by requests that run ahead of the reader. */
export class ObjectBytes implements ByteSource {
  /** In the order of their bytes; the reader is in the first. */
  readonly #ranges: Fetched[] = [];
  readonly #closing = new AbortController();
  #signal: AbortSignal | undefined;
  #position: number;
  /** First byte that is not asked for. */
  #next: number;
  #rangeBytes = FIRST_RANGE_BYTES;
  #wake: (() => void) | undefined;
  /** Digest of the bytes that were read, if they become the whole object and it needs several requests. */
  #hash: Hash | undefined;

  constructor(
    private readonly object: SourceObject,
    private readonly range: ObjectRange,
    private readonly options: ObjectOptions,
  ) {
    const { start, end, fetched } = range;
    const known = within(fetched, start, end);
    this.#position = start;
    this.#next = start + known.length;
    if (known.length > 0) this.#ranges.push({ start, bytes: known, received: known.length });
    const isWhole = start === 0 && end === objectStateOf(object.fingerprint).size;
    // One request for a whole object is compared where it arrives.
    const firstBytes = known.length > 0 ? known.length : this.#nextBytes();
    if (isWhole && firstBytes < end) this.#hash = createHash("md5");
  }

  get consumed(): number {
    return this.#position - this.range.start;
  }

  read(target: Uint8Array): number | Promise<number> {
    this.options.signal.throwIfAborted();
    if (this.#position >= this.range.end || target.length === 0) return 0;
    this.#fetchAhead();
    const count = this.#take(target);
    if (count === 0) return this.#arrival().then(() => this.#readArrived(target));
    this.#hash?.update(target.subarray(0, count));
    const isChecked = this.#hash !== undefined && this.#position === this.range.end;
    return isChecked ? this.#compare(count) : count;
  }

  /** Compares all bytes with the digest of the object. Throws `source_corrupt`. */
  async #compare(count: number): Promise<number> {
    const md5 = await findMd5(this.object, this.options);
    if (md5 !== undefined && this.#hash?.digest("base64") !== md5)
      throw corrupt(this.object.name, "the bytes do not have the MD5 that is the object's ETag", {
        alteredFrom: 0,
      });
    return count;
  }

  #readArrived(target: Uint8Array): number | Promise<number> {
    // A return of 0 would be taken for the end of the object.
    if (target.length === 0)
      throw new Error("memory to read into has moved while bytes were awaited");
    return this.read(target);
  }

  async close(): Promise<void> {
    // An aborted request ends its connection, and another one costs more than the bytes on their way.
    if (this.#missing > FIRST_RANGE_BYTES) this.#closing.abort(closed);
    this.#ranges.length = 0;
  }

  /** Bytes that were asked for and have not arrived. */
  get #missing(): number {
    return this.#ranges.reduce((sum, { bytes, received }) => sum + bytes.length - received, 0);
  }

  /** Copies what has arrived; returns 0 if nothing has. */
  #take(target: Uint8Array): number {
    const [first] = this.#ranges;
    if (first === undefined) return 0;
    const from = this.#position - first.start;
    const count = Math.min(target.length, first.received - from);
    if (count === 0) {
      if (first.error !== undefined) throw first.error;
      return 0;
    }
    target.set(first.bytes.subarray(from, from + count));
    this.#position += count;
    if (from + count === first.bytes.length) this.#ranges.shift();
    return count;
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** True if the next byte to ask for will certainly be read. */
  get #isNeeded(): boolean {
    return this.#next < (this.range.expectedEnd ?? this.range.start);
  }

  /** Bytes of the next request. */
  #nextBytes(): number {
    const end = this.#isNeeded ? (this.range.expectedEnd as number) : this.range.end;
    return Math.min(this.#isNeeded ? RANGE_BYTES : this.#rangeBytes, end - this.#next);
  }

  #fetchAhead(): void {
    while (this.#next < this.range.end && this.#ranges.length < RANGES_AHEAD) {
      // After the bytes that are certainly needed, fetch only as many as the reader asks for.
      if (!this.#isNeeded && this.#ranges.length > 0) return;
      const length = this.#nextBytes();
      if (!this.#isNeeded) this.#rangeBytes = Math.min(RANGE_BYTES, 4 * this.#rangeBytes);
      void this.#fetch({
        start: this.#next,
        bytes: Buffer.allocUnsafeSlow(length),
        received: 0,
      });
      this.#next += length;
    }
  }

  async #fetch(fetched: Fetched): Promise<void> {
    this.#ranges.push(fetched);
    const { start, bytes: all } = fetched;
    this.#signal ??= AbortSignal.any([this.options.signal, this.#closing.signal]);
    const options = { ...this.options, signal: this.#signal };
    try {
      await fetchObject(this.object, { start, end: start + all.length }, options, (bytes) => {
        all.set(bytes, fetched.received);
        fetched.received += bytes.length;
        this.#wake?.();
      });
      if ((await findMd5(this.object, this.options)) === undefined) this.#hash = undefined;
    } catch (error) {
      fetched.error = error;
      this.#wake?.();
    }
  }
}
