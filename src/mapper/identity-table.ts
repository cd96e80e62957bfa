import { openSync, readSync } from "node:fs";

/**
 * A table anonymous id → user id, shared by all threads. Entries are ordered by the 128-bit digest of the
 * anonymous id and lie in buckets by its upper bits; an entry has four u32 of the digest, the length of the
 * user id (u32), and its UTF-8 text. Made in src/run/identity/build-table.ts.
 */
export interface SharedIdentity {
  /** A bucket is the upper `bits` bits of the digest's second word. */
  readonly bits: number;
  /** Doubles: the position of the first byte of each bucket, and that of the end. */
  readonly starts: SharedArrayBuffer;
  /** Bytes of the largest bucket. */
  readonly bucketBytesMax: number;
  /** The entries, if they are held in memory. */
  readonly content?: SharedArrayBuffer;
  /** Absolute path of the file that holds the entries otherwise. */
  readonly path: string;
}

/** Bytes of an entry before its text. */
export const IDENTITY_HEAD_BYTES = 20;

/** Finds the user of an anonymous id in a shared table. Takes no memory that grows with the table. */
export class IdentityTable {
  /** The bytes in which the user id lies that was found last; valid until the next call. */
  bytes: Uint8Array;
  start = 0;
  length = 0;
  readonly #bits: number;
  readonly #starts: Float64Array;
  readonly #file: number | undefined;
  #view: DataView;

  constructor({ bits, starts, bucketBytesMax, content, path }: SharedIdentity) {
    this.#bits = bits;
    this.#starts = new Float64Array(starts);
    const buffer = content ?? new ArrayBuffer(bucketBytesMax);
    this.bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
    // Closed by the system with the process: a thread opens few.
    this.#file = content === undefined ? openSync(path, "r") : undefined;
  }

  /** Returns true if the digest at `entry` has a user, and sets where its text is. */
  find(entries: Uint32Array, entry: number): boolean {
    const bucket = this.#bits === 0 ? 0 : entries[entry + 1]! >>> (32 - this.#bits);
    let at = this.#starts[bucket]!;
    let end = this.#starts[bucket + 1]!;
    if (at === end) return false;
    if (this.#file !== undefined) {
      const bytes = end - at;
      if (readSync(this.#file, this.bytes, 0, bytes, at) !== bytes) {
        throw new Error("the table of identities was cut while it was read");
      }
      at = 0;
      end = bytes;
    }
    const view = this.#view;
    while (at < end) {
      const length = view.getUint32(at + 16, true);
      if (
        view.getUint32(at, true) === entries[entry]! &&
        view.getUint32(at + 4, true) === entries[entry + 1]! &&
        view.getUint32(at + 8, true) === entries[entry + 2]! &&
        view.getUint32(at + 12, true) === entries[entry + 3]!
      ) {
        this.start = at + IDENTITY_HEAD_BYTES;
        this.length = length;
        return true;
      }
      at += IDENTITY_HEAD_BYTES + length;
    }
    return false;
  }
}
