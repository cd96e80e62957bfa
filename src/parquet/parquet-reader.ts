import { SourceError } from "../base/errors.js";
import { BATCH_ROWS_MAX, MIB, WINDOW_BYTES } from "../base/limits.js";
import { loadZstd } from "../base/zstd-library.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import type { OpenReader, Reader } from "../readers/reader.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { SourceRange } from "../sources/source.js";
import { BatchBuilder, bytesOf } from "./batch-builder.js";
import { ColumnRows } from "./column-rows.js";
import { FallbackRows } from "./fallback-rows.js";
import { type Footer, type RowGroup, readFooter } from "./footer.js";
import { type Leaf, leavesOf } from "./leaf.js";
import type { PageSource } from "./leaf-entries.js";
import { needsZstd, PageCodecs } from "./page-codecs.js";
import { PageMemory } from "./page-memory.js";
import { type Projection, planProjection } from "./projection.js";
import { RandomAccess } from "./random-access.js";
import { buildSchema } from "./schema-tree.js";

/** Bytes of a column in a row group up to which it is read only if needed, then for a whole batch. */
const FALLBACK_BYTES_MAX = 64 * MIB;

/** Opens row groups `start` to `end` of a source. A compressed source is copied to disk first. */
export const openParquetReader: OpenReader = (kernel, range, fields, options) =>
  openWith(new PageMemory(kernel), range, fields, options);

/** Opens a reader that keeps its pages in `memory`. */
export async function openWith(
  memory: PageMemory,
  range: SourceRange,
  fields: readonly FieldRequest[],
  options: ReaderOptions,
): Promise<Reader> {
  const file = await RandomAccess.open(range.source, options);
  let codecs: PageCodecs | undefined;
  try {
    const footer = await readFooter(file);
    const zstd = footer.rowGroups.some(({ chunks }) => needsZstd(chunks));
    codecs = new PageCodecs(memory.kernel, zstd ? await loadZstd() : undefined);
    return new ParquetReader({ file, memory, codecs }, footer, range, fields, options);
  } catch (error) {
    codecs?.free();
    await file.close();
    throw error;
  }
}

/**
 * Reads the rows of row groups, one group after the other. It reads only the requested columns, and of
 * each only the pages that the next rows need: memory follows the size of pages, not of row groups.
 */
class ParquetReader implements Reader {
  readonly #plan: Projection;
  /** The leaves of each column of the plan. */
  readonly #leaves: readonly (readonly Leaf[])[];
  readonly #groups: readonly RowGroup[];
  readonly #builder: BatchBuilder;
  #group = 0;
  #columns: readonly ColumnRows[] | undefined;
  /** The columns of the next group, while they are fetched. */
  #prepared: Promise<void> | undefined;
  /** Rows of the group that have been returned. */
  #rowsDone = 0;
  #bytesDone = 0;

  constructor(
    private readonly pages: PageSource,
    footer: Footer,
    range: SourceRange,
    fields: readonly FieldRequest[],
    private readonly options: ReaderOptions,
  ) {
    const { source } = range;
    this.#plan = planProjection(buildSchema(footer.schema, source), fields);
    this.#leaves = this.#plan.columns.map((column) => leavesOf(column, source));
    this.#groups = footer.rowGroups.slice(range.start, range.end ?? undefined);
    this.#builder = new BatchBuilder(pages.memory.kernel, this.#plan, options.rowBytesMax);
  }

  get consumed(): number {
    const { file } = this.pages;
    const group = this.#groups[this.#group];
    const part = group === undefined ? 0 : group.compressedSize * (this.#rowsDone / group.rows);
    return Math.round(((this.#bytesDone + part) / file.size) * file.source.size);
  }

  async next(): Promise<Batch | null> {
    this.options.signal.throwIfAborted();
    try {
      const batch = await this.#next();
      if (batch === null) this.pages.file.checkUnchanged();
      return batch;
    } catch (error) {
      // A file that is being written to looks damaged: report that it changed.
      if (error instanceof SourceError) this.pages.file.checkUnchanged();
      throw error;
    }
  }

  async #next(): Promise<Batch | null> {
    for (;;) {
      const group = this.#groups[this.#group];
      if (group === undefined) return null;
      if (this.#columns === undefined && this.pages.file.isRemote) await this.#prepareGroup();
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
    this.pages.codecs.free();
    await this.pages.file.close();
  }

  /** Fetches the columns of the next group, and begins to fetch those of the one after it. */
  async #prepareGroup(): Promise<void> {
    await (this.#prepared ?? this.#prepare(this.#group));
    const ahead = this.#prepare(this.#group + 1);
    this.#prepared = ahead;
    // Its error is thrown when the group is read.
    ahead.catch(() => {});
  }

  #prepare(index: number): Promise<void> {
    const group = this.#groups[index];
    const chunks = this.#leaves.flat().flatMap((leaf) => group?.chunks[leaf.chunk] ?? []);
    return this.pages.file.prepare(
      chunks.map(({ start, compressedSize }) => ({ start, end: start + compressedSize })),
    );
  }

  #openGroup(group: RowGroup): readonly ColumnRows[] {
    this.#columns = this.#plan.columns.map((column, index) => {
      const leaves = this.#leaves[index]!;
      const isFallback =
        this.#plan.fallbacks.some((fallback) => fallback.column === index) &&
        group.chunks[leaves[0]!.chunk]!.uncompressedSize <= FALLBACK_BYTES_MAX;
      return new (isFallback ? FallbackRows : ColumnRows)(this.pages, column, leaves, group);
    });
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
