import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { omitUndefined } from "../../src/base/omit-undefined.js";
import type { Zone } from "../../src/base/zone.js";
import { type CellKind, Column, cellKinds } from "../../src/batch/column.js";
import type { EventBatch } from "../../src/batch/event-batch.js";
import type { Kernel } from "../../src/batch/kernel.js";
import {
  type OutputFormat,
  outputFormat,
  type PartOptions,
} from "../../src/formats/output-formats.js";
import {
  createDayDirectorySink,
  type DayDirectoryOptions,
  type DayDirectorySink,
} from "../../src/sinks/day-directory-sink.js";
import type { Commitment, Origin, PartFile, Sink, SplitSink } from "../../src/sinks/sink.js";
import { scratchDirectory } from "../support/scratch.js";
import { usedKernel } from "../support/used-kernel.js";

/** An event as it reaches the sinks; `value` is a JSON token, `user` and `metadata` JSON texts. */
export interface EventRow {
  readonly event: string;
  readonly timestamp: number;
  readonly userID: string | null;
  readonly stableID: string | null;
  readonly value: string | null;
  readonly user: string;
  readonly metadata: string;
  readonly insertID: string | null;
  /** A row that is not delivered has undefined cells. */
  readonly outcome?: number;
}

export const utc: Zone = {
  name: "UTC",
  fixedOffsetMs: 0,
  offsetMs: () => 0,
  utcMs: (localMs) => localMs,
};

export function eventRow(row: Partial<EventRow> = {}): EventRow {
  return {
    event: "purchase",
    timestamp: Date.UTC(2026, 0, 31, 12),
    userID: "u1",
    stableID: null,
    value: null,
    user: '{"userID":"u1"}',
    metadata: "{}",
    insertID: null,
    ...row,
  };
}

/** Rows that vary in every column, over `days` days in no order. */
export function variedRows(count: number, days = 3): EventRow[] {
  return Array.from({ length: count }, (_, index) => {
    const userID = index % 3 === 0 ? null : `user-${index % 50}`;
    return eventRow({
      event: ["page_view", "tea ☕ brewed", "", 'quoted "name"'][index % 4] ?? "",
      timestamp: Date.UTC(2026, 0, 1) + ((index * 7919) % days) * 86_400_000 + index,
      userID,
      stableID: `device-${index}`,
      value: [null, "12.50", '"free, \\"text\\"\\n"', '""'][index % 4] ?? null,
      user: JSON.stringify({ userID, plan: index % 2 ? "free" : "yearly" }),
      metadata: JSON.stringify({
        index,
        page: `/tea/${index % 17}`,
        note: "é😀".repeat(index % 5),
      }),
      insertID: index % 5 === 0 ? null : `"insert"-${index}`,
    });
  });
}

/** The rows as one batch in kernel memory, which `free` gives back. */
export function eventBatch(kernel: Kernel, rows: readonly EventRow[]): FreeableBatch {
  const names = ["event", "userID", "stableID", "value", "user", "metadata", "insertID"] as const;
  const cells = names.map((name) => rows.map((row) => encodeCell(row[name])));
  const size = cells.flat().reduce((total, cell) => total + (cell?.length ?? 0), 0);
  const data = kernel.allocate(size);
  const outcomes = kernel.allocate(rows.length);
  const timestamps = kernel.allocate(rows.length * 8);
  const columns = names.map(() => new Column(kernel, rows.length));
  let top = data;
  for (const [index, column] of columns.entries()) {
    for (const [row, cell] of (cells[index] ?? []).entries()) {
      const delivered = (rows[row]?.outcome ?? 0) === 0;
      // Cells of rows that are not delivered are undefined: anything may stand there.
      const kind = delivered ? (cell === null ? cellKinds.null : cellKinds.string) : 77;
      column.set(row, kind as CellKind, delivered ? top : 0xffffff00, cell?.length ?? 0xffff);
      if (cell === null) continue;
      kernel.bytes.set(cell, top);
      top += cell.length;
    }
  }
  for (const [row, { timestamp, outcome = 0 }] of rows.entries()) {
    kernel.doubles[timestamps / 8 + row] = timestamp;
    kernel.bytes[outcomes + row] = outcome;
  }
  const unused = (): never => {
    throw new Error("sinks do not look at the source");
  };
  return {
    kernel,
    rows: rows.length,
    // Each event has a source row of its own.
    batch: { rows: rows.length } as EventBatch["batch"],
    sourceRow: unused,
    explain: unused,
    trace: unused,
    outcomes,
    timestamps,
    ...(Object.fromEntries(names.map((name, index) => [name, columns[index]])) as Record<
      (typeof names)[number],
      Column
    >),
    free() {
      for (const column of columns) column.free();
      for (const address of [data, outcomes, timestamps]) kernel.free(address);
    },
  };
}

type FreeableBatch = EventBatch & { free(): void };

function encodeCell(text: string | null): Uint8Array | null {
  return text === null ? null : new TextEncoder().encode(text);
}

/** Origin for sinks that refuse no rows. */
const origin: Origin = {
  fingerprint: "0",
  keep() {
    throw new Error("no row is refused here");
  },
  place() {
    throw new Error("no row is shown here");
  },
};

/** Writes rows in batches of `batchRows`, each of which is gone before the next one comes. */
export async function writeRows(
  split: SplitSink,
  kernel: Kernel,
  rows: readonly EventRow[],
  batchRows = 1000,
): Promise<void> {
  for (let start = 0; start < rows.length; start += batchRows) {
    const batch = eventBatch(kernel, rows.slice(start, start + batchRows));
    await split.write(batch, origin);
    kernel.bytes.fill(0xee, batch.event.starts, batch.event.starts + batch.rows * 4);
    batch.free();
  }
}

/** A new directory, for the test at hand alone. */
export function temporaryDirectory(): string {
  return scratchDirectory("sinks");
}

export interface SinkOptions
  extends Omit<Partial<DayDirectoryOptions>, "format">,
    Partial<PartOptions> {
  readonly format?: OutputFormat;
}

/** A sink of JSON lines if nothing else is asked for. */
export async function createSink(
  kernel: Kernel,
  outputDirectory: string,
  {
    format = "jsonl",
    compression = "snappy",
    csvSafe = false,
    withInsertID = false,
    columns,
    ...options
  }: SinkOptions = {},
): Promise<DayDirectorySink> {
  return createDayDirectorySink(kernel, {
    outputDirectory,
    dayZone: utc,
    ...options,
    format: await outputFormat(format).createFormat(kernel, {
      compression,
      csvSafe,
      withInsertID,
      ...omitUndefined({ columns }),
    }),
  });
}

/** A split of `createSink`, in a kernel of its own. */
export async function openSplit(
  outputDirectory: string,
  options: SinkOptions = {},
  splitId = "0001",
): Promise<{ kernel: Kernel; sink: Sink; split: SplitSink }> {
  const kernel = usedKernel();
  const sink = await createSink(kernel, outputDirectory, options);
  return { kernel, sink, split: sink.openSplit(splitId) };
}

/** Makes a split visible that no more events are written to. */
export async function commitSplit(split: SplitSink): Promise<Commitment> {
  return await (await split.finish()).commit();
}

export interface Written {
  readonly directory: string;
  readonly parts: readonly PartFile[];
}

/** One split, written and committed. */
export async function writeSplit(
  rows: readonly EventRow[],
  options: SinkOptions & { batchRows?: number; splitId?: string } = {},
): Promise<Written> {
  const { batchRows, splitId = "0001", ...sinkOptions } = options;
  const directory = options.outputDirectory ?? temporaryDirectory();
  const { kernel, split } = await openSplit(
    directory,
    { format: "parquet", ...sinkOptions },
    splitId,
  );
  await writeRows(split, kernel, rows, batchRows);
  return { directory, parts: (await commitSplit(split)).parts };
}

/** Every file below a directory: path relative to it, with `/`, and content. */
export function readTree(directory: string): Record<string, Buffer> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    files.map((file) => [file.slice(directory.length + 1), readFileSync(file)]),
  );
}

/** `readTree` with a digest in place of each content, which compares quickly. */
export function digestTree(directory: string): Record<string, string> {
  const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
  return Object.fromEntries(
    Object.entries(readTree(directory)).map(([path, bytes]) => [path, digest(bytes)]),
  );
}
