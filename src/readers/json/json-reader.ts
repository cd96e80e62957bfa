import { SourceError } from "../../base/errors.js";
import {
  BATCH_ROWS_MAX,
  JSON_DEPTH_MAX,
  REJECT_BYTES_MAX,
  SNIFF_BYTES,
  WINDOW_BYTES,
} from "../../base/limits.js";
import { flagText } from "../../base/option-text.js";
import { rejectCodes } from "../../base/reject-codes.js";
import type { Batch, FieldRequest, RawRows } from "../../batch/batch.js";
import type { Kernel } from "../../batch/kernel.js";
import type { ByteSource } from "../../sources/byte-source.js";
import type { ReaderOptions } from "../../sources/read-options.js";
import type { SourceRange } from "../../sources/source.js";
import type { MisplacedCommas, Reader, ReaderNotices } from "../reader.js";
import { Window } from "../window.js";
import { checkWrapperEnd } from "./find-wrapper.js";
import { type RowLayout, RowScanner } from "./row-scanner.js";

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

type JsonReaderOptions = Pick<ReaderOptions, "rowBytesMax" | "signal" | "windowBytes">;

/**
 * Reads rows of JSON. With layout `lines`, a range may begin and end anywhere; its rows are the
 * lines that begin in it, and `bytes` begin one byte before a range that does not start at 0.
 * Layout `values` reads whole sources only.
 */
export class JsonReader implements Reader {
  readonly #kernel: Kernel;
  readonly #range: SourceRange;
  readonly #bytes: ByteSource;
  readonly #options: JsonReaderOptions;
  readonly #layout: RowLayout;
  readonly #window: Window;
  readonly #scanner: RowScanner;
  /** The kind of bytes to skip before the next row. */
  #skip: "line" | "value" | "start" | null;
  #needsBytes = true;
  #rowsBefore = 0;
  #misplacedCommas: MisplacedCommas | undefined;
  /** Byte order marks that are not at the start of the source. */
  #marks = 0;
  #open = true;

  constructor(
    kernel: Kernel,
    range: SourceRange,
    fields: readonly FieldRequest[],
    bytes: ByteSource,
    layout: RowLayout,
    options: JsonReaderOptions,
  ) {
    this.#kernel = kernel;
    this.#range = range;
    this.#bytes = bytes;
    this.#layout = layout;
    this.#options = options;
    this.#skip = range.start > 0 ? "line" : "start";
    this.#scanner = RowScanner.take(kernel, fields, layout, options.rowBytesMax);
    const capacity = options.windowBytes ?? WINDOW_BYTES;
    this.#scanner.ensure(capacity);
    this.#window = new Window(kernel, bytes, capacity, Math.max(0, range.start - 1));
  }

  get consumed(): number {
    return this.#bytes.consumed;
  }

  get notices(): ReaderNotices {
    return { byte_order_mark_skipped: this.#marks };
  }

  get misplacedCommas(): MisplacedCommas | undefined {
    return this.#misplacedCommas;
  }

  async next(): Promise<Batch | null> {
    const window = this.#window;
    for (;;) {
      this.#options.signal.throwIfAborted();
      if (this.#needsBytes) await window.fill(this.#range.end ?? undefined);
      if (this.#skip !== null) await this.#skipOver(this.#skip);
      const { limit, last } = this.#limit();
      const scan = this.#scanner.scan(window.cursor, limit, last && window.failure === undefined);
      if (this.#layout === "values") this.#countCommaFaults();
      this.#marks += this.#scanner.marks;
      window.cursor = scan.cursor;
      this.#needsBytes = scan.rows < BATCH_ROWS_MAX;
      if (scan.rows > 0) return this.#createBatch(scan.rows);
      if (this.#scanner.isAfterWrapped) return this.#finishWrapper();
      if (last) return this.#finish();
      if (window.isFull && !this.#grow()) return this.#rejectLongRow();
    }
  }

  async close(): Promise<void> {
    // Another reader may own the pooled scanner now.
    if (!this.#open) return;
    this.#open = false;
    this.#scanner.release();
    this.#window.free();
    await this.#bytes.close();
  }

  /**
   * Returns the address up to which the window can be scanned now, and whether the range ends
   * there. Lines are not cut; the last line of a range is the one with the byte before its end.
   */
  #limit(): { limit: number; last: boolean } {
    const window = this.#window;
    if (this.#layout === "values") return { limit: window.end, last: window.ended };
    const end = this.#range.end ?? Number.POSITIVE_INFINITY;
    if (window.offsetOf(window.cursor) >= end) return { limit: window.cursor, last: true };
    const pending = window.pending;
    if (window.offsetOf(window.end) >= end) {
      const feed = pending.indexOf(LINE_FEED, end - 1 - window.offsetOf(window.cursor));
      if (feed >= 0) return { limit: window.cursor + feed + 1, last: true };
    }
    if (window.ended && window.failure === undefined) return { limit: window.end, last: true };
    return { limit: window.cursor + pending.lastIndexOf(LINE_FEED) + 1, last: window.ended };
  }

  #finish(): null {
    const { failure } = this.#window;
    const { name } = this.#range.source;
    if (failure !== undefined) throw failure;
    if (this.#scanner.inArray) {
      const place = { source: name, byte: this.#window.offsetOf(this.#window.end) };
      throw new SourceError("source_truncated", place, "the file ends before its JSON array does");
    }
    return null;
  }

  #countCommaFaults(): void {
    const { commaFaults, commaFaultPosition } = this.#scanner;
    if (commaFaults === 0) return;
    const { places, byte } = this.#misplacedCommas ?? {
      places: 0,
      byte: this.#window.offsetOf(commaFaultPosition),
    };
    this.#misplacedCommas = { places: places + commaFaults, byte };
  }

  #grow(): boolean {
    // The line end or the first bytes of the next value show that the row is whole.
    if (!this.#window.grow(this.#options.rowBytesMax + 64)) return false;
    this.#scanner.ensure(this.#window.capacity);
    return true;
  }

  /** Returns a batch of one row that is longer than the limit; the next call skips its rest. */
  #rejectLongRow(): Batch {
    const { cursor, end } = this.#window;
    this.#scanner.setLongRow(cursor, end - cursor);
    this.#skip = this.#layout === "lines" ? "line" : "value";
    this.#needsBytes = false;
    return this.#createBatch(1);
  }

  async #skipOver(what: "line" | "value" | "start"): Promise<void> {
    const window = this.#window;
    this.#skip = null;
    if (what === "start") return this.#skipStart();
    if (what === "value") this.#scanner.startSkipping();
    while (!(what === "line" ? this.#skipLine() : this.#skipValue()) && !window.ended) {
      this.#options.signal.throwIfAborted();
      await window.fill();
    }
    await window.fill(this.#range.end ?? undefined);
  }

  /** Skips a byte order mark, or what is before the rows of an array in an object. */
  async #skipStart(): Promise<void> {
    const window = this.#window;
    const { format } = this.#range.source;
    if (format.kind !== "json" || format.arrayStart === undefined) {
      if (BYTE_ORDER_MARK.every((byte, index) => window.pending[index] === byte))
        window.cursor += 3;
      return;
    }
    this.#scanner.startInWrapper();
    for (;;) {
      const left = format.arrayStart - window.offsetOf(window.cursor);
      window.cursor = Math.min(window.cursor + left, window.end);
      await window.fill();
      if (window.ended || window.offsetOf(window.cursor) === format.arrayStart) return;
    }
  }

  /**
   * Checks what follows the rows of an array in an object: members without rows, then the end. Throws
   * `SourceError` for more, so that no rows are lost in silence.
   */
  async #finishWrapper(): Promise<null> {
    const window = this.#window;
    await window.fill();
    if (window.failure !== undefined) throw window.failure;
    const place = { source: this.#range.source.name, byte: window.offsetOf(window.cursor) };
    checkWrapperEnd(Buffer.from(window.pending).toString(), window.ended, place);
    window.cursor = window.end;
    return null;
  }

  #skipLine(): boolean {
    const feed = this.#window.pending.indexOf(LINE_FEED);
    this.#window.cursor = feed < 0 ? this.#window.end : this.#window.cursor + feed + 1;
    return feed >= 0;
  }

  #skipValue(): boolean {
    const { cursor, end, ended } = this.#window;
    const skipped = this.#scanner.skip(cursor, end, ended);
    this.#window.cursor = skipped.cursor;
    return skipped.ended;
  }

  #createBatch(rows: number): Batch {
    const batch = {
      kernel: this.#kernel,
      rows,
      columns: this.#scanner.columns,
      faults: this.#scanner.faults,
      raw: new JsonRawRows(
        this.#kernel,
        this.#scanner,
        this.#window.offsetOf(0),
        this.#range.start === 0 ? this.#rowsBefore : undefined,
      ),
    };
    this.#rowsBefore += rows;
    return batch;
  }
}

/** Advice for a first row that is too long. */
const FIRST_ROW = `. If it is one object around an array of rows: the array and its first row must be in the first ${SNIFF_BYTES / 1024} KiB`;

class JsonRawRows implements RawRows {
  constructor(
    private readonly kernel: Kernel,
    private readonly scanner: RowScanner,
    /** Offset in the source of the kernel's address 0. */
    private readonly baseOffset: number,
    private readonly rowsBefore: number | undefined,
  ) {}

  number(row: number): number | undefined {
    return this.rowsBefore === undefined ? undefined : this.rowsBefore + row + 1;
  }

  offset(row: number): number {
    return this.baseOffset + this.#start(row);
  }

  bytes(row: number): Uint8Array {
    const length = this.kernel.u32[this.scanner.lengths / 4 + row]!;
    const tooLong = this.kernel.bytes[this.scanner.faults + row] === rejectCodes.row_too_long;
    const kept = tooLong ? Math.min(length, REJECT_BYTES_MAX) : length;
    return this.kernel.bytes.subarray(this.#start(row), this.#start(row) + kept);
  }

  members(row: number): Readonly<Record<string, unknown>> | undefined {
    try {
      const { buffer, byteOffset, byteLength } = this.bytes(row);
      return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
    } catch {
      return undefined;
    }
  }

  explain(row: number): string {
    const fault = this.kernel.bytes[this.scanner.faults + row];
    const start = this.#start(row);
    const length = this.kernel.u32[this.scanner.lengths / 4 + row]!;
    const place = this.kernel.u32[this.scanner.faultPositions / 4 + row]! - start;
    switch (fault) {
      case rejectCodes.row_not_object:
        return "the row is valid JSON but not an object";
      case rejectCodes.invalid_utf8:
        return "the row is not valid UTF-8";
      case rejectCodes.row_too_deep:
        return `objects and arrays are nested more than ${JSON_DEPTH_MAX} levels deep`;
      case rejectCodes.row_too_long:
        return `the row is longer than the limit (${flagText("maxRowSize")})${this.number(row) === 1 ? FIRST_ROW : ""}`;
      default: {
        if (place >= length) return `not valid JSON: it ends too early, after ${length} bytes`;
        const rest = this.kernel.bytes.subarray(
          start + place,
          start + Math.min(place + 20, length),
        );
        return `not valid JSON from byte ${place} of the row: ${JSON.stringify(Buffer.from(rest).toString())}`;
      }
    }
  }

  #start(row: number): number {
    return this.kernel.u32[this.scanner.starts / 4 + row]!;
  }
}
