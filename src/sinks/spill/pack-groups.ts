import { MERGE_GROUP_BYTES, ROW_BUFFER_ROWS_MAX } from "../../base/limits.js";
import { sum } from "../../base/sum.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import { writeWords } from "../../batch/kernel-record.js";
import { spillFileLayout } from "../../batch/layouts.js";
import type { DayRows } from "../day-order.js";
import type { RowBuffer } from "../row-buffer.js";
import { type OpenSpillFiles, SpillDamage, spillIndexPathOf, spillPathOf } from "./spill-files.js";
import { PACK_ENTRY_BYTES } from "./spill-index.js";

/** The packs of a merge that one split has spilled. They are one range of its spill file. */
export interface SpilledPacks {
  readonly splitId: string;
  /** Size of the spill file. */
  readonly bytes: number;
  /** Number of packs before them. */
  readonly first: number;
  readonly count: number;
}

/** Rows that are loaded into the row buffer. */
interface LoadedDays {
  /** Ordered by day; the ranges are row numbers. */
  readonly days: readonly DayRows[];
  /** More rows of the last day follow. */
  readonly isCut: boolean;
  readonly rows: number;
  readonly bytes: number;
}

/** Maximum number of days that the kernel chooses. */
const DAYS_MAX = 1_024;
const DAY_BYTES = 12;

/**
 * Loads the rows of packs from several spill files, some days at a time and, within a day, in the
 * order of the splits. There is a pack for each split and day: a kernel walks the
 * packs, and the code here runs once for some megabytes.
 */
export class PackGroups {
  readonly #files: readonly { readonly path: string; readonly bytes: number }[];
  readonly #entries: Region;
  /** A `SpillFile` for each file. */
  readonly #table: Region;
  readonly #days: Region;
  readonly #result: Region;

  constructor(
    private readonly kernel: Kernel,
    private readonly open: OpenSpillFiles,
    outputDirectory: string,
    splits: readonly SpilledPacks[],
  ) {
    const files = splits.map(({ splitId, ...packs }) => ({
      path: spillPathOf(outputDirectory, splitId),
      ...packs,
    }));
    this.#files = files;
    const packs = sum(files, ({ count }) => count);
    this.#entries = new Region(kernel, packs * PACK_ENTRY_BYTES);
    this.#table = new Region(kernel, files.length * spillFileLayout.bytes);
    this.#days = new Region(kernel, DAYS_MAX * DAY_BYTES);
    this.#result = new Region(kernel, 16);
    let address = this.#entries.address;
    for (const [index, { path, first, count }] of files.entries()) {
      const end = address + count * PACK_ENTRY_BYTES;
      const entries = kernel.bytes.subarray(address, end);
      open.read(spillIndexPathOf(path), entries, first * PACK_ENTRY_BYTES);
      const file = { entries: address, count, next: 0, end: 0, data: 0 };
      writeWords(
        kernel,
        spillFileLayout,
        this.#table.address + index * spillFileLayout.bytes,
        file,
      );
      address = end;
    }
  }

  /** Frees the memory. */
  free(): void {
    for (const region of [this.#entries, this.#table, this.#days, this.#result]) region.free();
  }

  /**
   * Replaces the content of the row buffer by the rows of the next days, or by some rows of a day
   * that does not fit as a whole. Returns undefined at the end. Throws `SpillDamage` if packs are
   * damaged.
   */
  load(rowBuffer: RowBuffer): LoadedDays | undefined {
    const { run } = this.kernel;
    const result = this.#result.address;
    const files = [this.#table.address, this.#files.length] as const;
    const { bytesMax } = rowBuffer;
    const groupBytes = Math.min(MERGE_GROUP_BYTES, bytesMax);
    run.choosePacks(...files, groupBytes, bytesMax, ROW_BUFFER_ROWS_MAX, result);
    const [rows = 0, bytes = 0, isWhole = 0] = this.#resultWords();
    if (rows === 0) return undefined;
    const days = rowBuffer.load(rows, bytes, (target) => {
      this.#read(target);
      const { columns, columnList, timestamps } = rowBuffer;
      const into = [columnList, columns.length, timestamps, this.#days.address] as const;
      return run.unpackDays(...files, ...into, result);
    });
    if (days < 0) this.#throwDamage();
    return { days: this.#dayRows(days), isCut: isWhole === 0, rows, bytes };
  }

  /** Reads the chosen packs of all files into contiguous memory. */
  #read(target: number): void {
    for (const [index, { path, bytes: fileBytes }] of this.#files.entries()) {
      const { u32 } = this.kernel;
      const at = spillFileLayout.words;
      const file = (this.#table.address + index * spillFileLayout.bytes) / 4;
      const [next, end] = [u32[file + at.next]!, u32[file + at.end]!];
      u32[file + at.data] = target;
      for (let place = next; place < end; ) {
        this.kernel.run.measureStretch(this.#table.address, index, place, this.#result.address);
        const offset = this.kernel.doubles[this.#result.address / 8]!;
        const [bytes = 0, after = 0] = this.#resultWords().subarray(2);
        if (!(offset >= 0 && offset + bytes <= fileBytes))
          throw new SpillDamage(path, "is damaged");
        this.open.read(path, this.kernel.bytes.subarray(target, target + bytes), offset);
        target += bytes;
        place = after;
      }
    }
  }

  #dayRows(count: number): DayRows[] {
    const { u32 } = this.kernel;
    return Array.from({ length: count }, (_, index) => {
      const at = (this.#days.address + index * DAY_BYTES) / 4;
      return { day: u32[at]! | 0, start: u32[at + 1]!, end: u32[at + 2]! };
    });
  }

  #throwDamage(): never {
    const [index = 0] = this.#resultWords();
    throw new SpillDamage(this.#files[index]?.path ?? "", "is damaged");
  }

  #resultWords(): Uint32Array {
    const start = this.#result.address / 4;
    return this.kernel.u32.subarray(start, start + 4);
  }
}
