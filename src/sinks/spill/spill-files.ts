import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { epochPrefix } from "../../base/epoch.js";
import { hasCode, SwitchyardError } from "../../base/errors.js";
import { SPILL_FILES_OPEN_MAX } from "../../base/limits.js";
import { outputError } from "../../base/output-error.js";
import type { SpillFile } from "../sink.js";
import { digestOfIndex, PACK_ENTRY_BYTES, SpillIndex } from "./spill-index.js";

/** A spill file does not match the ledger. Exit code 1; its split can be run again. */
export class SpillDamage extends SwitchyardError {
  constructor(path: string, what: string) {
    super(
      "spill_damaged",
      `${path} ${what}: delete it and run the same command again, which reads its split again`,
    );
  }
}

/** Spill files to read, of which a bounded number is open. */
export class OpenSpillFiles {
  /** File descriptors by path, the most recently used last. */
  readonly #open = new Map<string, number>();

  /** Fills `target` from `position` on. Throws `SpillDamage` if the file is too short. */
  read(path: string, target: Uint8Array, position: number): void {
    for (let done = 0; done < target.length; ) {
      const count = this.#try(path, (file) =>
        readSync(file, target, done, target.length - done, position + done),
      );
      if (count === 0) throw new SpillDamage(path, "is shorter than it was");
      done += count;
    }
  }

  size(path: string): number {
    return this.#try(path, (file) => fstatSync(file).size);
  }

  close(): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
  }

  #try<T>(path: string, act: (file: number) => T): T {
    try {
      return act(this.#descriptor(path));
    } catch (error) {
      if (hasCode(error, "ENOENT")) throw new SpillDamage(path, "does not exist any more");
      throw outputError("read", path, error);
    }
  }

  #descriptor(path: string): number {
    const known = this.#open.get(path);
    if (known !== undefined) this.#open.delete(path);
    const file = known ?? openSync(path, "r");
    this.#open.set(path, file);
    const [oldest] = this.#open;
    if (this.#open.size > SPILL_FILES_OPEN_MAX && oldest !== undefined) {
      this.#open.delete(oldest[0]);
      closeSync(oldest[1]);
    }
    return file;
  }
}

/** Reads the index of a spill file. Throws `SpillDamage` if it is damaged. */
export function readSpillIndex(
  path: string,
  { packs, indexSha256 }: Pick<SpillFile, "packs" | "indexSha256">,
): SpillIndex {
  const files = new OpenSpillFiles();
  const indexPath = spillIndexPathOf(path);
  try {
    const entries = new Uint8Array(packs * PACK_ENTRY_BYTES);
    files.read(indexPath, entries, 0);
    if (digestOfIndex(entries) !== indexSha256) throw new SpillDamage(indexPath, "is damaged");
    return new SpillIndex(entries);
  } finally {
    files.close();
  }
}

/** Returns the range of a spill file that has these packs, which are at least one. */
export function findRange(
  path: string,
  { first, count }: { readonly first: number; readonly count: number },
): { readonly start: number; readonly end: number } {
  const files = new OpenSpillFiles();
  try {
    const entries = new Uint8Array(count * PACK_ENTRY_BYTES);
    files.read(spillIndexPathOf(path), entries, first * PACK_ENTRY_BYTES);
    const index = new SpillIndex(entries);
    const last = index.pack(count - 1);
    return { start: index.pack(0).offset, end: last.offset + last.bytes };
  } finally {
    files.close();
  }
}

/** Stands for the split's id in the names of merged parts of epoch 0. */
export const MERGED_PARTS = "merged";

/** Stands for the split's id in the names of an epoch's merged parts. */
export function mergedPartsOf(epoch: number): string {
  return `${epochPrefix(epoch)}${MERGED_PARTS}`;
}

/** Directory with a file, and its index, for each split that has spilled. */
export function spillDirectoryOf(outputDirectory: string): string {
  return join(outputDirectory, "_switchyard", "spill");
}

/** Path of a split's spill file after the commit. */
export function spillPathOf(outputDirectory: string, splitId: string): string {
  return join(spillDirectoryOf(outputDirectory), splitId);
}

const INDEX_SUFFIX = ".index";

/** Path of the index of a spill file. */
export function spillIndexPathOf(spillPath: string): string {
  return `${spillPath}${INDEX_SUFFIX}`;
}

/** Returns the split that a file of the spill directory belongs to. */
export function splitOfSpillName(name: string): string {
  return name.endsWith(INDEX_SUFFIX) ? name.slice(0, -INDEX_SUFFIX.length) : name;
}
