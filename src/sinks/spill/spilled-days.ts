import type { Segment } from "../segment.js";
import type { SpillFile } from "../sink.js";
import { type OpenSpillFiles, readDayEntries, SpillDamage } from "./spill-files.js";
import type { SpilledPack, SpillIndex } from "./spill-index.js";
import { spillPathOf } from "./spill-names.js";

/** A split and what it has spilled. */
export interface SpilledSplit extends Pick<SpillFile, "bytes" | "packs"> {
  readonly splitId: string;
}

/** A pack and the file that it is in. */
export interface PlacedPack extends SpilledPack {
  readonly path: string;
}

interface FileOfDays {
  readonly path: string;
  readonly bytes: number;
  readonly index: SpillIndex;
  /** The first entry that was not given yet. */
  next: number;
}

/**
 * The packs of days [first, last] in several spill files, day by day and, within a day, in the order of
 * the splits.
 */
export class SpilledDays {
  readonly #files: readonly FileOfDays[];

  constructor(
    files: OpenSpillFiles,
    outputDirectory: string,
    splits: readonly SpilledSplit[],
    range: readonly [first: number, last: number],
  ) {
    this.#files = splits.map((split) => {
      const path = spillPathOf(outputDirectory, split.splitId);
      const index = readDayEntries(files, path, split, range);
      return { path, bytes: split.bytes, index, next: 0 };
    });
  }

  /** All packs of the next day; empty behind the last one. */
  next(): readonly PlacedPack[] {
    let day = Number.POSITIVE_INFINITY;
    for (const { index, next } of this.#files) {
      if (next < index.packs) day = Math.min(day, index.day(next));
    }
    const packs: PlacedPack[] = [];
    for (const file of this.#files) {
      for (; file.next < file.index.packs; file.next++) {
        if (file.index.day(file.next) !== day) break;
        const pack = file.index.pack(file.next);
        if (pack.offset + pack.bytes > file.bytes) throw new SpillDamage(file.path, "is damaged");
        packs.push({ ...pack, path: file.path });
      }
    }
    return packs;
  }
}

/**
 * Brings a pack back into a segment, which has to have room. Throws `SpillDamage` where it is not what was
 * written.
 */
export function loadPack(files: OpenSpillFiles, pack: PlacedPack, segment: Segment): void {
  const { kernel } = segment;
  const { path, day, rows, bytes, offset, checksum } = pack;
  const isWhole = segment.appendPack(rows, bytes, (target) => {
    files.read(path, kernel.bytes.subarray(target, target + bytes), offset);
    return kernel.run.checksumPack(target, bytes, day, rows) >>> 0 === checksum;
  });
  if (!isWhole) throw new SpillDamage(path, `is damaged at byte ${offset}`);
}
