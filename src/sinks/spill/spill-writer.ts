import { DESCRIBED_ROW_BYTES, SEGMENT_ROWS_MAX } from "../../base/limits.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import type { DayRows } from "../day-order.js";
import { createPageCompression, type PageCompression } from "../parquet/page-compression.js";
import type { PartOutput } from "../part-output.js";
import { LOOSE_BYTES, type Segment, textColumns } from "../segment.js";
import type { SpillFile } from "../sink.js";
import { checksumOf, digestOfIndex, SpillIndexBuilder } from "./spill-index.js";

/** Packs and compresses rows of a segment. One per worker. */
export class RowPacker {
  /** The rows of the segment at hand, described one after the other. */
  readonly #rows: Region;
  readonly #pack: Region;
  readonly #compression: PageCompression;
  readonly #result: number;

  /** A pack has at most `bytesMax` bytes, or one row. */
  constructor(
    private readonly kernel: Kernel,
    private readonly bytesMax: number,
  ) {
    this.#rows = new Region(kernel, SEGMENT_ROWS_MAX * DESCRIBED_ROW_BYTES);
    this.#pack = new Region(kernel, bytesMax + LOOSE_BYTES);
    this.#compression = createPageCompression(kernel, "snappy");
    this.#result = kernel.allocate(8);
  }

  /** To be called before rows of a segment are packed. */
  take({ columnList, timestamps, rows }: Segment): void {
    const count = textColumns.length;
    this.kernel.run.describeRows(columnList, count, timestamps, rows, this.#rows.address);
  }

  /**
   * Packs rows at places [start, end) of the order, as many as fit: up to place `next`, in `bytes` bytes,
   * which are compressed to `stored`. That is valid until the next call.
   */
  pack(order: number, start: number, end: number) {
    const { run } = this.kernel;
    const count = textColumns.length;
    const rows = this.#rows.address;
    run.measurePack(rows, count, order, start, end, this.bytesMax, this.#result);
    const next = this.kernel.words[this.#result / 4]!;
    const bytes = this.kernel.words[this.#result / 4 + 1]!;
    this.#pack.ensure(bytes + LOOSE_BYTES);
    run.packRows(rows, count, order, start, next, this.#pack.address);
    // A sixth of the bytes on the disk.
    const stored = this.#compression.compress(this.#pack.address, bytes);
    return { next, bytes, stored };
  }
}

/** The spill file of one split: packs, then their index. There is none where nothing is spilled. */
export class SpillWriter {
  readonly #index = new SpillIndexBuilder();
  #rows = 0;

  constructor(
    private readonly packer: RowPacker,
    private readonly output: PartOutput,
  ) {}

  /** Appends the rows of days, which are places of `order`. */
  append(segment: Segment, order: number, days: readonly DayRows[]): void {
    if (days.length === 0) return;
    const { output } = this;
    this.packer.take(segment);
    for (const { day, start, end } of days) {
      for (let from = start; from < end; ) {
        const { next, bytes, stored } = this.packer.pack(order, from, end);
        const rows = next - from;
        const { size: offset } = output;
        const checksum = checksumOf(stored, { day, rows, bytes });
        this.#index.add({ day, rows, offset, storedBytes: stored.length, bytes, checksum });
        output.append(stored);
        this.#rows += rows;
        from = next;
      }
    }
    output.flush();
  }

  /** undefined where nothing was spilled. */
  finish(): SpillFile | undefined {
    if (this.#rows === 0) return undefined;
    const entries = this.#index.finish();
    this.output.append(entries);
    this.output.flush();
    return {
      rows: this.#rows,
      bytes: this.output.size,
      packs: this.#index.packs,
      indexSha256: digestOfIndex(entries),
    };
  }
}
