import { SourceError } from "../../base/errors.js";
import { REJECT_BYTES_MAX, WINDOW_BYTES } from "../../base/limits.js";
import { flagText, option } from "../../base/option-text.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { Batch, FieldRequest, RawRows } from "../../batch/batch.js";
import type { Kernel } from "../../batch/kernel.js";
import type { ByteSource } from "../../sources/byte-source.js";
import type { ReaderOptions } from "../../sources/read-options.js";
import type { CsvDialect, SourceRange } from "../../sources/source.js";
import type { Reader, ReaderNotices } from "../reader.js";
import { Window } from "../window.js";
import { ENCODING_ADVICE } from "./csv-encoding.js";
import { recordsOf } from "./csv-trial.js";
import { FieldColumns } from "./field-columns.js";
import { type CsvScan, RecordScanner, rowEndings, scanStates } from "./record-scanner.js";
import { Seams } from "./seams.js";

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

type CsvReaderOptions = Pick<ReaderOptions, "rowBytesMax" | "signal" | "windowBytes">;

/**
 * Reads rows of UTF-8 CSV. A range must begin at a record and end after one. `bytes` begin at its
 * start and continue after its end. If the range cuts a record, `next` throws
 * `csv_split_misaligned`. Row numbers are known only in a range that starts at 0.
 *
 * The first of several columns with one name is mapped. An empty cell, quoted or not, is null. If a
 * record is malformed, not closed or too long, its first line is rejected and reading continues
 * with the next line: a missing quote costs one line.
 */
export class CsvReader implements Reader {
  readonly #kernel: Kernel;
  readonly #range: SourceRange;
  readonly #dialect: CsvDialect;
  readonly #bytes: ByteSource;
  readonly #options: CsvReaderOptions;
  readonly #window: Window;
  readonly #scanner: RecordScanner;
  readonly #fields: FieldColumns;
  readonly #seams: Seams;
  #begun = false;
  #needsBytes = false;
  #inLongRow = false;
  #rowsBefore = 0;
  #open = true;

  constructor(
    kernel: Kernel,
    range: SourceRange,
    dialect: CsvDialect,
    fields: readonly FieldRequest[],
    bytes: ByteSource,
    options: CsvReaderOptions,
  ) {
    this.#kernel = kernel;
    this.#range = range;
    this.#dialect = dialect;
    this.#bytes = bytes;
    this.#options = options;
    this.#fields = FieldColumns.take(kernel, dialect.columns, fields);
    const { wanted } = this.#fields;
    this.#scanner = RecordScanner.take(kernel, dialect, wanted, options.rowBytesMax);
    const capacity = options.windowBytes ?? WINDOW_BYTES;
    this.#scanner.ensure(capacity);
    this.#window = new Window(kernel, bytes, capacity, range.start);
    this.#seams = new Seams(kernel, dialect);
  }

  get consumed(): number {
    return this.#bytes.consumed;
  }

  get notices(): ReaderNotices {
    return this.#seams.notices;
  }

  async next(): Promise<Batch | null> {
    this.#options.signal.throwIfAborted();
    if (!this.#begun) await this.#begin();
    const scan = await this.#scanJoined();
    if (scan === null) return null;
    const columns = this.#fields.derive(this.#scanner, scan.rows);
    const raw = new CsvRawRows(this.#kernel, this.#scanner, {
      format: this.#dialect,
      names: this.#dialect.columns,
      rowBytesMax: this.#options.rowBytesMax,
      baseOffset: this.#window.offsetOf(0),
      rowsBefore: this.#range.start === 0 ? this.#rowsBefore : undefined,
    });
    this.#rowsBefore += scan.rows;
    return {
      kernel: this.#kernel,
      rows: scan.rows,
      columns,
      faults: this.#scanner.faults,
      raw,
    };
  }

  async close(): Promise<void> {
    // Another reader may own the pooled parts now.
    if (!this.#open) return;
    this.#open = false;
    // Memory that long rows have grown is not kept.
    const isLarge = this.#window.capacity > WINDOW_BYTES;
    for (const part of [this.#fields, this.#scanner]) {
      if (isLarge) part.free();
      else this.#kernel.pool.keep(part);
    }
    this.#window.free();
    await this.#bytes.close();
  }

  /** Skips the byte order mark, the lines before the header, and the header. */
  async #begin(): Promise<void> {
    this.#begun = true;
    const window = this.#window;
    if (this.#range.start > 0) return this.#fill();
    do await this.#fill();
    while (window.pending.length < BYTE_ORDER_MARK.length && !window.ended);
    if (BYTE_ORDER_MARK.every((byte, index) => window.pending[index] === byte)) window.cursor += 3;
    for (let line = this.#dialect.skipLines ?? 0; line > 0; line--) await this.#skipLine();
    if (!this.#dialect.header || (await this.#scanRows(1)) === null) return;
    const fault = this.#kernel.bytes[this.#scanner.faults];
    if (fault === rejectCodes.malformed_row || fault === rejectCodes.row_too_long) {
      throw this.#error(
        "csv_header_malformed",
        0,
        `the header, its first record, cannot be read. Pass ${option("csvDialect")} skip=<lines> if text precedes it`,
      );
    }
  }

  /** Scans until there are rows, up to the first seam between joined files, which is skipped. */
  async #scanJoined(): Promise<CsvScan | null> {
    for (;;) {
      const scan = await this.#scanRows();
      if (scan === null) return null;
      const row = this.#seams.find(this.#scanner, scan.rows);
      if (row === undefined) return scan;
      // Before the cursor moves: the rows before the seam are scanned again, with the same end.
      const stretch = this.#pending();
      const start = this.#kernel.u32[this.#scanner.starts / 4]!;
      this.#window.cursor = this.#seams.after;
      this.#inLongRow = false;
      this.#needsBytes = false;
      if (row > 0) return this.#scanner.scan({ ...stretch, start }, row);
    }
  }

  /** Scans until there are rows; null at the end of the range. */
  async #scanRows(rowsMax?: number): Promise<CsvScan | null> {
    const window = this.#window;
    for (;;) {
      this.#options.signal.throwIfAborted();
      if (this.#inLongRow) await this.#skipLongRow();
      if (this.#needsBytes) await this.#fill();
      const scan = this.#scanner.scan(this.#pending(), rowsMax);
      window.cursor = scan.cursor;
      this.#inLongRow = scan.state === scanStates.inLongRow;
      this.#needsBytes = scan.state === scanStates.cut || window.cursor >= window.end;
      if (scan.rows > 0) {
        this.#checkAlignment(scan);
        return scan;
      }
      if (window.offsetOf(window.cursor) >= this.#rangeEnd) return null;
      if (window.ended) {
        if (window.failure !== undefined) throw window.failure;
        return null;
      }
    }
  }

  #pending() {
    const { cursor, end, ended, failure } = this.#window;
    const rowsEnd = Math.min(end, cursor + this.#rangeEnd - this.#window.offsetOf(cursor));
    return { start: cursor, rowsEnd, end, final: ended && failure === undefined };
  }

  get #rangeEnd(): number {
    return this.#range.end ?? Number.POSITIVE_INFINITY;
  }

  async #fill(): Promise<void> {
    const window = this.#window;
    if (window.isFull) {
      // One byte more than the limit shows that a row is too long, so the window has room for it.
      const room = this.#options.rowBytesMax + BYTE_ORDER_MARK.length;
      if (!window.grow(room)) throw new Error("the window is too small for a row within the limit");
      this.#scanner.ensure(window.capacity);
    }
    await window.fill(this.#rangeEnd);
    this.#needsBytes = false;
  }

  /** Skips a line and its line end. */
  async #skipLine(): Promise<void> {
    const window = this.#window;
    await this.#skipToLineEnd(false);
    if (window.pending.length < 2 && !window.ended) await window.fill(this.#rangeEnd);
    const isPair = window.pending[0] === 0x0d && window.pending[1] === 0x0a;
    window.cursor = Math.min(window.end, window.cursor + (isPair ? 2 : 1));
    this.#needsBytes = window.cursor === window.end;
  }

  async #skipToLineEnd(feedsOnly: boolean): Promise<void> {
    const window = this.#window;
    for (;;) {
      window.cursor = this.#kernel.run.findLineEnd(window.cursor, window.end, feedsOnly);
      if (window.cursor < window.end || window.ended) break;
      this.#options.signal.throwIfAborted();
      await window.fill(this.#rangeEnd);
    }
  }

  async #skipLongRow(): Promise<void> {
    const window = this.#window;
    await this.#skipToLineEnd(this.#dialect.backslashes !== undefined);
    this.#inLongRow = false;
    this.#needsBytes = window.cursor === window.end;
    if (window.offsetOf(window.cursor) >= this.#rangeEnd) this.#failAlignment();
  }

  /** Only the last row of a range can cross its end, because no row begins after it. */
  #checkAlignment(scan: CsvScan): void {
    if (this.#range.end === null || this.#inLongRow) return;
    const { u32 } = this.#kernel;
    const last = scan.rows - 1;
    const rowEnd = u32[this.#scanner.starts / 4 + last]! + u32[this.#scanner.lengths / 4 + last]!;
    const offset = this.#window.offsetOf(rowEnd);
    const atEnd = this.#window.ended && rowEnd === this.#window.end;
    if (offset > this.#range.end || (offset === this.#range.end && !atEnd)) this.#failAlignment();
  }

  #failAlignment(): never {
    throw this.#error(
      "csv_split_misaligned",
      this.#range.end ?? 0,
      "a split begins in the middle of a record, because the quotes of the file are ambiguous; " +
        `pass a ${option("splitSize")} larger than the file, and ${option("fresh")} to start over`,
    );
  }

  #error(code: string, byte: number, reason: string): SourceError {
    return new SourceError(code, { source: this.#range.source.name, byte }, reason);
  }
}

interface CsvRawRowsFacts {
  readonly format: CsvDialect;
  /** Names of the columns. */
  readonly names: readonly string[];
  readonly rowBytesMax: number;
  /** Offset in the source of the kernel's address 0. */
  readonly baseOffset: number;
  /** Rows of the source before this batch, if that is known. */
  readonly rowsBefore: number | undefined;
}

/** The raw records of the last scan. */
class CsvRawRows implements RawRows {
  constructor(
    private readonly kernel: Kernel,
    private readonly scanner: RecordScanner,
    private readonly facts: CsvRawRowsFacts,
  ) {}

  number(row: number): number | undefined {
    const { rowsBefore } = this.facts;
    return rowsBefore === undefined ? undefined : rowsBefore + row + 1;
  }

  offset(row: number): number {
    return this.facts.baseOffset + this.#word(this.scanner.starts, row);
  }

  bytes(row: number): Uint8Array {
    const start = this.#word(this.scanner.starts, row);
    const length = this.#word(this.scanner.lengths, row);
    const isTooLong = this.kernel.bytes[this.scanner.faults + row] === rejectCodes.row_too_long;
    const kept = isTooLong ? Math.min(length, REJECT_BYTES_MAX) : length;
    return this.kernel.bytes.subarray(start, start + kept);
  }

  members(row: number): Readonly<Record<string, unknown>> | undefined {
    const { format, names } = this.facts;
    const [record] = recordsOf(this.bytes(row), { marks: format, records: 1 });
    const isNull = (cell: string) => format.nulls?.includes(cell) ?? false;
    const cells = (record?.texts ?? []).map((cell) => (isNull(cell) ? null : cell));
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]));
  }

  explain(row: number): string {
    const { names, rowBytesMax } = this.facts;
    const cells = this.#word(this.scanner.cellCounts, row);
    const ending = this.kernel.bytes[this.scanner.endings + row];
    const column = names[cells - 1];
    const cell = column === undefined ? `cell ${cells}` : `cell ${cells} (${column})`;
    switch (this.kernel.bytes[this.scanner.faults + row]) {
      case rejectCodes.ragged_row:
        return `${count(cells, "cell")} where the source has ${count(names.length, "column")}`;
      case rejectCodes.invalid_utf8:
        return `the row is not valid UTF-8; if the file has another encoding, ${ENCODING_ADVICE}`;
      case rejectCodes.row_too_long: {
        const limit = `longer than ${rowBytesMax} bytes (${flagText("maxRowSize")})`;
        return ending === rowEndings.atStopInQuotes
          ? `${limit}: the quote that opens ${cell} is not closed within them; only the first line was rejected`
          : limit;
      }
      default:
        return ending === rowEndings.afterClosingQuote
          ? `text follows the closing quote of ${cell}, where a delimiter or a line end was expected`
          : `the quote that opens ${cell} is never closed; only the first line was rejected`;
    }
  }

  #word(address: number, row: number): number {
    return this.kernel.u32[address / 4 + row]!;
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
