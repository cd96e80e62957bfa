import { SourceError } from "../../base/errors.js";
import { BATCH_ROWS_MAX, KIB, REJECT_BYTES_MAX } from "../../base/limits.js";
import { flagText, option } from "../../base/option-text.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { Batch, FieldRequest, RawRows } from "../../batch/batch.js";
import type { Kernel } from "../../batch/kernel.js";
import type { ByteSource } from "../../sources/byte-source.js";
import type { ReaderOptions } from "../../sources/read-options.js";
import type { CsvDialect, SourceRange } from "../../sources/source.js";
import type { Reader, ReaderNotices } from "../reader.js";
import { CsvReader } from "./csv-reader.js";
import { isLineEnd, lineEndAfter, type ParsedRecord, parseRecords } from "./parse-records.js";

/** Bytes that are parsed at once, before long rows make them more. */
const WINDOW_BYTES = 256 * KIB;

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

interface ParsedRow {
  readonly offset: number;
  readonly raw: Buffer;
  /** A reject code that is known before the row is scanned. */
  readonly fault?: number;
  /** Cells as RFC 4180 text, in Latin-1. */
  readonly cells: readonly string[];
}

/**
 * Reads CSV with marks that the kernels do not read, through csv-parse. Groups of records are written as
 * RFC 4180 and read by a `CsvReader`, so that cells mean the same; rejects keep the bytes of the source.
 */
export class ParsedCsvReader implements Reader {
  readonly #kernel: Kernel;
  readonly #range: SourceRange;
  readonly #dialect: CsvDialect;
  readonly #fields: readonly FieldRequest[];
  readonly #bytes: ByteSource;
  readonly #options: Pick<ReaderOptions, "rowBytesMax" | "signal">;
  #window: number;
  #pending: Buffer = Buffer.alloc(0);
  /** Offset in the source of `#pending`. */
  #offset = 0;
  #ended = false;
  #failure: unknown;
  #begun = false;
  #inLongLine = false;
  #rowsBefore = 0;
  #header: string | undefined;
  #headers = 0;
  #inner: CsvReader | undefined;
  #group: readonly ParsedRow[] = [];
  #groupRowsRead = 0;

  constructor(
    kernel: Kernel,
    range: SourceRange,
    dialect: CsvDialect,
    fields: readonly FieldRequest[],
    bytes: ByteSource,
    options: Pick<ReaderOptions, "rowBytesMax" | "signal" | "windowBytes">,
  ) {
    this.#kernel = kernel;
    this.#range = range;
    this.#dialect = dialect;
    this.#fields = fields;
    this.#bytes = bytes;
    this.#options = options;
    this.#window = options.windowBytes ?? WINDOW_BYTES;
  }

  get consumed(): number {
    return this.#bytes.consumed;
  }

  get notices(): ReaderNotices {
    return { header_repeated: this.#headers };
  }

  async next(): Promise<Batch | null> {
    this.#options.signal.throwIfAborted();
    if (!this.#begun) await this.#begin();
    for (;;) {
      const batch = await this.#inner?.next();
      if (batch) return this.#finishBatch(batch);
      await this.#inner?.close();
      this.#inner = undefined;
      this.#rowsBefore += this.#group.length;
      this.#groupRowsRead = 0;
      this.#group = await this.#nextRows();
      if (this.#group.length === 0) {
        if (this.#failure !== undefined) throw this.#failure;
        return null;
      }
      this.#inner = this.#openGroup(this.#group);
    }
  }

  async close(): Promise<void> {
    await this.#inner?.close();
    await this.#bytes.close();
  }

  #finishBatch(batch: Batch): Batch {
    const before = this.#groupRowsRead;
    this.#groupRowsRead += batch.rows;
    const rows = this.#group.slice(before, this.#groupRowsRead);
    for (const [row, { fault }] of rows.entries()) {
      if (fault !== undefined) this.#kernel.bytes[batch.faults + row] = fault;
    }
    const limit = this.#options.rowBytesMax;
    return { ...batch, raw: new ParsedRawRows(batch.raw, rows, this.#rowsBefore + before, limit) };
  }

  #openGroup(rows: readonly ParsedRow[]): CsvReader {
    const text = rows.map(({ cells }) => `${cells.join(",")}\n`).join("");
    const bytes = Buffer.from(text, "latin1");
    const { columns, nulls } = this.#dialect;
    const dialect: CsvDialect = {
      delimiter: ",",
      quote: '"',
      ...(nulls === undefined ? {} : { nulls }),
      columns,
      header: false,
      encoding: "utf-8",
    };
    const options = {
      signal: this.#options.signal,
      // Rows over the limit are known already; quotes make the others longer.
      rowBytesMax: bytes.length,
      windowBytes: bytes.length + KIB,
    };
    const range = { source: this.#range.source, start: 0, end: null };
    return new CsvReader(this.#kernel, range, dialect, this.#fields, sourceOf(bytes), options);
  }

  /** Skips the byte order mark, the lines before the header, and the header. */
  async #begin(): Promise<void> {
    this.#begun = true;
    await this.#fill(BYTE_ORDER_MARK.length);
    if (this.#pending.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) this.#drop(3);
    for (let line = this.#dialect.skipLines ?? 0; line > 0; line--) await this.#skipLine();
    if (!this.#dialect.header) return;
    const [header] = await this.#nextRows(1);
    if (header === undefined) return;
    // A column may hold its own name.
    if (header.cells.length > 1) this.#header = header.cells.join(",");
    if (header.fault === undefined) return;
    const place = { source: this.#range.source.name, byte: header.offset };
    const reason = `the header, its first record, cannot be read. Pass ${option("csvDialect")} skip=<lines> if text precedes it`;
    throw new SourceError("csv_header_malformed", place, reason);
  }

  /** Returns the next records; none at the end, or where the source breaks. */
  async #nextRows(rowsMax = BATCH_ROWS_MAX): Promise<readonly ParsedRow[]> {
    const { rowBytesMax } = this.#options;
    for (let wanted = this.#window; ; ) {
      this.#options.signal.throwIfAborted();
      if (this.#inLongLine) await this.#skipLine();
      await this.#fill(wanted);
      const text = this.#wholeLines();
      const isLong = this.#pending.length > rowBytesMax;
      if (text.length > 0) {
        const parsed = parseRecords(text, this.#dialect, rowsMax);
        const rows = parsed.records.flatMap((record) => this.#rowsOf(text, record));
        this.#drop(parsed.next);
        if (rows.length > 0) return rows;
        if (parsed.isOpen && (isLong || this.#ended)) return [this.#rejectLine(isLong)];
        if (!parsed.isOpen && parsed.next > 0) continue;
      } else if (isLong) {
        return [this.#rejectLine(true)];
      }
      if (this.#ended) return [];
      wanted = Math.max(wanted, this.#pending.length) * 2;
    }
  }

  /** What is pending up to its last line end; all of it at the end of the source. */
  #wholeLines(): Buffer {
    if (this.#ended && this.#failure === undefined) return this.#pending;
    const feed = this.#pending.lastIndexOf(0x0a);
    // A CR at the end may be half of a line end.
    const end = feed >= 0 ? feed : this.#pending.subarray(0, -1).lastIndexOf(0x0d);
    return this.#pending.subarray(0, end + 1);
  }

  #rowsOf(text: Buffer, { start, end, cells }: ParsedRecord): readonly ParsedRow[] {
    if (cells !== undefined && cells.join(",") === this.#header) {
      this.#headers++;
      return [];
    }
    const isLong = end - start > this.#options.rowBytesMax;
    if (isLong || cells === undefined)
      return [this.#reject(text.subarray(start, end), start, isLong)];
    const raw = Buffer.from(text.subarray(start, end));
    return [{ offset: this.#offset + start, raw, cells }];
  }

  #reject(bytes: Buffer, start: number, isLong: boolean): ParsedRow {
    return {
      offset: this.#offset + start,
      raw: Buffer.from(isLong ? bytes.subarray(0, REJECT_BYTES_MAX) : bytes),
      fault: isLong ? rejectCodes.row_too_long : rejectCodes.malformed_row,
      cells: this.#dialect.columns.length === 1 ? ['""'] : this.#dialect.columns.map(() => ""),
    };
  }

  /** Rejects the first line of what is pending; its rest is skipped if it continues. */
  #rejectLine(isLong: boolean): ParsedRow {
    let start = 0;
    while (isLineEnd(this.#pending[start])) start++;
    const end = lineEndAfter(this.#pending, start);
    const row = this.#reject(this.#pending.subarray(start, end), start, isLong);
    this.#inLongLine = end === this.#pending.length;
    this.#drop(end);
    return row;
  }

  /** Skips the rest of a line and its line end. */
  async #skipLine(): Promise<void> {
    this.#inLongLine = false;
    for (;;) {
      const end = lineEndAfter(this.#pending, 0);
      if (end + 1 < this.#pending.length || this.#ended) {
        const isPair = this.#pending[end] === 0x0d && this.#pending[end + 1] === 0x0a;
        this.#drop(Math.min(this.#pending.length, end + (isPair ? 2 : 1)));
        return;
      }
      if (end === this.#pending.length) this.#drop(end);
      await this.#fill(this.#pending.length + WINDOW_BYTES);
    }
  }

  #drop(count: number): void {
    this.#pending = this.#pending.subarray(count);
    this.#offset += count;
  }

  /** Reads until `wanted` bytes are pending, or the source ends or breaks. */
  async #fill(wanted: number): Promise<void> {
    if (this.#ended || this.#pending.length >= wanted) return;
    const bytes = Buffer.allocUnsafe(wanted);
    let length = this.#pending.copy(bytes);
    while (length < wanted && !this.#ended) {
      try {
        const read = await this.#bytes.read(bytes.subarray(length));
        length += read;
        this.#ended = read === 0;
      } catch (error) {
        this.#failure = error;
        this.#ended = true;
      }
    }
    this.#pending = bytes.subarray(0, length);
  }
}

function sourceOf(bytes: Buffer): ByteSource {
  let position = 0;
  return {
    get consumed() {
      return position;
    },
    read(target) {
      const count = bytes.copy(target, 0, position);
      position += count;
      return count;
    },
    close: async () => {},
  };
}

/** Rows as they are in the source. */
class ParsedRawRows implements RawRows {
  constructor(
    private readonly inner: RawRows,
    private readonly rows: readonly ParsedRow[],
    private readonly rowsBefore: number,
    private readonly rowBytesMax: number,
  ) {}

  number(row: number): number {
    return this.rowsBefore + row + 1;
  }

  offset(row: number): number {
    return this.#row(row).offset;
  }

  bytes(row: number): Uint8Array {
    return this.#row(row).raw;
  }

  explain(row: number): string {
    switch (this.#row(row).fault) {
      case undefined:
        return this.inner.explain(row);
      case rejectCodes.row_too_long:
        return `longer than ${this.rowBytesMax} bytes (${flagText("maxRowSize")})`;
      default:
        return "text follows a closing quote, or a quote is never closed; only the first line was rejected";
    }
  }

  #row(row: number): ParsedRow {
    const found = this.rows[row];
    if (found === undefined) throw new Error(`no row ${row} in this batch`);
    return found;
  }
}
