import { isDeepStrictEqual } from "node:util";
import { BATCH_ROWS_MAX, GIB } from "../../base/limits.js";
import { Column } from "../../batch/column.js";
import { type Kernel, Region } from "../../batch/kernel.js";
import { KernelRecord, writeWords } from "../../batch/kernel-record.js";
import { csvNullTextLayout, recordScanLayout } from "../../batch/layouts.js";
import type { CsvDialect } from "../../sources/source.js";

/** A mark that no byte equals. */
const NO_CHARACTER = 256;

/** The text that means null if it is not quoted, as databases write it. */
const UNQUOTED_NULL = "\\N";

/** Values of `backslashes` in src/kernels/csv/csv-scan.ts. */
const backslashModes = { none: 0, lf: 1, crlf: 2 } as const;

/** Bytes that the kernel may write past the end of the scratch data. */
const LOOSE_BYTES = 32;

/** Reasons for the end of a scan, as in src/kernels/csv/csv.ts. */
export const scanStates = { done: 0, cut: 1, inLongRow: 2 } as const;
type ScanState = (typeof scanStates)[keyof typeof scanStates];

/** Ends of the cells of a row, as in src/kernels/csv/csv-scan.ts. */
export const rowEndings = {
  atLineEnd: 1,
  atStop: 2,
  atStopInQuotes: 3,
  afterClosingQuote: 4,
} as const;

/** A section of kernel memory to scan for rows. */
interface Stretch {
  readonly start: number;
  /** No row may begin at this address or after it. */
  readonly rowsEnd: number;
  readonly end: number;
  /** The source ends at `end`. */
  readonly final: boolean;
}

export interface CsvScan {
  readonly rows: number;
  readonly cursor: number;
  readonly state: ScanState;
}

/** The kernel's record scan with its memory: wanted columns, row positions and faults. */
export class RecordScanner {
  /** Addresses of one u32, u32, u8, u32, u8 per row. */
  readonly starts: number;
  readonly lengths: number;
  readonly faults: number;
  readonly cellCounts: number;
  readonly endings: number;
  readonly #kernel: Kernel;
  readonly #dialect: CsvDialect;
  readonly #wanted: ReadonlySet<number>;
  readonly #rowBytesMax: number;
  readonly #columns: ReadonlyMap<number, Column>;
  /** Receives the cells of columns that are not wanted. */
  readonly #ignored: Column;
  readonly #columnTable: number;
  readonly #scan: KernelRecord<keyof typeof recordScanLayout.words>;
  readonly #scratch: Region;
  /** Addresses of `CsvNullText`s, each followed by its text. */
  readonly #nulls: readonly number[];

  /**
   * Takes an equal scanner from the pool, or creates one. The set of wanted columns identifies all
   * columns: it belongs to a `FieldColumns` and so to one list of names.
   */
  static take(
    kernel: Kernel,
    dialect: CsvDialect,
    wanted: ReadonlySet<number>,
    rowBytesMax: number,
  ): RecordScanner {
    const left = kernel.pool.take(
      RecordScanner,
      (scanner) =>
        scanner.#wanted === wanted &&
        scanner.#rowBytesMax === rowBytesMax &&
        isSame(scanner.#dialect, dialect),
    );
    return left ?? new RecordScanner(kernel, dialect, wanted, rowBytesMax);
  }

  /** `wanted`: positions of the columns whose cells are kept. */
  constructor(
    kernel: Kernel,
    dialect: CsvDialect,
    wanted: ReadonlySet<number>,
    rowBytesMax: number,
  ) {
    this.#kernel = kernel;
    this.#dialect = dialect;
    this.#wanted = wanted;
    this.#rowBytesMax = rowBytesMax;
    this.#columns = new Map([...wanted].map((position) => [position, new Column(kernel)]));
    this.#ignored = new Column(kernel);
    this.starts = kernel.allocate(BATCH_ROWS_MAX * 4);
    this.lengths = kernel.allocate(BATCH_ROWS_MAX * 4);
    this.faults = kernel.allocate(BATCH_ROWS_MAX);
    this.cellCounts = kernel.allocate(BATCH_ROWS_MAX * 4);
    this.endings = kernel.allocate(BATCH_ROWS_MAX);
    this.#columnTable = kernel.allocate((dialect.columns.length + 1) * 4);
    this.#scan = new KernelRecord(kernel, recordScanLayout);
    this.#scratch = new Region(kernel, LOOSE_BYTES);
    this.#writeColumnTable(dialect.columns.length);
    this.#scan.set("delimiter", characterCode(dialect.delimiter));
    this.#scan.set("quote", characterCode(dialect.quote));
    this.#scan.set("escape", characterCode(dialect.escape ?? ""));
    this.#scan.set("backslashes", backslashModes[dialect.backslashes ?? "none"]);
    this.#scan.set("comment", characterCode(dialect.comment ?? ""));
    this.#scan.set("cells", dialect.columns.length);
    this.#scan.set("columns", this.#columnTable);
    this.#scan.set("rowBytesMax", Math.min(rowBytesMax, GIB));
    this.#scan.set("starts", this.starts);
    this.#scan.set("lengths", this.lengths);
    this.#scan.set("faults", this.faults);
    this.#scan.set("cellCounts", this.cellCounts);
    this.#scan.set("endings", this.endings);
    this.#nulls = [
      // The kernel itself finds it among backslashes.
      ...(dialect.backslashes === undefined ? [placeNull(kernel, UNQUOTED_NULL, false)] : []),
      ...(dialect.nulls ?? []).map((text) => placeNull(kernel, text, true)),
    ];
  }

  /** Returns the cells of a wanted column in the rows of the last scan. */
  column(position: number): Column {
    const column = this.#columns.get(position);
    if (column === undefined) throw new Error(`column ${position} was not asked for`);
    return column;
  }

  /**
   * Makes room for sections of `bytes`; invalidates addresses, so call it before they are taken.
   */
  ensure(bytes: number): void {
    this.#scratch.ensure(bytes + LOOSE_BYTES);
  }

  /** Scans at most `rowsMax` rows, which overwrite the rows of the last scan. */
  scan(stretch: Stretch, rowsMax = BATCH_ROWS_MAX): CsvScan {
    this.#scan.set("cursor", stretch.start);
    this.#scan.set("rowsEnd", Math.min(stretch.rowsEnd, stretch.end));
    this.#scan.set("end", stretch.end);
    this.#scan.set("final", stretch.final ? 1 : 0);
    this.#scan.set("rowsMax", rowsMax);
    this.#scan.set("scratch", this.#scratch.address);
    const state = this.#kernel.run.scanRecords(this.#scan.address) as ScanState;
    for (const column of this.#columns.values()) {
      for (const text of this.#nulls) {
        this.#kernel.run.nullCells(column.address, this.#scan.address, text);
      }
    }
    return { rows: this.#scan.get("rows"), cursor: this.#scan.get("cursor"), state };
  }

  free(): void {
    for (const column of [...this.#columns.values(), this.#ignored]) column.free();
    this.#scratch.free();
    this.#scan.free();
    const { starts, lengths, faults, cellCounts, endings } = this;
    const blocks = [
      starts,
      lengths,
      faults,
      cellCounts,
      endings,
      this.#columnTable,
      ...this.#nulls,
    ];
    for (const address of blocks) this.#kernel.free(address);
  }

  #writeColumnTable(cells: number): void {
    for (let cell = 0; cell <= cells; cell++) {
      const column = this.#columns.get(cell) ?? this.#ignored;
      this.#kernel.u32[this.#columnTable / 4 + cell] = column.address;
    }
  }
}

/** Returns whether both dialects cut records into the same cells. */
function isSame(one: CsvDialect, other: CsvDialect): boolean {
  return (
    one.delimiter === other.delimiter &&
    one.quote === other.quote &&
    one.escape === other.escape &&
    one.backslashes === other.backslashes &&
    one.comment === other.comment &&
    isDeepStrictEqual(one.nulls, other.nulls)
  );
}

function placeNull(kernel: Kernel, text: string, inQuotes: boolean): number {
  const bytes = Buffer.from(text);
  const record = kernel.allocate(csvNullTextLayout.bytes + bytes.length);
  const address = record + csvNullTextLayout.bytes;
  kernel.bytes.set(bytes, address);
  const words = { text: address, length: bytes.length, inQuotes: inQuotes ? 1 : 0 };
  writeWords(kernel, csvNullTextLayout, record, words);
  return record;
}

function characterCode(character: string): number {
  return character === "" ? NO_CHARACTER : character.charCodeAt(0);
}
