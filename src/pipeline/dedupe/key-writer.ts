import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { moveDurably, syncFile } from "../../base/durable-file.js";
import { KEY_RUN_KEYS } from "../../base/limits.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { toOutputError } from "../../base/output-error.js";
import type { EventGroup } from "./event-groups.js";
import { KEY_BUCKETS, KEY_ROW, KEY_WORDS } from "./key-digests.js";
import { checksumOf, type KeyTrailer, type RangeKeys, trailerBytes } from "./key-file.js";

/** Memory in which a worker sorts keys, shared by its splits. */
export class KeyBuffer {
  readonly entries = new Uint32Array(KEY_RUN_KEYS * KEY_WORDS);
  readonly buckets = new Uint16Array(KEY_RUN_KEYS);
  readonly sorted = new Uint32Array(KEY_RUN_KEYS * KEY_WORDS);
  readonly starts = new Uint32Array(KEY_BUCKETS + 1);
}

/**
 * Writes the key file of one split: runs of entries that are ordered by bucket, and by ordinal
 * within a bucket; then the index of each run. Memory does not grow with the number of keys.
 */
export class KeyWriter {
  readonly #temporary: string;
  #file: number | undefined;
  #bytes = 0;
  #keys = 0;
  /** Entries in the buffer. */
  #pending = 0;
  readonly #runs: { readonly start: number; readonly keys: number }[] = [];
  readonly #indexes: Uint8Array[] = [];

  /** Only one writer at a time uses the buffer. */
  constructor(
    private readonly buffer: KeyBuffer,
    private readonly path: string,
    temporaryDirectory: string,
  ) {
    this.#temporary = `${temporaryDirectory}/keys-${path.split(/[/\\]/).at(-1)}`;
  }

  /** Adds entries. The last word of each becomes its position: `positions` returns it for a row. */
  add(entries: Uint32Array, buckets: Uint16Array, positionOf: (row: number) => number): void {
    const { buffer } = this;
    for (let from = 0; from < buckets.length; ) {
      const count = Math.min(buckets.length - from, KEY_RUN_KEYS - this.#pending);
      const target = this.#pending * KEY_WORDS;
      buffer.entries.set(entries.subarray(from * KEY_WORDS, (from + count) * KEY_WORDS), target);
      buffer.buckets.set(buckets.subarray(from, from + count), this.#pending);
      const end = target + count * KEY_WORDS;
      for (let word = target + KEY_ROW; word < end; word += KEY_WORDS) {
        buffer.entries[word] = positionOf(buffer.entries[word]!);
      }
      this.#pending += count;
      from += count;
      if (this.#pending === KEY_RUN_KEYS) this.#writeRun();
    }
  }

  /** Writes what is left; the buffer is then free. */
  finish(ranges: readonly RangeKeys[], events: number, groups?: readonly EventGroup[]): void {
    if (this.#pending > 0) this.#writeRun();
    const trailer: KeyTrailer = {
      events,
      keys: this.#keys,
      ranges,
      runs: this.#runs,
      ...omitUndefined({ groups }),
    };
    this.#write(trailerBytes(trailer, this.#indexes));
  }

  async commit(): Promise<void> {
    try {
      this.#close();
      await syncFile(this.#temporary);
      await moveDurably(this.#temporary, this.path);
    } catch (error) {
      throw toOutputError(this.path, error);
    }
  }

  abort(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #writeRun(): void {
    const { entries, buckets, sorted, starts } = this.buffer;
    const count = this.#pending;
    sortByBucket(entries, buckets, count, sorted, starts);
    const words = sorted.subarray(0, count * KEY_WORDS);
    const index = new Uint32Array(2 * KEY_BUCKETS + 1);
    index.set(starts);
    for (let bucket = 0; bucket < KEY_BUCKETS; bucket++) {
      const [from, to] = [starts[bucket]!, starts[bucket + 1]!];
      index[KEY_BUCKETS + 1 + bucket] = checksumOf(words, from * KEY_WORDS, to * KEY_WORDS);
    }
    this.#runs.push({ start: this.#bytes, keys: count });
    this.#indexes.push(bytesOf(index));
    this.#write(bytesOf(words));
    this.#keys += count;
    this.#pending = 0;
  }

  #write(bytes: Uint8Array): void {
    try {
      if (this.#file === undefined) mkdirSync(dirname(this.path), { recursive: true });
      this.#file ??= openSync(this.#temporary, "w");
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
      this.#bytes += bytes.length;
    } catch (error) {
      throw toOutputError(this.#temporary, error);
    }
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Orders entries by bucket, in their order within a bucket; `starts` gets where each bucket begins. */
function sortByBucket(
  entries: Uint32Array,
  buckets: Uint16Array,
  count: number,
  sorted: Uint32Array,
  starts: Uint32Array,
): void {
  starts.fill(0);
  for (let index = 0; index < count; index++) starts[buckets[index]! + 1]!++;
  for (let bucket = 0; bucket < KEY_BUCKETS; bucket++) starts[bucket + 1]! += starts[bucket]!;
  const next = starts.slice();
  for (let index = 0, from = 0; index < count; index++, from += KEY_WORDS) {
    const to = next[buckets[index]!]!++ * KEY_WORDS;
    for (let word = 0; word < KEY_WORDS; word++) sorted[to + word] = entries[from + word]!;
  }
}
