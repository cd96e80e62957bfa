import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { moveDurably, syncFile } from "../base/durable-file.js";
import { KEY_RUN_KEYS } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { toOutputError } from "../base/output-error.js";
import type { Kernel } from "../batch/kernel.js";
import type { EventGroup } from "./event-groups.js";
import { KEY_BUCKETS, KEY_BYTES, KEY_ROW, KEY_WORDS } from "./key-digests.js";
import { checksumKeys, type KeyTrailer, type RangeKeys, trailerBytes } from "./key-file.js";

/** Kernel memory in which a worker sorts keys, shared by its splits. */
export class KeyBuffer {
  readonly entries: number;
  readonly buckets: number;
  readonly sorted: number;
  readonly starts: number;

  constructor(readonly kernel: Kernel) {
    this.entries = kernel.allocate(KEY_RUN_KEYS * KEY_BYTES);
    this.buckets = kernel.allocate(KEY_RUN_KEYS * 2);
    this.sorted = kernel.allocate(KEY_RUN_KEYS * KEY_BYTES);
    this.starts = kernel.allocate((KEY_BUCKETS + 1) * 4);
  }
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
    const { u32, bytes } = this.buffer.kernel;
    for (let from = 0; from < buckets.length; ) {
      const count = Math.min(buckets.length - from, KEY_RUN_KEYS - this.#pending);
      const target = this.buffer.entries / 4 + this.#pending * KEY_WORDS;
      u32.set(entries.subarray(from * KEY_WORDS, (from + count) * KEY_WORDS), target);
      const bucket = this.buffer.buckets + this.#pending * 2;
      new Uint16Array(bytes.buffer, bucket, count).set(buckets.subarray(from, from + count));
      const end = target + count * KEY_WORDS;
      for (let word = target + KEY_ROW; word < end; word += KEY_WORDS) {
        u32[word] = positionOf(u32[word]!);
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
    const { kernel, entries, buckets, sorted, starts } = this.buffer;
    const count = this.#pending;
    kernel.run.sortKeys(entries, buckets, count, sorted, starts, KEY_BUCKETS);
    const index = new Uint32Array(2 * KEY_BUCKETS + 1);
    index.set(kernel.u32.subarray(starts / 4, starts / 4 + KEY_BUCKETS + 1));
    for (let bucket = 0; bucket < KEY_BUCKETS; bucket++) {
      const [from, to] = [index[bucket]!, index[bucket + 1]!];
      const address = sorted + from * KEY_BYTES;
      index[KEY_BUCKETS + 1 + bucket] = checksumKeys(kernel, address, to - from, bucket);
    }
    this.#runs.push({ start: this.#bytes, keys: count });
    this.#indexes.push(new Uint8Array(index.buffer));
    this.#write(kernel.bytes.subarray(sorted, sorted + count * KEY_BYTES));
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
