import { arrowTypes } from "../../../batch/arrow-node.js";
import {
  type ArrowSlices,
  type KernelNode,
  roomSize,
  viewSize,
} from "../../../batch/arrow-slice.js";
import type { Kernel } from "../../../batch/kernel.js";
import { writeWords } from "../../../batch/kernel-record.js";
import { depthLayout } from "../../../batch/layouts.js";
import type { ColumnChunk } from "../footer/footer.js";
import { DecodeError } from "../library/page-decoder.js";
import { KernelEntries } from "../pages/kernel-entries.js";
import type { PageMemory } from "../pages/page-memory.js";
import { columnDamaged } from "../parquet-errors.js";
import type { RandomAccess } from "../random-access.js";
import type { ColumnRows } from "./column-rows.js";
import { dataSizeOf, viewedType } from "./kernel-rows.js";
import type { NestedLeaf } from "./nested-leaf.js";

/** Entries of one row; rows with more are left to the library. */
const ROW_ENTRIES_MAX = 512 * 1024;

const OTHER_ROWS = "its pages do not have the row group's rows";

/** Where the elements at one depth of lists are, in kernel memory; see src/kernels/parquet. */
interface Elements {
  readonly levels: number;
  readonly offsets: number;
  readonly lengths: number;
  readonly count: number;
}

/** Rows of one leaf inside of lists, each a list of its own. */
export class NestedLeafRows implements ColumnRows {
  readonly #entries: KernelEntries;
  readonly #kernel: Kernel;
  #ready = 0;
  #rowsLeft: number;
  #failure: unknown;

  constructor(
    private readonly file: RandomAccess,
    memory: PageMemory,
    private readonly leaf: NestedLeaf,
    private readonly chunk: ColumnChunk,
    rows: number,
  ) {
    this.#kernel = memory.kernel;
    this.#entries = new KernelEntries(file, memory, leaf, chunk, chunk.values);
    this.#rowsLeft = rows;
  }

  /** Whether all rows that kernels can read are taken, and there are more. */
  get stopped(): boolean {
    const { stopped, window } = this.#entries;
    const tooLong = window.room === 0 && window.count >= ROW_ENTRIES_MAX;
    return this.#ready === 0 && this.#failure === undefined && (stopped || tooLong);
  }

  fill(): void {
    const entries = this.#entries;
    entries.begin();
    try {
      if (this.#failure === undefined) this.#topUp();
    } catch (error) {
      this.#failure = error instanceof DecodeError ? this.#damaged(error.message, error) : error;
    }
    // What was read before the break is good.
    if (this.#failure !== undefined && this.#ready === 0) throw this.#failure;
  }

  #topUp(): void {
    const entries = this.#entries;
    const { window } = entries;
    try {
      entries.topUp();
    } finally {
      this.#count();
    }
    while (this.#ready === 0 && entries.left > 0 && !this.stopped) {
      if (window.room === 0) window.grow();
      entries.readOn();
      this.#count();
    }
    const complete = entries.left === 0;
    if (complete && this.#ready < this.#rowsLeft) throw new DecodeError(OTHER_ROWS);
  }

  // The last row has ended where the next one begins, or with the chunk: so one row too many is always
  // seen before the last that is right can be taken.
  #count(): void {
    const { window, left } = this.#entries;
    this.#ready = 0;
    if (window.isInsideRow) throw new DecodeError("its pages begin inside of a row");
    const begun = window.rowStarts();
    if (begun > this.#rowsLeft) throw new DecodeError(OTHER_ROWS);
    this.#ready = Math.max(0, begun - (left > 0 ? 1 : 0));
  }

  get ready(): number {
    return this.#ready;
  }

  size(rows: number): number {
    const entries = this.#entries.window.entriesOf(rows);
    const { steps, repeatMax } = this.leaf;
    const depth = roomSize(entries) + 2 * roomSize((entries + 1) * 4);
    const arrays = roomSize((repeatMax + 1) * depthLayout.bytes) + (repeatMax + 1) * depth;
    const nodes = steps.reduce((sum, { name }) => sum + viewSize(name), 0);
    return nodes + arrays;
  }

  pointedSize(rows: number): number {
    return dataSizeOf(this.leaf, this.#entries, this.#entries.window.entriesOf(rows));
  }

  take(slices: ArrowSlices, rows: number): KernelNode {
    const { window } = this.#entries;
    const entries = window.entriesOf(rows);
    const dataSize = dataSizeOf(this.leaf, this.#entries, entries);
    const depths = this.#unfold(slices, entries);
    let node: KernelNode | undefined;
    for (const { kind, name, level, depth } of this.leaf.steps.toReversed()) {
      const { levels, offsets, lengths, count } = depths[depth]!;
      if (node === undefined) {
        const type = viewedType(this.leaf, this.#entries);
        node = slices.view(
          name,
          type,
          count,
          { starts: offsets, lengths, levels, dataSize },
          level,
        );
      } else if (kind === "struct") {
        node = slices.levelled(name, node, levels, level);
      } else {
        node = slices.repeated(
          arrowTypes[kind === "map" ? "map" : "list"],
          name,
          node,
          count,
          { offsets, levels },
          level,
        );
      }
    }
    if (node === undefined) throw new Error("a leaf without a name");
    return node;
  }

  /** Elements of the next entries at each depth, the rows first. Throws `SourceError`. */
  #unfold(slices: ArrowSlices, entries: number): readonly Elements[] {
    const last = this.leaf.repeatMax;
    const table = slices.room((last + 1) * depthLayout.bytes);
    const places = [0, ...this.leaf.elementLevels].map((level, depth) => ({
      level,
      levels: slices.room(entries),
      offsets: slices.room((entries + 1) * 4),
      lengths: depth === last ? slices.room((entries + 1) * 4) : 0,
    }));
    const { words } = this.#kernel;
    for (const [depth, place] of places.entries()) {
      const address = table + depth * depthLayout.bytes;
      writeWords(this.#kernel, depthLayout, address, { ...place, count: 0 });
    }
    if (!this.#entries.window.unfold(table, last, entries)) {
      throw this.#damaged("a list goes on that has no element");
    }
    return places.map(({ levels, offsets, lengths }, depth) => {
      const count = words[(table + depth * depthLayout.bytes) / 4 + depthLayout.words.count]!;
      return { levels, offsets, lengths, count };
    });
  }

  skip(rows: number): void {
    this.#entries.skip(this.#entries.window.entriesOf(rows));
    this.#ready -= rows;
    this.#rowsLeft -= rows;
  }

  close(): void {
    this.#entries.close();
  }

  #damaged(what: string, cause?: unknown) {
    return columnDamaged(this.file.source, this.chunk.path.join("."), what, cause);
  }
}
