import type { Kernel } from "../batch/kernel.js";
import { writeWords } from "../batch/kernel-record.js";
import { junkIdsLayout, junkLayout } from "../batch/layouts.js";
import type { SplitJunkId } from "./split-profile.js";

/** Placeholder ids that occur in exports. */
const placeholderIDs: readonly string[] = [
  ..."0 -1 null NULL Null undefined anonymous Anonymous none None NONE nil NaN nan N/A n/a".split(
    " ",
  ),
  ..."unknown Unknown guest true false (null) (none) distinct_id not_authenticated".split(" "),
  "(not set)",
  "[object Object]",
  "00000000-0000-0000-0000-000000000000",
];

const placeholders: ReadonlySet<string> = new Set(placeholderIDs);

/** Returns true for an id that tools write when they have none. */
export function isPlaceholderID(id: string): boolean {
  return placeholders.has(id);
}

/** Counts the rows of each placeholder id in kernel memory. */
export class PlaceholderIds {
  /** Address of the record that kernels use. */
  readonly address: number;
  readonly #first: number;

  constructor(private readonly kernel: Kernel) {
    this.address = kernel.allocate(junkIdsLayout.bytes);
    this.#first = kernel.allocate(placeholderIDs.length * junkLayout.bytes);
    const hashes = new BigUint64Array(placeholderIDs.length);
    let lengths = 0n;
    for (const [index, id] of placeholderIDs.entries()) {
      const bytes = encoder.encode(id);
      lengths |= 1n << BigInt(bytes.length);
      const text = kernel.allocate(bytes.length);
      kernel.bytes.set(bytes, text);
      hashes[index] = BigInt(kernel.run.junkHash(text, bytes.length)) << 11n;
      kernel.free(text);
    }
    const { longs } = kernel;
    longs[this.address / 8 + junkIdsLayout.longs.lengths] = lengths;
    writeWords(kernel, junkIdsLayout, this.address, {
      first: this.#first,
      end: this.#first + placeholderIDs.length * junkLayout.bytes,
    });
    for (const [index, hash] of hashes.entries()) {
      longs[(this.#first + index * junkLayout.bytes) / 8 + junkLayout.longs.hash] = hash;
    }
    this.clear();
  }

  clear(): void {
    for (let index = 0; index < placeholderIDs.length; index++) {
      const junk = this.#first + index * junkLayout.bytes;
      writeWords(this.kernel, junkLayout, junk, { userRows: 0, deviceRows: 0 });
    }
  }

  counts(): readonly SplitJunkId[] {
    const { u32 } = this.kernel;
    const { userRows, deviceRows } = junkLayout.words;
    return placeholderIDs.flatMap((value, index) => {
      const junk = (this.#first + index * junkLayout.bytes) / 4;
      return [
        { field: "userID", value, rows: u32[junk + userRows]! } as const,
        { field: "stableID", value, rows: u32[junk + deviceRows]! } as const,
      ].filter(({ rows }) => rows > 0);
    });
  }
}

const encoder = new TextEncoder();
