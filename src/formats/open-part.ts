import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROW_BYTES_LIMIT } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { OpenReader, Reader } from "../readers/reader.js";
import {
  type ColumnSource,
  columnsOf,
  parseColumn,
  type RowsOptions,
  timestampUnits,
} from "../sinks/output-columns.js";
import { fileState, fingerprintFile } from "../sources/fingerprint.js";
import type { Codec, Format } from "../sources/source.js";

/** A part of an export that is read back. */
export interface StoredPart {
  /** Relative to the output directory, with `/`. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly size: number;
  /** Read before the first byte of the file, so that readers notice a change of it. */
  readonly fingerprint: string;
}

/** The tools that read parts. */
export interface PartReading {
  readonly kernel: Kernel;
  readonly openReader: OpenReader;
  readonly signal: AbortSignal;
  /** The columns of the parts. */
  readonly columns: RowsOptions;
}

/** The part of a manifest that says how its parts were written. */
export interface RecordedExport {
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** Returns the format and columns of the parts of an export, from its manifest. */
export function columnsIn({ configuration }: RecordedExport): RowsOptions {
  const texts = configuration["columns"] as readonly string[] | undefined;
  const columns = texts?.map(parseColumn).filter((column) => column !== undefined);
  return { withInsertID: configuration["insertId"] === true, ...omitUndefined({ columns }) };
}

/** Returns the name that the parts of an export give a column; undefined if they do not have it. */
export function columnName(source: ColumnSource, columns: RowsOptions): string | undefined {
  return columnsOf(columns, "columns").find((column) => column.source === source)?.name;
}

/** Returns the milliseconds of a unit of the timestamps in parts. */
export function unitMsOf(columns: RowsOptions): number {
  const time = columnsOf(columns, "columns").find(({ source }) => source === "timestamp");
  return timestampUnits[time?.unit ?? "ms"];
}

/** Opens a part. The reader's rows have no raw bytes. */
export type OpenPart = (
  part: StoredPart,
  fields: readonly FieldRequest[],
  reading: PartReading,
) => Promise<Reader>;

/** Opens a part and passes its batches to `take`, one at a time. Throws the signal's reason. */
export async function readPart(
  part: StoredPart,
  fields: readonly FieldRequest[],
  reading: PartReading & { readonly openPart: OpenPart },
  take: (batch: Batch) => void,
): Promise<void> {
  const reader = await reading.openPart(part, fields, reading);
  try {
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      reading.signal.throwIfAborted();
      take(batch);
    }
  } finally {
    await reader.close();
  }
}

/** Describes a part of an export. Throws the errors of `stat`. */
export async function findPart(directory: string, name: string): Promise<StoredPart> {
  const path = join(directory, name);
  const state = fileState(await stat(path));
  return { name, path, size: state.size, fingerprint: fingerprintFile(state, []) };
}

/** Opens a part with the reader of an input format. */
export function openAs(
  format: Format,
  codecs: readonly Codec[],
  ...[part, fields, { kernel, openReader, signal }]: Parameters<OpenPart>
): Promise<Reader> {
  const source = { ...part, codecs, format };
  return openReader(kernel, { source, start: 0, end: null }, fields, {
    // An event may be longer than its row: its member names are longer, and its ids may have escapes.
    rowBytesMax: 2 * ROW_BYTES_LIMIT,
    ratioMax: Number.MAX_SAFE_INTEGER,
    temporaryDirectory: tmpdir(),
    signal,
  });
}

/** Parses a time: a whole number, or ISO 8601. Returns NaN for anything else. */
export function parseTime(bytes: Uint8Array, start: number, end: number): number {
  const number = parseInteger(bytes, start, end);
  if (!Number.isNaN(number)) return number;
  return Date.parse(Buffer.from(bytes.subarray(start, end)).toString("latin1"));
}

/**
 * Parses a whole number of at most 15 digits, which doubles hold exactly. Returns NaN for anything
 * else.
 */
function parseInteger(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === 0x2d;
  const first = isNegative ? start + 1 : start;
  if (end - first < 1 || end - first > 15) return Number.NaN;
  let value = 0;
  for (let position = first; position < end; position++) {
    const digit = bytes[position]! - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return isNegative ? -value : value;
}
