import type { Kernel } from "../batch/kernel.js";
import type { SplitJunkId } from "./split-profile.js";

/** Ids that stand for nobody, as seen in exports. */
const junkIDs: readonly string[] = [
  ...["0", "-1", "null", "NULL", "Null", "undefined", "anonymous", "Anonymous", "none", "None"],
  ...["NONE", "nil", "NaN", "nan", "N/A", "n/a", "unknown", "Unknown", "guest", "true", "false"],
  ...["(null)", "(not set)", "(none)", "[object Object]", "distinct_id", "not_authenticated"],
  "00000000-0000-0000-0000-000000000000",
];

/** Bytes of the kernels' `Junk` and `JunkIds`. */
const JUNK_BYTES = 16;
const HEAD_BYTES = 16;

/** Counts the rows of each of `junkIDs` in kernel memory. */
export class JunkIds {
  /** What kernels take. */
  readonly address: number;
  readonly #first: number;

  constructor(private readonly kernel: Kernel) {
    this.address = kernel.allocate(HEAD_BYTES);
    this.#first = kernel.allocate(junkIDs.length * JUNK_BYTES);
    const hashes = new BigUint64Array(junkIDs.length);
    let lengths = 0n;
    for (const [index, id] of junkIDs.entries()) {
      const bytes = encoder.encode(id);
      lengths |= 1n << BigInt(bytes.length);
      const text = kernel.allocate(bytes.length);
      kernel.bytes.set(bytes, text);
      hashes[index] = BigInt(kernel.run.junkHash(text, bytes.length)) << 11n;
      kernel.free(text);
    }
    const memory = new DataView(kernel.memory.buffer);
    memory.setBigUint64(this.address, lengths, true);
    memory.setUint32(this.address + 8, this.#first, true);
    memory.setUint32(this.address + 12, this.#first + junkIDs.length * JUNK_BYTES, true);
    for (const [index, hash] of hashes.entries()) {
      memory.setBigUint64(this.#first + index * JUNK_BYTES, hash, true);
    }
    this.clear();
  }

  clear(): void {
    const { words } = this.kernel;
    for (let index = 0; index < junkIDs.length; index++) words.fill(0, ...this.#rowsOf(index));
  }

  counts(): readonly SplitJunkId[] {
    return junkIDs.flatMap((value, index) => {
      const [userRows = 0, deviceRows = 0] = this.kernel.words.subarray(...this.#rowsOf(index));
      return [
        { field: "userID", value, rows: userRows } as const,
        { field: "stableID", value, rows: deviceRows } as const,
      ].filter(({ rows }) => rows > 0);
    });
  }

  #rowsOf(index: number): [start: number, end: number] {
    const start = (this.#first + index * JUNK_BYTES) / 4 + 2;
    return [start, start + 2];
  }
}

const encoder = new TextEncoder();
