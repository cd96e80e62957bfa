import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import path from "node:path";
import { dayOf, parseDay } from "../../base/day.js";
import { SourceError } from "../../base/errors.js";
import type { Zone } from "../../base/zone.js";
import type { Batch } from "../../batch/batch.js";
import { cellKinds } from "../../batch/column.js";
import {
  columnName,
  findPart,
  type OpenPart,
  type PartReading,
  parseTime,
  readPart,
  type StoredPart,
  unitMsOf,
} from "../../formats/open-part.js";
import type { ManifestFile } from "../../ledger/manifest.js";
import { compare, type Difference, difference } from "./verify-difference.js";
import type { EventCheck } from "./verify-events.js";

export interface FileCheck extends PartReading {
  /** Directory of the export. */
  readonly directory: string;
  readonly openPart: OpenPart;
  readonly zone: Zone;
  readonly events: EventCheck;
  /** Returns the name of an event as it is in parts. */
  storedName(event: string): string;
  /** Called after each batch with the number of rows read of this file. */
  rowsRead(rows: number): void;
}

/**
 * Compares a part with the manifest: its bytes, then every row. If the bytes differ, the rows are
 * not read.
 */
export async function verifyFile(
  file: ManifestFile,
  day: string,
  check: FileCheck,
): Promise<readonly Difference[]> {
  try {
    const part = await findPart(check.directory, file.path);
    const changed = await verifyBytes(file, check);
    return changed.length > 0 ? changed : await verifyContent(file, day, part, check);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") {
      return [difference("file_missing", file.path, "the file does not exist")];
    }
    if (error instanceof SourceError || (error as NodeJS.ErrnoException).syscall !== undefined) {
      const { message } = error as Error;
      // Remove the name, which the difference has already: `<name>: …` or `<name>, row 3: …`.
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

/** The state after some rows of a file. */
interface Scan {
  rows: number;
  first: number;
  last: number;
  /** 1-based row; 0 for none. */
  unreadableRow: number;
  wrongDayRow: number;
  wrongDayTimestamp: number;
  wrongEventRow: number;
  wrongEvent: string;
}

/** The values that all rows of a file share. */
interface Expected {
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  /** The name of its events in UTF-8; absent if it has events of all names. */
  readonly event: Buffer | undefined;
  readonly unitMs: number;
}

async function verifyContent(
  file: ManifestFile,
  day: string,
  part: StoredPart,
  check: FileCheck,
): Promise<readonly Difference[]> {
  const scan: Scan = {
    rows: 0,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    unreadableRow: 0,
    wrongDayRow: 0,
    wrongDayTimestamp: 0,
    wrongEventRow: 0,
    wrongEvent: "",
  };
  const event = file.event === undefined ? undefined : Buffer.from(check.storedName(file.event));
  const fields = (["timestamp", "event"] as const).map((source) => {
    return { path: [columnName(source, check.columns) ?? source], form: "text" } as const;
  });
  const unitMs = unitMsOf(check.columns);
  const expected = { dayNumber: parseDay(day), event, unitMs };
  await readPart(part, fields, check, (batch) => {
    scanBatch(batch, expected, check, scan);
    check.rowsRead(scan.rows);
  });
  return differencesOf(file, { day, unitMs }, check.zone, scan);
}

function scanBatch(
  batch: Batch,
  { dayNumber, event, unitMs }: Expected,
  { zone, events }: FileCheck,
  scan: Scan,
): void {
  const { bytes, u32 } = batch.kernel;
  const column = batch.columns[0]!;
  const starts = column.starts / 4;
  const lengths = column.lengths / 4;
  for (let row = 0; row < batch.rows; row++) {
    const kind = bytes[column.kinds + row]!;
    const start = u32[starts + row]!;
    const isNumber = kind === cellKinds.number || kind === cellKinds.string;
    const timestamp =
      isNumber && bytes[batch.faults + row] === 0
        ? unitMs * parseTime(bytes, start, start + u32[lengths + row]!)
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
  if (event !== undefined) findWrongEvent(batch, event, scan);
  events.count(batch.rows, batch.columns[1]!);
  scan.rows += batch.rows;
}

function findWrongEvent(batch: Batch, event: Buffer, scan: Scan): void {
  const column = batch.columns[1]!;
  for (let row = 0; row < batch.rows && scan.wrongEventRow === 0; row++) {
    const name = column.bytes(row);
    if (event.equals(name)) continue;
    scan.wrongEventRow = scan.rows + row + 1;
    scan.wrongEvent = Buffer.from(name).toString();
  }
}

function differencesOf(
  file: ManifestFile,
  { day, unitMs }: { readonly day: string; readonly unitMs: number },
  zone: Zone,
  scan: Scan,
): readonly Difference[] {
  const differences: Difference[] = [];
  if (scan.unreadableRow > 0) {
    const message = `row ${scan.unreadableRow} cannot be read, or has no timestamp`;
    differences.push(difference("row_unreadable", file.path, message));
  }
  if (scan.wrongDayRow > 0) {
    const when = iso(scan.wrongDayTimestamp);
    const message = `row ${scan.wrongDayRow} has the time ${when}, which is not in ${day} (${zone.name})`;
    differences.push(difference("row_in_wrong_day", file.path, message));
  }
  if (scan.wrongEventRow > 0) {
    const message = `row ${scan.wrongEventRow} has the event ${JSON.stringify(scan.wrongEvent)}, not ${JSON.stringify(file.event)}`;
    differences.push(difference("row_in_wrong_event", file.path, message));
  }
  differences.push(...compare("rows_differ", file.path, "rows", scan.rows, file.rows));
  if (scan.first <= scan.last) {
    const { firstTimestamp, lastTimestamp } = file;
    differences.push(
      ...compareTimes("first_timestamp_differs", file.path, scan.first, firstTimestamp, unitMs),
      ...compareTimes("last_timestamp_differs", file.path, scan.last, lastTimestamp, unitMs),
    );
  }
  return differences;
}

function compareTimes(
  code: "first_timestamp_differs" | "last_timestamp_differs",
  filePath: string,
  found: number,
  stated: string,
  unitMs: number,
): readonly Difference[] {
  const what = code === "first_timestamp_differs" ? "first timestamp" : "last timestamp";
  return found === Math.floor(Date.parse(stated) / unitMs) * unitMs
    ? []
    : compare(code, filePath, what, iso(found), stated);
}

function iso(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? `${milliseconds} ms` : date.toISOString();
}
