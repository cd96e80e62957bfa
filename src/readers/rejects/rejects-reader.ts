import { SourceError } from "../../base/errors.js";
import { flagText } from "../../base/option-text.js";
import type { Batch, RawRows, RowOrigin } from "../../batch/batch.js";
import { type ByteSource, bytesInMemory } from "../../sources/byte-source.js";
import type { Format, SourceRange } from "../../sources/source.js";
import type { Reader } from "../reader.js";
import { type KeptRow, parseRejectLine } from "./reject-line.js";

/** Rows of one inner reader. */
const GROUP_ROWS_MAX = 1_000;
const GROUP_BYTES_MAX = 1 << 20;

/** Makes a reader for bytes that hold rows of one format. `source`: the name of that of the first row. */
type ReadRows = (format: Format, bytes: ByteSource, source?: string) => Promise<Reader>;

/**
 * Reads rows that an earlier run rejected: each line of a rejects file keeps the bytes of a row and
 * their format. Every line is exactly one row.
 */
export class RejectsReader implements Reader {
  readonly #range: SourceRange;
  readonly #bytes: ByteSource;
  readonly #readRows: ReadRows;
  readonly #lines: AsyncGenerator<Buffer, void, void>;
  /** A line that was read but belongs to the next group. */
  #held: KeptRow | undefined;
  #inner: Reader | undefined;
  #group: readonly KeptRow[] = [];
  #groupRowsRead = 0;
  #rowsBefore = 0;

  /** `bySource`: rows that share a reader are from one source. */
  constructor(
    range: SourceRange,
    bytes: ByteSource,
    readRows: ReadRows,
    private readonly bySource = false,
  ) {
    this.#range = range;
    this.#bytes = bytes;
    this.#readRows = readRows;
    this.#lines = linesOf(bytes);
  }

  get consumed(): number {
    return this.#bytes.consumed;
  }

  async next(): Promise<Batch | null> {
    for (;;) {
      const batch = await this.#inner?.next();
      if (batch) {
        const before = this.#groupRowsRead;
        this.#groupRowsRead += batch.rows;
        const rows = this.#group.slice(before, this.#groupRowsRead);
        return { ...batch, raw: new KeptRawRows(batch.raw, rows, this.#rowsBefore + before) };
      }
      await this.#endGroup();
      this.#group = await this.#nextGroup();
      const [first] = this.#group;
      if (first === undefined) return null;
      this.#inner = await this.#readRows(first.format, bytesOf(this.#group), first.origin?.source);
    }
  }

  async close(): Promise<void> {
    await this.#inner?.close();
    await this.#bytes.close();
  }

  async #endGroup(): Promise<void> {
    await this.#inner?.close();
    this.#inner = undefined;
    if (this.#groupRowsRead !== this.#group.length) {
      const place = { source: this.#range.source.name, row: this.#rowsBefore + 1 };
      const counts = `${this.#group.length} lines gave ${this.#groupRowsRead} rows`;
      throw new SourceError("rejects_unreadable", place, `${counts}: the kept rows are incomplete`);
    }
    this.#rowsBefore += this.#group.length;
    this.#groupRowsRead = 0;
  }

  /** The next rows that can share a reader: rows of one format, each a whole line. */
  async #nextGroup(): Promise<readonly KeptRow[]> {
    const first = this.#held ?? (await this.#nextRow());
    this.#held = undefined;
    if (first === undefined) return [];
    const group = [first];
    const kindOf = ({ format, origin }: KeptRow) =>
      JSON.stringify([format, this.bySource ? origin?.source : undefined]);
    const kind = kindOf(first);
    let bytes = first.raw.length;
    while (isPlain(first) && group.length < GROUP_ROWS_MAX && bytes < GROUP_BYTES_MAX) {
      const row = await this.#nextRow();
      if (row === undefined) break;
      if (!isPlain(row) || kindOf(row) !== kind) {
        this.#held = row;
        break;
      }
      group.push(row);
      bytes += row.raw.length;
    }
    return group;
  }

  async #nextRow(): Promise<KeptRow | undefined> {
    for (;;) {
      const line = await this.#lines.next();
      if (line.done) return undefined;
      if (line.value.toString("latin1").trim() !== "") return parseRejectLine(line.value);
    }
  }
}

/** True if a row can share a reader: it cannot continue in the next row, nor be several rows. */
function isPlain({ raw, code, format }: KeptRow): boolean {
  const isWhole = !raw.includes(LINE_FEED) && raw.at(-1) !== BACKSLASH;
  return code !== "malformed_row" && format.kind !== "rejects" && isWhole;
}

function bytesOf(rows: readonly KeptRow[]): ByteSource {
  // No line end after the last row: a backslash at its end would escape it.
  return bytesInMemory(Buffer.concat(rows.flatMap(({ raw }) => [LINE_END, raw]).slice(1)));
}

const LINE_END = Buffer.from("\n");
const LINE_FEED = 0x0a;
const BACKSLASH = 0x5c;

class KeptRawRows implements RawRows {
  constructor(
    private readonly inner: RawRows,
    private readonly rows: readonly KeptRow[],
    private readonly rowsBefore: number,
  ) {}

  number(row: number): number {
    return this.rowsBefore + row + 1;
  }

  offset(): undefined {
    return undefined;
  }

  bytes(row: number): Uint8Array {
    return this.#row(row).raw;
  }

  origin(row: number): RowOrigin | undefined {
    return this.#row(row).origin;
  }

  members(row: number): Readonly<Record<string, unknown>> | undefined {
    return this.inner.members?.(row);
  }

  explain(row: number): string {
    if (this.#row(row).code === "row_too_long") {
      return `only the beginning of this long row was kept: read its source again with a larger ${flagText("maxRowSize")}`;
    }
    return this.inner.explain(row);
  }

  #row(row: number): KeptRow {
    const kept = this.rows[row];
    if (kept === undefined) throw new Error(`no row ${row} in this batch`);
    return kept;
  }
}

const CHUNK_BYTES = 256 * 1024;

/** Yields the lines of a source, without their line feeds. */
async function* linesOf(source: ByteSource): AsyncGenerator<Buffer, void, void> {
  let pending: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = await source.read(chunk);
    if (read === 0) break;
    let start = 0;
    for (;;) {
      const feed = chunk.subarray(0, read).indexOf(LINE_FEED, start);
      if (feed < 0) break;
      yield Buffer.concat([...pending, chunk.subarray(start, feed)]);
      pending = [];
      start = feed + 1;
    }
    if (start < read) pending.push(chunk.subarray(start, read));
  }
  const bytes = Buffer.concat(pending);
  if (bytes.length > 0) yield bytes;
}
