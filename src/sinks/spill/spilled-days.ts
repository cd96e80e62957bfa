import { type Kernel, Region } from "../../batch/kernel.js";
import type { Segment } from "../segment.js";
import type { SpillFile } from "../sink.js";
import { type OpenSpillFiles, readDayEntries, SpillDamage } from "./spill-files.js";
import { checksumOf, type SpilledPack, type SpillIndex } from "./spill-index.js";
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
      if (next < index.packs) day = Math.min(day, index.pack(next).day);
    }
    const packs: PlacedPack[] = [];
    for (const file of this.#files) {
      for (; file.next < file.index.packs; file.next++) {
        const pack = file.index.pack(file.next);
        if (pack.day !== day) break;
        if (pack.offset + pack.storedBytes > file.bytes)
          throw new SpillDamage(file.path, "is damaged");
        packs.push({ ...pack, path: file.path });
      }
    }
    return packs;
  }
}

/** Brings packs back into a segment. One per worker. */
export class PackReader {
  readonly #stored: Region;

  constructor(
    private readonly kernel: Kernel,
    packBytesMax: number,
  ) {
    this.#stored = new Region(kernel, kernel.run.snappyBytesMax(packBytesMax));
  }

  /** The segment has to have room. Throws `SpillDamage` where the pack is not what was written. */
  load(files: OpenSpillFiles, pack: PlacedPack, segment: Segment): void {
    const { kernel } = this;
    const { path, rows, bytes, offset, storedBytes } = pack;
    this.#stored.ensure(storedBytes);
    const source = this.#stored.address;
    const stored = kernel.bytes.subarray(source, source + storedBytes);
    files.read(path, stored, offset);
    const isWhole =
      checksumOf(stored, pack) === pack.checksum &&
      segment.appendPack(
        rows,
        bytes,
        (target) => kernel.run.snappyDecompress(source, storedBytes, target, bytes) === 1,
      );
    if (!isWhole) throw new SpillDamage(path, `is damaged at byte ${offset}`);
  }
}
