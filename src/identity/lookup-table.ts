import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { toOutputError } from "../base/output-error.js";
import { identityEntryBytes, type SharedIdentity } from "../mapper/identity-table.js";

/** Parts that entries are spread over, by the upper bits of their digest. */
const PART_BITS = 8;
const PARTS = 2 ** PART_BITS;
/** Bytes of a part that wait in memory. */
const PART_BUFFER_BYTES = 2 ** 16;
/** Entries of a bucket, about. */
const BUCKET_ENTRIES = 4;
const BITS_MAX = 24;

/** A finished table. */
interface WrittenTable {
  readonly identity: SharedIdentity;
  /** Anonymous ids with a user. */
  readonly ids: number;
  /** Anonymous ids with several users, which are left out. */
  readonly conflicts: number;
}

/**
 * Writes the table that `SharedIdentity` describes. Entries are spread over files by digest, so that memory
 * is bounded: 16 MiB, one part of 256, and 8 bytes for each bucket of about 4 entries.
 */
export class IdentityTableWriter {
  readonly #parts: (Part | undefined)[] = [];
  readonly #directory: string;
  #entries = 0;

  /** `directory`: an empty one for the table and its temporary files. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Adds the digest at `entry` with a user id; an entry may be repeated. */
  add(entries: Uint32Array, entry: number, user: Uint8Array): void {
    const number = entries[entry + 1]! >>> (32 - PART_BITS);
    this.#parts[number] ??= new Part(join(this.#directory, `part-${number}`));
    this.#parts[number].add(entries, entry, user);
    this.#entries++;
  }

  /** Writes the table, and holds it in shared memory if it has at most `memoryBytes`. */
  finish(memoryBytes: number): WrittenTable {
    const path = join(this.#directory, "table");
    const wanted = Math.ceil(Math.log2(Math.max(1, this.#entries / BUCKET_ENTRIES)));
    const bits = Math.min(BITS_MAX, Math.max(PART_BITS, wanted));
    const starts = new SharedArrayBuffer((2 ** bits + 1) * 8);
    const table = new BucketTable(path, bits, new Float64Array(starts));
    try {
      for (let number = 0; number < PARTS; number++) {
        table.add(number, this.#parts[number]?.take() ?? new Uint8Array());
        this.#parts[number] = undefined;
      }
      const { bytes, bucketBytesMax, ids, conflicts } = table;
      const content = bytes <= memoryBytes ? { content: table.content() } : {};
      return { identity: { bits, starts, bucketBytesMax, path, ...content }, ids, conflicts };
    } finally {
      table.close();
    }
  }
}

/** Entries of one part: those that are in a file, then those in memory. */
class Part {
  #buffer = Buffer.alloc(1024);
  #filled = 0;
  #file: number | undefined;

  constructor(private readonly path: string) {}

  add(entries: Uint32Array, entry: number, user: Uint8Array): void {
    const bytes = identityEntryBytes(user.length);
    if (this.#filled + bytes > this.#buffer.length) this.#makeRoom(bytes);
    const buffer = this.#buffer;
    let at = this.#filled;
    for (let word = 0; word < 4; word++) at = buffer.writeUInt32LE(entries[entry + word]!, at);
    at = buffer.writeUInt32LE(user.length, at);
    buffer.set(user, at);
    // Equal entries have equal bytes.
    buffer.fill(0, at + user.length, this.#filled + bytes);
    this.#filled += bytes;
  }

  /** Returns all entries. */
  take(): Uint8Array {
    if (this.#file === undefined) return this.#buffer.subarray(0, this.#filled);
    this.#flush();
    const all = new Uint8Array(fstatSync(this.#file).size);
    for (let done = 0; done < all.length; ) {
      const count = readSync(this.#file, all, done, all.length - done, done);
      if (count === 0) throw new Error(`${this.path} was cut while it was read`);
      done += count;
    }
    closeSync(this.#file);
    return all;
  }

  #makeRoom(bytes: number): void {
    if (this.#buffer.length >= PART_BUFFER_BYTES) this.#flush();
    if (this.#filled + bytes <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(this.#filled + bytes, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#filled));
    this.#buffer = larger;
  }

  #flush(): void {
    try {
      this.#file ??= openSync(this.path, "w+");
      writeAll(this.#file, this.#buffer.subarray(0, this.#filled));
      this.#filled = 0;
    } catch (error) {
      throw toOutputError(this.path, error);
    }
  }
}

/** Orders the entries of parts by bucket, leaves out repeats and conflicts, and writes them to a file. */
class BucketTable {
  bytes = 0;
  bucketBytesMax = 0;
  ids = 0;
  conflicts = 0;
  readonly #file: number;

  constructor(
    private readonly path: string,
    private readonly bits: number,
    private readonly starts: Float64Array,
  ) {
    this.#file = openSync(path, "w+");
  }

  /** Adds all entries of a part; parts come in their order. */
  add(number: number, entries: Uint8Array): void {
    const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
    const source = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength);
    const buckets = 2 ** (this.bits - PART_BITS);
    const first = number * buckets;
    const cursors = this.#cursors(view, first, buckets);
    const ordered = Buffer.allocUnsafe(entries.length);
    const ends = cursors.slice();
    for (let at = 0; at < entries.length; ) {
      const next = at + identityEntryBytes(view.getUint32(at + 16, true));
      const bucket = this.#bucketAt(view, at) - first;
      source.copy(ordered, ends[bucket], at, next);
      ends[bucket]! += next - at;
      at = next;
    }
    const kept = Buffer.alloc(entries.length);
    let filled = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      this.starts[first + bucket] = this.bytes + filled;
      const bytes = this.#keep(ordered, cursors[bucket]!, ends[bucket]!, kept, filled);
      this.bucketBytesMax = Math.max(this.bucketBytesMax, bytes);
      filled += bytes;
    }
    try {
      writeAll(this.#file, kept.subarray(0, filled));
    } catch (error) {
      throw toOutputError(this.path, error);
    }
    this.bytes += filled;
    this.starts[first + buckets] = this.bytes;
  }

  /** Returns all entries in shared memory. */
  content(): SharedArrayBuffer {
    const content = new SharedArrayBuffer(this.bytes);
    const bytes = new Uint8Array(content);
    for (let done = 0; done < bytes.length; )
      done += readSync(this.#file, bytes, done, bytes.length - done, done);
    return content;
  }

  close(): void {
    closeSync(this.#file);
  }

  #bucketAt(view: DataView, at: number): number {
    return view.getUint32(at + 4, true) >>> (32 - this.bits);
  }

  /** Returns the position of the first entry of each bucket. */
  #cursors(view: DataView, first: number, buckets: number): Float64Array {
    const sizes = new Float64Array(buckets + 1);
    for (let at = 0; at < view.byteLength; ) {
      const bytes = identityEntryBytes(view.getUint32(at + 16, true));
      sizes[this.#bucketAt(view, at) - first + 1]! += bytes;
      at += bytes;
    }
    for (let bucket = 1; bucket <= buckets; bucket++) sizes[bucket]! += sizes[bucket - 1]!;
    return sizes;
  }

  /** Copies the entries of a bucket whose id has one user; returns their bytes. */
  #keep(entries: Buffer, start: number, end: number, target: Uint8Array, position: number): number {
    const kept: number[] = [];
    const conflicts = new Set<number>();
    for (let at = start; at < end; at += entryBytes(entries, at)) {
      const known = kept.find((one) => isSame(entries, one, at, DIGEST_BYTES));
      if (known === undefined) kept.push(at);
      else if (!isSame(entries, known, at, entryBytes(entries, at))) conflicts.add(known);
    }
    let next = position;
    for (const at of kept) {
      if (conflicts.has(at)) continue;
      const bytes = entryBytes(entries, at);
      entries.copy(target, next, at, at + bytes);
      next += bytes;
    }
    this.conflicts += conflicts.size;
    this.ids += kept.length - conflicts.size;
    return next - position;
  }
}

const DIGEST_BYTES = 16;

function entryBytes(entries: Buffer, at: number): number {
  return identityEntryBytes(entries.readUInt32LE(at + DIGEST_BYTES));
}

/** Compares the first bytes of two entries; the length of the text is among those behind the digest. */
function isSame(entries: Buffer, one: number, other: number, bytes: number): boolean {
  for (let byte = 0; byte < bytes; byte++)
    if (entries[one + byte] !== entries[other + byte]) return false;
  return true;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
