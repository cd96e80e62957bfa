import { DESCRIBED_ROW_BYTES, ROW_BUFFER_ROWS_MAX, WRITE_BYTES } from "../../base/limits.js";
import { type Kernel, LOOSE_BYTES, Region } from "../../batch/kernel.js";
import type { DayRows } from "../day-order.js";
import type { AppendedFile, PartFiles } from "../part-files.js";
import type { RowBuffer } from "../row-buffer.js";
import type { SpillFile } from "../sink.js";
import { OpenSpillFiles, spillIndexPathOf } from "./spill-files.js";
import { digestOfIndex, SpillIndex, SpillIndexBuilder } from "./spill-index.js";

/** Cells of a row that `DESCRIBED_ROW_BYTES` describe. */
const DESCRIBED_CELLS_MAX = 7;

/** A pack in kernel memory: rows up to index `next` of the order. */
interface PackedRows {
  readonly next: number;
  readonly address: number;
  readonly bytes: number;
}

/** Packs rows of a row buffer, one pack after the other in kernel memory. One per worker. */
export class RowPacker {
  /** Descriptions of the rows of the current row buffer. */
  readonly #rows: Region;
  readonly #packs: Region;
  readonly #result: number;
  #columnCount = 0;
  #rowBytesMax = 0;
  #used = 0;

  /** A pack has at most `bytesMax` bytes, or one row. */
  constructor(
    private readonly kernel: Kernel,
    private readonly bytesMax: number,
  ) {
    this.#rows = new Region(kernel, ROW_BUFFER_ROWS_MAX * DESCRIBED_ROW_BYTES);
    // Room for one pack more, so that one can be started while all before it are smaller than one
    // together.
    this.#packs = new Region(kernel, 2 * bytesMax + LOOSE_BYTES);
    this.#result = kernel.allocate(8);
  }

  /** Must be called before rows of a row buffer are packed. Drops the packs of a split that failed. */
  take({ columns, columnList, timestamps, rows }: RowBuffer): void {
    const { run } = this.kernel;
    this.#used = 0;
    const rowBytes = DESCRIBED_ROW_BYTES * (columns.length > DESCRIBED_CELLS_MAX ? 2 : 1);
    this.#rows.ensure(ROW_BUFFER_ROWS_MAX * rowBytes);
    const target = this.#rows.address;
    this.#columnCount = columns.length;
    this.#rowBytesMax = run.describeRows(columnList, columns.length, timestamps, rows, target);
  }

  /** Packs must be taken before the next one is made. */
  get isFull(): boolean {
    return this.#used >= this.bytesMax;
  }

  /** Packs rows at indexes [start, end) of the order, as many as fit. */
  pack(order: number, start: number, end: number): PackedRows {
    const { run } = this.kernel;
    const next = this.#measure(order, start, end);
    const address = this.#packs.address + this.#used;
    const rows = this.#rows.address;
    const bytes = run.packRows(rows, this.#columnCount, order, start, next, address) - address;
    this.#used += bytes;
    return { next, address, bytes };
  }

  /** Returns all packs since the last call; a view that is valid until rows are packed again. */
  takePacks(): Uint8Array {
    const start = this.#packs.address;
    const packs = this.kernel.bytes.subarray(start, start + this.#used);
    this.#used = 0;
    return packs;
  }

  /** Returns the index up to which rows fit into a pack, and makes room for it. */
  #measure(order: number, start: number, end: number): number {
    // Lengths are scattered in memory: add them up only if they matter.
    if ((end - start) * this.#rowBytesMax <= this.bytesMax) return end;
    const rows = this.#rows.address;
    const count = this.#columnCount;
    this.kernel.run.measurePack(rows, count, order, start, end, this.bytesMax, this.#result);
    const next = this.kernel.u32[this.#result / 4]!;
    const bytes = this.kernel.u32[this.#result / 4 + 1]!;
    this.#packs.ensure(this.#used + bytes + LOOSE_BYTES, this.#used);
    return next;
  }
}

/** A spill file that is written, with its temporary path. */
interface WrittenSpill {
  readonly path: string;
  readonly file: SpillFile;
}

/**
 * Writes the spill file of one split, ordered by day, and its index. Writes no file if nothing is
 * spilled.
 */
export class SpillWriter {
  readonly #index = new SpillIndexBuilder();
  #rows = 0;
  /** Counts of all packs, written or not. */
  #bytes = 0;

  constructor(
    private readonly packer: RowPacker,
    private readonly files: PartFiles,
    private readonly path: string,
  ) {}

  /** Appends the rows of days, which are ranges of `order`. */
  append(rowBuffer: RowBuffer, order: number, days: readonly DayRows[]): void {
    if (days.length === 0) return;
    this.packer.take(rowBuffer);
    this.#write(this.path, (file) => {
      for (const day of days) this.#appendDay(rowBuffer, order, day, file);
      file.append(this.packer.takePacks());
    });
  }

  /** Returns undefined if nothing was spilled. */
  finish(): WrittenSpill | undefined {
    if (this.#rows === 0) return undefined;
    const entries = this.#index.finish();
    const path = this.#index.isSorted ? this.path : `${this.path}-by-day`;
    if (path !== this.path) this.#sort(new SpillIndex(entries), path);
    this.#write(spillIndexPathOf(path), (file) => file.append(entries));
    const file: SpillFile = {
      rows: this.#rows,
      bytes: this.#bytes,
      packs: this.#index.packs,
      indexSha256: digestOfIndex(entries),
    };
    return { path, file };
  }

  /** Copies the packs in the order of `index`, so that each merge reads one range of the file. */
  #sort(index: SpillIndex, path: string): void {
    const unsorted = new OpenSpillFiles();
    let buffer = Buffer.allocUnsafe(WRITE_BYTES);
    let used = 0;
    let offset = 0;
    try {
      this.#write(path, (file) => {
        for (let place = 0; place < index.packs; place++) {
          const pack = index.pack(place);
          if (used + pack.bytes > buffer.length) {
            file.append(buffer.subarray(0, used));
            used = 0;
          }
          // One row can be longer.
          if (pack.bytes > buffer.length) buffer = Buffer.allocUnsafe(pack.bytes);
          unsorted.read(this.path, buffer.subarray(used, used + pack.bytes), pack.offset);
          index.move(place, offset);
          used += pack.bytes;
          offset += pack.bytes;
        }
        file.append(buffer.subarray(0, used));
      });
    } finally {
      unsorted.close();
    }
  }

  #appendDay(
    { kernel }: RowBuffer,
    order: number,
    { day, start, end }: DayRows,
    file: AppendedFile,
  ): void {
    for (let from = start; from < end; ) {
      if (this.packer.isFull) file.append(this.packer.takePacks());
      const { next, address, bytes } = this.packer.pack(order, from, end);
      const rows = next - from;
      const checksum = kernel.run.checksumPack(address, bytes, day, rows) >>> 0;
      this.#index.add({ day, rows, offset: this.#bytes, bytes, checksum });
      this.#rows += rows;
      this.#bytes += bytes;
      from = next;
    }
  }

  #write(path: string, work: (file: AppendedFile) => void): void {
    const file = this.files.open(path);
    try {
      work(file);
    } finally {
      file.close();
    }
  }
}
