import { openSync, readSync } from "node:fs";

/**
 * A table anonymous id → user id, shared by all threads. Entries are ordered by the 128-bit digest of the
 * anonymous id and lie in buckets by its upper bits; an entry has four u32 of the digest, the length of the
 * user id (u32), and its UTF-8 text, filled up to a multiple of 4 bytes. Made in src/identity/lookup-table.ts.
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
const IDENTITY_HEAD_BYTES = 20;

/** Returns the bytes of an entry by the length of its text. */
export function identityEntryBytes(length: number): number {
  return IDENTITY_HEAD_BYTES + ((length + 3) & ~3);
}

/** Finds the user of an anonymous id in a shared table. Takes no memory that grows with the table. */
export class IdentityTable {
  /** The bytes in which the user id lies that was found last; valid until the next call. */
  bytes: Uint8Array;
  start = 0;
  length = 0;
  readonly #bits: number;
  readonly #starts: Float64Array;
  readonly #file: number | undefined;
  readonly #words: Uint32Array;

  constructor({ bits, starts, bucketBytesMax, content, path }: SharedIdentity) {
    this.#bits = bits;
    this.#starts = new Float64Array(starts);
    const buffer = content ?? new ArrayBuffer(bucketBytesMax);
    this.bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
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
    const words = this.#words;
    const first = entries[entry]!;
    for (let word = at / 4; word < end / 4; ) {
      const length = words[word + 4]!;
      if (
        words[word] === first &&
        words[word + 1] === entries[entry + 1] &&
        words[word + 2] === entries[entry + 2] &&
        words[word + 3] === entries[entry + 3]
      ) {
        this.start = 4 * word + IDENTITY_HEAD_BYTES;
        this.length = length;
        return true;
      }
      word += 5 + ((length + 3) >>> 2);
    }
    return false;
  }
}
