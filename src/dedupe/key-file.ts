import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { hasCode, SwitchyardError } from "../base/errors.js";
import { toOutputError } from "../base/output-error.js";
import type { Kernel, Region } from "../batch/kernel.js";
import type { EventGroup } from "./event-groups.js";
import { KEY_BUCKETS, KEY_BYTES } from "./key-digests.js";

/** The events of one range of a split. */
export interface RangeKeys {
  /** Name of the source. */
  readonly source: string;
  /** Delivered events before `--dedupe`, with and without a key. */
  readonly events: number;
  /** Added to the position of an entry. */
  readonly base: number;
  /** Positions are numbers of rows, or offsets in the decompressed source. */
  readonly unit: "row" | "byte";
}

/** The description of a key file, at its end. */
export interface KeyTrailer {
  readonly events: number;
  readonly keys: number;
  /** By index of the range in the split. */
  readonly ranges: readonly RangeKeys[];
  /** By number, if repeated events are counted; the file beside has the number of each event. */
  readonly groups?: readonly EventGroup[];
  /** First byte and number of entries of each run. */
  readonly runs: readonly { readonly start: number; readonly keys: number }[];
}

/** The position of a row, as manifest and files of duplicates name it. */
export interface EventPlace {
  readonly source: string;
  readonly row?: number;
  readonly byte?: number;
}

/** A key file is missing or damaged, so its split must be read again. */
export class KeyDamage extends SwitchyardError {
  constructor(
    readonly path: string,
    what: string,
  ) {
    super("keys_damaged", `${path} ${what}; run the same command again to read its split again`);
  }
}

const MAGIC = 0x324b5753;
const END_BYTES = 16;
/** A position that is not known. */
export const POSITION_UNKNOWN = 0xffffffff;

/** Returns the checksum of the entries of a bucket in a run: `count` of them at an address. */
export function checksumKeys(
  { run }: Kernel,
  address: number,
  count: number,
  bucket: number,
): number {
  return run.checksumPack(address, count * KEY_BYTES, bucket, count) >>> 0;
}

/** Returns the end of a key file: indexes of all runs, the trailer as JSON, then sizes and checksum. */
export function trailerBytes(trailer: KeyTrailer, indexes: readonly Uint8Array[]): Uint8Array {
  const json = Buffer.from(JSON.stringify(trailer));
  const padding = Buffer.alloc(-json.length & 3, " ");
  const body = Buffer.concat([...indexes, json, padding]);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(json.length + padding.length, 0);
  end.writeUInt32LE(indexes.length, 4);
  end.writeUInt32LE(crc32(body), 8);
  end.writeUInt32LE(MAGIC, 12);
  return Buffer.concat([body, end]);
}

/** Buckets [first, end). */
export interface BucketRange {
  readonly first: number;
  readonly end: number;
}

/** Reads a key file. Its methods throw `KeyDamage` for a damaged file. */
export class KeyFile {
  readonly trailer: KeyTrailer;
  /** First ordinal of each range, then the number of all events. */
  readonly rangeStarts: readonly number[];
  /** Checksum of indexes and trailer, and so of all keys. */
  readonly checksum: number;
  /** First byte of the indexes. */
  readonly #indexes: number;

  constructor(readonly path: string) {
    try {
      const { trailer, indexes, checksum } = this.#open((file) => this.#readTrailer(file));
      this.trailer = trailer;
      this.#indexes = indexes;
      this.checksum = checksum;
    } catch (error) {
      throw error instanceof SyntaxError ? this.#damage() : error;
    }
    let start = 0;
    const starts = this.trailer.ranges.map(({ events }) => {
      start += events;
      return start - events;
    });
    this.rangeStarts = [...starts, start];
  }

  /** Adds the number of keys of each bucket. */
  countKeys(totals: Float64Array): void {
    this.#open((file) => {
      for (let run = 0; run < this.trailer.runs.length; run++) {
        const starts = this.#index(file, run, 0, KEY_BUCKETS + 1);
        for (let bucket = 0; bucket < KEY_BUCKETS; bucket++) {
          totals[bucket]! += starts[bucket + 1]! - starts[bucket]!;
        }
      }
    });
  }

  /** Reads the entries of buckets to `target`, run by run: those of a bucket are in order. */
  readEntries(
    { first, end }: BucketRange,
    kernel: Kernel,
    target: Region,
    use: (count: number) => void,
  ): void {
    this.#open((file) => {
      for (const [run, { start }] of this.trailer.runs.entries()) {
        const starts = this.#index(file, run, first, end + 1);
        const sums = this.#index(file, run, KEY_BUCKETS + 1 + first, KEY_BUCKETS + 1 + end);
        const [from, to] = [starts[0]!, starts[end - first]!];
        const bytes = (to - from) * KEY_BYTES;
        target.ensure(bytes);
        const { address } = target;
        this.#read(file, kernel.bytes.subarray(address, address + bytes), start + from * KEY_BYTES);
        sums.forEach((sum, index) => {
          const [begin, stop] = [starts[index]!, starts[index + 1]!];
          const at = address + (begin - from) * KEY_BYTES;
          if (checksumKeys(kernel, at, stop - begin, first + index) !== sum) throw this.#damage();
        });
        use(to - from);
      }
    });
  }

  /** Returns the position of the row of an event. */
  placeOf(ordinal: number, position: number): EventPlace {
    const range = this.rangeStarts.findIndex((start) => start > ordinal) - 1;
    const { source = "", base = 0, unit = "row" } = this.trailer.ranges[range] ?? {};
    return position === POSITION_UNKNOWN ? { source } : { source, [unit]: base + position };
  }

  /** Words [from, to) of the index of a run. */
  #index(file: number, run: number, from: number, to: number): Uint32Array {
    const words = new Uint32Array(to - from);
    this.#read(file, bytesOf(words), this.#indexes + (run * (2 * KEY_BUCKETS + 1) + from) * 4);
    return words;
  }

  #readTrailer(file: number) {
    const { size } = fstatSync(file);
    if (size < END_BYTES) throw this.#damage();
    const end = new Uint32Array(END_BYTES / 4);
    this.#read(file, bytesOf(end), size - END_BYTES);
    const [jsonBytes, runs, checksum, magic] = end as unknown as [number, number, number, number];
    const bodyBytes = runs * (2 * KEY_BUCKETS + 1) * 4 + jsonBytes;
    if (magic !== MAGIC || bodyBytes + END_BYTES > size) throw this.#damage();
    const body = Buffer.alloc(bodyBytes);
    const indexes = size - END_BYTES - bodyBytes;
    this.#read(file, body, indexes);
    if (crc32(body) !== checksum) throw this.#damage();
    const json = body.subarray(bodyBytes - jsonBytes).toString();
    return { trailer: JSON.parse(json) as KeyTrailer, indexes, checksum };
  }

  #read(file: number, bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(file, bytes, done, bytes.length - done, position + done);
      if (count === 0) throw this.#damage();
      done += count;
    }
  }

  /** Opens the file for one use: there can be more key files than a process may keep open. */
  #open<T>(use: (file: number) => T): T {
    let file: number;
    try {
      file = openSync(this.path, "r");
    } catch (error) {
      if (hasCode(error, "ENOENT")) throw new KeyDamage(this.path, "no longer exists");
      throw toOutputError(this.path, error);
    }
    try {
      return use(file);
    } finally {
      closeSync(file);
    }
  }

  #damage(): KeyDamage {
    return new KeyDamage(this.path, "is damaged");
  }
}

export function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
