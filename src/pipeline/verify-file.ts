import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { dayOf, parseDay } from "../base/day.js";
import { SourceError } from "../base/errors.js";
import { ROW_BYTES_MAX } from "../base/limits.js";
import type { Zone } from "../base/zone.js";
import type { Batch } from "../batch/batch.js";
import { cellKinds } from "../batch/column.js";
import type { Kernel } from "../batch/kernel.js";
import { fileState, fingerprintFile } from "../readers/fingerprint.js";
import type { OpenReader } from "../readers/reader.js";
import type { Codec, Format, Source } from "../readers/source.js";
import type { ManifestFile } from "./manifest.js";
import type { OutputFormat } from "./options.js";
import { compare, type Difference, difference } from "./verify-difference.js";
import type { EventCheck } from "./verify-events.js";

export interface FileCheck {
  readonly directory: string;
  readonly format: OutputFormat;
  readonly zone: Zone;
  readonly kernel: Kernel;
  readonly openReader: OpenReader;
  readonly signal: AbortSignal;
  readonly events: EventCheck;
  /** Called after each batch with the rows read of this file so far. */
  rowsRead(rows: number): void;
}

/**
 * One part file against what the manifest says of it: its bytes, then every row. Where the bytes are
 * not those that were written the rows are not looked at: they can be anything.
 */
export async function verifyFile(
  file: ManifestFile,
  day: string,
  check: FileCheck,
): Promise<readonly Difference[]> {
  try {
    const source = await sourceOf(file, check);
    const changed = await verifyBytes(file, check);
    return changed.length > 0 ? changed : await verifyContent(file, day, source, check);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") {
      return [difference("file_missing", file.path, "the file is not there")];
    }
    if (error instanceof SourceError || (error as NodeJS.ErrnoException).syscall !== undefined) {
      const { message } = error as Error;
      // Without the name, which stands before it anyway: `<name>: …` or `<name>, row 3: …`.
      const reason = message.startsWith(file.path) ? message.slice(file.path.length + 2) : message;
      return [difference("file_unreadable", file.path, reason)];
    }
    throw error;
  }
}

async function verifyBytes(file: ManifestFile, check: FileCheck): Promise<readonly Difference[]> {
  const hash = createHash("sha256");
  let bytes = 0;
  const stream = createReadStream(path.join(check.directory, file.path), {
    highWaterMark: 1 << 20,
    signal: check.signal,
  });
  for await (const chunk of stream) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return [
    ...compare("bytes_differ", file.path, "size in bytes", bytes, file.bytes),
    ...compare("sha256_differs", file.path, "SHA-256", hash.digest("hex"), file.sha256),
  ];
}

/** What is known after some rows of a file. */
interface Scan {
  rows: number;
  first: number;
  last: number;
  /** 1-based row, 0 for none. */
  unreadableRow: number;
  wrongDayRow: number;
  wrongDayTimestamp: number;
}

async function verifyContent(
  file: ManifestFile,
  day: string,
  source: Source,
  check: FileCheck,
): Promise<readonly Difference[]> {
  const scan: Scan = {
    rows: 0,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    unreadableRow: 0,
    wrongDayRow: 0,
    wrongDayTimestamp: 0,
  };
  const dayNumber = parseDay(day);
  const range = { source, start: 0, end: null };
  const fields = [
    { path: ["timestamp"], form: "text" },
    { path: ["event"], form: "text" },
  ] as const;
  const reader = await check.openReader(check.kernel, range, fields, {
    rowBytesMax: 4 * ROW_BYTES_MAX,
    ratioMax: Number.MAX_SAFE_INTEGER,
    temporaryDirectory: tmpdir(),
    signal: check.signal,
  });
  try {
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
      check.signal.throwIfAborted();
      scanBatch(batch, dayNumber, check, scan);
      check.rowsRead(scan.rows);
    }
  } finally {
    await reader.close();
  }
  return differencesOf(file, day, check.zone, scan);
}

function scanBatch(batch: Batch, dayNumber: number, { zone, events }: FileCheck, scan: Scan): void {
  const { bytes, words } = batch.kernel;
  const column = batch.columns[0]!;
  const starts = column.starts / 4;
  const lengths = column.lengths / 4;
  for (let row = 0; row < batch.rows; row++) {
    const kind = bytes[column.kinds + row]!;
    const start = words[starts + row]!;
    const isNumber = kind === cellKinds.number || kind === cellKinds.string;
    const timestamp =
      isNumber && bytes[batch.faults + row] === 0
        ? parseInteger(bytes, start, start + words[lengths + row]!)
        : Number.NaN;
    events.setTime(row, timestamp);
    if (Number.isNaN(timestamp)) {
      if (scan.unreadableRow === 0) scan.unreadableRow = scan.rows + row + 1;
      continue;
    }
    if (timestamp < scan.first) scan.first = timestamp;
    if (timestamp > scan.last) scan.last = timestamp;
    const rowDay = dayOf(timestamp, zone);
    if (rowDay !== dayNumber && scan.wrongDayRow === 0) {
      scan.wrongDayRow = scan.rows + row + 1;
      scan.wrongDayTimestamp = timestamp;
    }
  }
  events.count(batch.rows, batch.columns[1]!);
  scan.rows += batch.rows;
}

/** NaN for bytes that are no whole number of at most 15 digits, which doubles hold exactly. */
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

function differencesOf(
  file: ManifestFile,
  day: string,
  zone: Zone,
  scan: Scan,
): readonly Difference[] {
  const differences: Difference[] = [];
  if (scan.unreadableRow > 0) {
    const message = `row ${scan.unreadableRow} cannot be read, or has no timestamp in milliseconds`;
    differences.push(difference("row_unreadable", file.path, message));
  }
  if (scan.wrongDayRow > 0) {
    const when = iso(scan.wrongDayTimestamp);
    const message = `row ${scan.wrongDayRow} has the time ${when}, which is not in ${day} (${zone.name})`;
    differences.push(difference("row_in_wrong_day", file.path, message));
  }
  differences.push(...compare("rows_differ", file.path, "rows", scan.rows, file.rows));
  if (scan.first <= scan.last) {
    const { firstTimestamp, lastTimestamp } = file;
    differences.push(
      ...compareTimes("first_timestamp_differs", file.path, scan.first, firstTimestamp),
      ...compareTimes("last_timestamp_differs", file.path, scan.last, lastTimestamp),
    );
  }
  return differences;
}

function compareTimes(
  code: "first_timestamp_differs" | "last_timestamp_differs",
  filePath: string,
  found: number,
  stated: string,
): readonly Difference[] {
  const what = code === "first_timestamp_differs" ? "first timestamp" : "last timestamp";
  return found === Date.parse(stated) ? [] : compare(code, filePath, what, iso(found), stated);
}

function iso(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? `${milliseconds} ms` : date.toISOString();
}

/** Its fingerprint is of the moment before the first read: a file that changes meanwhile is found. */
async function sourceOf(file: ManifestFile, { directory, format }: FileCheck): Promise<Source> {
  const codecs: readonly Codec[] = format === "jsonl.gz" ? ["gzip"] : [];
  const absolute = path.join(directory, file.path);
  const state = fileState(await stat(absolute));
  return {
    name: file.path,
    path: absolute,
    codecs,
    size: state.size,
    fingerprint: fingerprintFile(state, []),
    format: formats[format],
  };
}

const formats: Readonly<Record<OutputFormat, Format>> = {
  parquet: { kind: "parquet" },
  jsonl: { kind: "ndjson" },
  "jsonl.gz": { kind: "ndjson" },
  csv: {
    kind: "csv",
    delimiter: ",",
    quote: '"',
    columns: ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"],
    header: true,
    encoding: "utf-8",
  },
};
