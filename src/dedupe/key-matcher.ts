import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { writeDurably } from "../base/durable-file.js";
import { DUPLICATES_LISTED_MAX } from "../base/limits.js";
import { toOutputError } from "../base/output-error.js";
import { sum } from "../base/sum.js";
import { type Kernel, Region } from "../batch/kernel.js";
import { encodeDrops, noDrops, readDrops } from "./drop-list.js";
import { type EventGroup, groupsFileOf, readGroups } from "./event-groups.js";
import {
  type BucketRange,
  type EventPlace,
  KeyDamage,
  KeyFile,
  POSITION_UNKNOWN,
} from "./key-file.js";
import { DROP_WORDS, type KeySlice, KeyTable } from "./key-table.js";

/** A key file to compare. */
export interface MatchFile {
  readonly path: string;
  /** Its events are kept; they only make later ones repeats. */
  readonly isPrior: boolean;
  /** Drop list of events that were removed earlier and do not count. */
  readonly drops?: string;
}

/** The keys of some buckets, from all files. The events of earlier files have priority. */
export interface MatchWork extends KeySlice, BucketRange {
  readonly files: readonly MatchFile[];
  readonly keys: number;
  /** Differs from that of the match before if files were written again in between. */
  readonly generation: number;
  /** File that receives the drops, in the order of the files; not made if there are none. */
  readonly path: string;
}

/** Drops of one file in the file of a match. */
export interface DropSlice {
  readonly path: string;
  /** Index of the first drop, and number of drops, at least one. */
  readonly start: number;
  readonly count: number;
}

/** The drops of one split, from all matches. */
export interface GatherWork {
  readonly files: readonly MatchFile[];
  readonly slices: readonly DropSlice[];
  /** Drop file to write. */
  readonly path: string;
  readonly temporaryDirectory: string;
}

/** The drops of one split, to be counted by the groups of its key file. */
export interface CountWork {
  readonly keys: string;
  readonly slices: readonly DropSlice[];
}

/** Removed events of a split by source, and by the groups of its key file. */
export interface CountedDrops {
  readonly sources: readonly (readonly [source: string, rows: number])[];
  readonly groups: readonly (readonly [group: EventGroup, rows: number])[];
}

/** The result of comparing: the number of drops of each file, or the path of a damaged one. */
export type MatchResult = { readonly drops: readonly number[] } | { readonly damaged: string };

/** Compares keys in a worker thread. */
export class KeyMatcher {
  readonly #table: KeyTable;
  readonly #entries: Region;
  readonly #known = new Map<string, KeyFile>();
  #generation = 0;

  constructor(private readonly kernel: Kernel) {
    this.#table = new KeyTable(kernel);
    this.#entries = new Region(kernel, 0);
  }

  /** `checkpoint` throws when the run is stopped. */
  match(work: MatchWork, checkpoint: () => void): MatchResult {
    if (work.generation !== this.#generation) this.#known.clear();
    this.#generation = work.generation;
    const output = new DropOutput(work.path);
    try {
      this.#table.clear(work.keys, work);
      return {
        drops: work.files.map((one, index) =>
          this.#compare(one, index + 1, work, output, checkpoint),
        ),
      };
    } catch (error) {
      if (error instanceof KeyDamage) return { damaged: error.path };
      throw toOutputError(work.path, error);
    } finally {
      output.close();
    }
  }

  /** Writes the drop list of a split and returns its digest. */
  async gather({ files, slices, path, temporaryDirectory }: GatherWork): Promise<string> {
    const drops = readSlices(slices);
    const count = drops.length / DROP_WORDS;
    const order = new Float64Array(count);
    // Ordinals differ, and their product with the count is below 2^53.
    for (let drop = 0; drop < count; drop++) order[drop] = drops[drop * DROP_WORDS]! * count + drop;
    order.sort();
    const [ordinals, checks] = [new Uint32Array(count), new Uint32Array(count)];
    const kept: EventPlace[] = [];
    order.forEach((value, index) => {
      const at = (value % count) * DROP_WORDS;
      ordinals[index] = drops[at]!;
      checks[index] = drops[at + 1]!;
      if (index >= DUPLICATES_LISTED_MAX) return;
      const { path: keptPath } = files[drops[at + 2]! - 1] as MatchFile;
      kept.push(this.#open(keptPath).placeOf(drops[at + 3]!, drops[at + 4]!));
    });
    const { bytes, digest } = encodeDrops({ ordinals, checks, kept });
    await writeDurably(path, bytes, { temporaryDirectory });
    return digest;
  }

  /** Counts the drops of a split by source and group. */
  count({ keys, slices }: CountWork): CountedDrops {
    const file = this.#open(keys);
    const drops = readSlices(slices);
    const groupOf = readGroups(groupsFileOf(keys));
    const [sources, groups] = [new Map<string, number>(), new Map<number, number>()];
    const add = <Key>(counts: Map<Key, number>, key: Key) =>
      counts.set(key, (counts.get(key) ?? 0) + 1);
    for (let drop = 0; drop < drops.length; drop += DROP_WORDS) {
      const ordinal = drops[drop]!;
      add(groups, groupOf[ordinal]!);
      add(sources, file.placeOf(ordinal, POSITION_UNKNOWN).source);
    }
    const named = file.trailer.groups ?? [];
    return {
      sources: [...sources],
      groups: [...groups].map(([group, rows]) => [named[group] ?? ["", ""], rows] as const),
    };
  }

  #compare(
    { path, isPrior, drops: dropped }: MatchFile,
    number: number,
    buckets: BucketRange,
    output: DropOutput,
    checkpoint: () => void,
  ): number {
    checkpoint();
    const { ordinals } = dropped === undefined ? noDrops : readDrops(dropped);
    let count = 0;
    this.#open(path).readEntries(buckets, this.kernel, this.#entries, (entries) => {
      const drops = this.#table.add(this.#entries.address, entries, number, ordinals);
      if (isPrior) return;
      count += drops.length / DROP_WORDS;
      output.write(drops);
    });
    return count;
  }

  #open(path: string): KeyFile {
    const known = this.#known.get(path) ?? new KeyFile(path);
    this.#known.set(path, known);
    return known;
  }
}

/** The file that a match writes its drops to, made for the first one: most matches have none. */
class DropOutput {
  #file: number | undefined;

  constructor(private readonly path: string) {}

  write(drops: Uint32Array): void {
    if (drops.length === 0) return;
    this.#file ??= openSync(this.path, "w");
    const bytes = new Uint8Array(drops.buffer, drops.byteOffset, drops.byteLength);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function readSlices(slices: readonly DropSlice[]): Uint32Array {
  const drops = new Uint32Array(sum(slices, ({ count }) => count) * DROP_WORDS);
  const bytes = new Uint8Array(drops.buffer);
  let done = 0;
  for (const { path, start, count } of slices) {
    const file = openSync(path, "r");
    try {
      const end = done + count * DROP_WORDS * 4;
      for (let position = start * DROP_WORDS * 4; done < end; ) {
        const read = readSync(file, bytes, done, end - done, position);
        if (read === 0) throw new Error(`${path} is shorter than it was`);
        done += read;
        position += read;
      }
    } finally {
      closeSync(file);
    }
  }
  return drops;
}
