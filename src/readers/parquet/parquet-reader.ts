import { SourceError } from "../../base/errors.js";
import { BATCH_ROWS_MAX, WINDOW_BYTES } from "../../base/limits.js";
import type { Batch, FieldRequest } from "../../batch/batch.js";
import type { Kernel } from "../../batch/kernel.js";
import type { OpenReader, Reader, ReaderOptions } from "../reader.js";
import type { SourceRange } from "../source.js";
import { loadZstd } from "../zstd-library.js";
import { BatchBuilder, bytesOf } from "./batch-builder.js";
import type { ColumnRows } from "./columns/column-rows.js";
import { openFlatRows } from "./columns/flat-rows.js";
import { openNestedRows } from "./columns/nested-column.js";
import { type ColumnOpeners, type ColumnPart, openColumn, partsOf } from "./columns/open-column.js";
import { type FieldPlan, planFields } from "./field-plan.js";
import { type Footer, type RowGroup, readFooter } from "./footer/footer.js";
import { buildSchema } from "./footer/schema-tree.js";
import { PageMemory } from "./pages/page-memory.js";
import { needsZstd } from "./pages/unpack-page.js";
import { ZstdPages } from "./pages/zstd-pages.js";
import { RandomAccess } from "./random-access.js";

/** Opens row groups `start` to `end` of a source; what is compressed as a whole, in a copy on disk. */
export const openParquetReader = openReaderWith({
  flat: openFlatRows,
  nested: openNestedRows,
});

export function openReaderWith(open: ColumnOpeners): OpenReader {
  return async (kernel, range, fields, options) => {
    const file = await RandomAccess.open(range.source, options);
    let zstd: ZstdPages | undefined;
    try {
      const footer = readFooter(file);
      if (footer.rowGroups.some(({ chunks }) => needsZstd(chunks))) {
        zstd = new ZstdPages(await loadZstd());
      }
      const memory = new PageMemory(kernel, zstd);
      return new ParquetReader(kernel, file, footer, memory, open, range, fields, options);
    } catch (error) {
      zstd?.free();
      await file.close();
      throw error;
    }
  };
}

/**
 * Rows of some row groups, one group after the other. Of a group only the requested columns are
 * read, and of each only the pages that the next rows need: memory follows the size of the pages,
 * not that of the row group (what kernels cannot read of nested columns: see NestedPieces).
 */
class ParquetReader implements Reader {
  readonly #plan: FieldPlan;
  /** Of each column of the plan. */
  readonly #parts: readonly (readonly ColumnPart[])[];
  readonly #groups: readonly RowGroup[];
  readonly #builder: BatchBuilder;
  #group = 0;
  #columns: readonly ColumnRows[] | undefined;
  /** Rows of the group that have been given out. */
  #rowsDone = 0;
  #bytesDone = 0;

  constructor(
    kernel: Kernel,
    private readonly file: RandomAccess,
    footer: Footer,
    private readonly memory: PageMemory,
    private readonly open: ColumnOpeners,
    range: SourceRange,
    fields: readonly FieldRequest[],
    private readonly options: ReaderOptions,
  ) {
    const { source } = range;
    this.#plan = planFields(buildSchema(footer.schema, source), fields);
    this.#parts = this.#plan.columns.map((column) => partsOf(column, source));
    this.#groups = footer.rowGroups.slice(range.start, range.end ?? undefined);
    this.#builder = new BatchBuilder(kernel, this.#plan, options.rowBytesMax);
  }

  get consumed(): number {
    const group = this.#groups[this.#group];
    const part = group === undefined ? 0 : group.compressedSize * (this.#rowsDone / group.rows);
    return Math.round(((this.#bytesDone + part) / this.file.size) * this.file.source.size);
  }

  async next(): Promise<Batch | null> {
    this.options.signal.throwIfAborted();
    try {
      const batch = this.#next();
      if (batch === null) this.file.checkUnchanged();
      return batch;
    } catch (error) {
      // A file that somebody writes to looks damaged: say rather that it changed.
      if (error instanceof SourceError) this.file.checkUnchanged();
      throw error;
    }
  }

  #next(): Batch | null {
    for (;;) {
      const group = this.#groups[this.#group];
      if (group === undefined) return null;
      const columns = this.#columns ?? this.#openGroup(group);
      if (this.#rowsDone === group.rows) {
        this.#closeGroup(group);
        continue;
      }
      for (const column of columns) column.fill();
      return this.#take(group, columns);
    }
  }

  async close(): Promise<void> {
    for (const column of this.#columns ?? []) column.close();
    this.#columns = undefined;
    this.#builder.free();
    this.memory.zstd?.free();
    await this.file.close();
  }

  #openGroup(group: RowGroup): readonly ColumnRows[] {
    this.#columns = this.#plan.columns.map((column, index) =>
      openColumn(this.file, this.memory, this.open, column, this.#parts[index] ?? [], group),
    );
    this.#rowsDone = 0;
    return this.#columns;
  }

  #closeGroup(group: RowGroup): void {
    for (const column of this.#columns ?? []) column.close();
    this.#columns = undefined;
    this.#bytesDone += group.compressedSize;
    this.#group++;
    this.#rowsDone = 0;
  }

  #take(group: RowGroup, columns: readonly ColumnRows[]): Batch {
    let rows = Math.min(BATCH_ROWS_MAX, group.rows - this.#rowsDone);
    for (const column of columns) rows = Math.min(rows, column.ready);
    while (rows > 1 && bytesOf(columns, rows) > WINDOW_BYTES) {
      rows = Math.ceil(rows / 2);
    }
    const batch = this.#builder.build(columns, rows, group.firstRow + this.#rowsDone + 1);
    for (const column of columns) column.skip(rows);
    this.#rowsDone += rows;
    return batch;
  }
}
