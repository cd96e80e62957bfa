import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { FileContent } from "../base/durable-file.js";
import { ROW_BUFFER_ROWS_MAX, TEXT_BYTES } from "../base/limits.js";
import type { EventBatch } from "../batch/event-batch.js";
import { Kernel } from "../batch/kernel.js";
import { type OutputFormat, outputFormat } from "../formats/output-formats.js";
import { EventRows } from "../mapper/event-rows.js";
import { parseColumn } from "../sinks/output-columns.js";
import { diskFiles, withOutputErrors } from "../sinks/part-files.js";
import type { PartEncoder } from "../sinks/part-format.js";
import { PartOutput, WriteBuffer } from "../sinks/part-output.js";
import { createRowBuffer, type RowBuffer } from "../sinks/row-buffer.js";
import type { Identity } from "./resolve-links.js";

/** Columns of the table; the fields of events that hold them are an implementation detail. */
const columns = ["anonymous_id=stableID", "user_id=userID", "first_seen=timestamp:timestamp"];
const columnNames = ["anonymous_id", "user_id", "first_seen", "evidence"] as const;

const formatsByEnding = { parquet: "parquet", csv: "csv", jsonl: "jsonl" } as const;

/** The formats of tables, by the ending of their name. */
export const tableEndings = Object.keys(
  formatsByEnding,
) as readonly (keyof typeof formatsByEnding)[];

/** Returns the format of a table by the ending of its name; undefined for another ending. */
export function tableFormatOf(path: string): OutputFormat | undefined {
  const ending = tableEndings.find((one) => path.toLowerCase().endsWith(`.${one}`));
  return ending && formatsByEnding[ending];
}

/** Rows that are written at a time. */
const ROWS_MAX = 8_192;

/** Columns of a table, and the fields of events that hold them, in the form of the option `columns`. */
type TableColumns = readonly string[];

/** Writes a table to a file that does not exist yet. Its rows are events, whose fields its columns show. */
export class TableFile {
  readonly #kernel: Kernel;
  readonly #rows: EventRows;
  readonly #buffer: RowBuffer;
  readonly #order: number;
  readonly #output: PartOutput;
  readonly #encoder: PartEncoder;

  private constructor(kernel: Kernel, buffer: RowBuffer, output: PartOutput, encoder: PartEncoder) {
    this.#kernel = kernel;
    this.#rows = new EventRows(kernel);
    this.#buffer = buffer;
    this.#output = output;
    this.#encoder = encoder;
    this.#order = kernel.allocate(ROW_BUFFER_ROWS_MAX * 4);
    kernel.run.fillOrder(this.#order, ROW_BUFFER_ROWS_MAX);
  }

  static async create(
    path: string,
    format: OutputFormat,
    columns: TableColumns,
  ): Promise<TableFile> {
    const kernel = new Kernel();
    const options = {
      withInsertID: false,
      compression: "snappy",
      csvSafe: false,
      columns: columns.flatMap((text) => parseColumn(text) ?? []),
    } as const;
    const part = await outputFormat(format).createFormat(kernel, options);
    const output = new PartOutput(withOutputErrors(diskFiles), new WriteBuffer(), path);
    const buffer = createRowBuffer(kernel, part, 16 * TEXT_BYTES);
    return new TableFile(kernel, buffer, output, part.openPart(output));
  }

  write(rows: readonly TableRow[]): void {
    for (let start = 0; start < rows.length; start += ROWS_MAX) {
      const some = rows.slice(start, start + ROWS_MAX);
      const events = this.#rows.write(
        this.#unmapped(),
        some.map((row, sourceRow) => ({ sourceRow, result: { ...noFields, ...row } })),
      );
      for (let row = 0; row < events.rows; ) {
        row = this.#buffer.append(events, row);
        this.#encode();
      }
    }
  }

  /** Ends the file, and returns its content. */
  finish(): FileContent {
    this.#encoder.finish();
    // Lines without rows are an empty file.
    if (this.#output.size === 0) diskFiles.open(this.#output.path).close();
    this.#output.rest();
    return { bytes: this.#output.size, sha256: this.#output.digest() };
  }

  discard(): void {
    this.#output.discard();
  }

  #encode(): void {
    const { rows } = this.#buffer;
    for (let row = 0; row < rows; )
      row = this.#encoder.append(this.#buffer, this.#order, row, rows);
    this.#buffer.clear();
  }

  /** Rows that no batch has: only the kernel of it is used. */
  #unmapped(): EventBatch {
    return { kernel: this.#kernel } as EventBatch;
  }
}

type TableRow = Partial<typeof noFields> & { readonly event: string };

const noFields = {
  timestamp: 0,
  userID: undefined as string | undefined,
  stableID: undefined as string | undefined,
  value: undefined,
  user: "{}",
  metadata: "{}",
  insertID: undefined,
  distinctID: undefined,
};

/** Writes a table of identities to a file that does not exist yet. */
export class IdentityTableFile {
  private constructor(private readonly table: TableFile) {}

  static async create(path: string, format: OutputFormat): Promise<IdentityTableFile> {
    return new IdentityTableFile(
      await TableFile.create(path, format, [...columns, "evidence=event"]),
    );
  }

  write(rows: readonly Identity[]): void {
    this.table.write(
      rows.map(({ anonymousID, userID, firstSeenMs, evidence }) => ({
        event: evidence,
        timestamp: firstSeenMs,
        userID,
        stableID: anonymousID,
      })),
    );
  }

  /** Ends the file, and returns its content. */
  finish(): FileContent {
    return this.table.finish();
  }

  discard(): void {
    this.table.discard();
  }
}

/** Bytes at both ends of a file in which the columns of a table are named. */
const END_BYTES = 16_384;

/** Returns true if a file is a table of these columns, or empty. */
export function isOwnTable(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    if (size === 0) return true;
    const ends = [0, Math.max(0, size - END_BYTES)].map((start) => {
      const bytes = Buffer.alloc(Math.min(size, END_BYTES));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
    });
    const [head = "", tail = ""] = ends.map((bytes) => bytes.toString("latin1"));
    if (head.startsWith("PAR1") && tail.endsWith("PAR1"))
      return columnNames.every((name) => tail.includes(name));
    const [line = ""] = head.split(/\r?\n/, 1);
    if (line === columnNames.join(",")) return true;
    return line.startsWith("{") && columnNames.every((name) => line.includes(`"${name}"`));
  } finally {
    closeSync(file);
  }
}
