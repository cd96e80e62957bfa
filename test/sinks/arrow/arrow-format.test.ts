import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RecordBatchReader } from "apache-arrow";
import pl from "nodejs-polars";
import { describe, expect, test } from "vitest";
import { ARROW_BATCH_ROWS_MAX } from "../../../src/base/limits.js";
import { someOf } from "../../support/property-runs.js";
import { type EventRow, eventRow, variedRows, writeSplit } from "../event-rows.js";

type ReadRow = Readonly<Record<string, unknown>>;

/** Implementations that did not write the files. */
const readers: Readonly<Record<string, (file: Buffer) => readonly ReadRow[]>> = {
  polars: (file) => {
    const rows = pl.readIPC(file).toRecords() as ReadRow[];
    return rows.map((row) => ({ ...row, timestamp: Number(row["timestamp"]) }));
  },
  "apache-arrow": (file) =>
    [...RecordBatchReader.from(file)].flatMap((batch) =>
      batch.toArray().map((row) => {
        const { timestamp, ...texts } = row?.toJSON() ?? {};
        return { ...texts, timestamp: Number(timestamp) };
      }),
    ),
};

function expectedRow(row: EventRow): ReadRow {
  const { outcome: _, ...cells } = row;
  const { value } = cells;
  return { ...cells, value: value?.startsWith('"') ? JSON.parse(value) : value };
}

async function writePart(rows: readonly EventRow[]): Promise<Buffer> {
  const { directory, parts } = await writeSplit(rows, { format: "arrow", withInsertID: true });
  expect(parts).toHaveLength(1);
  return readFileSync(join(directory, parts[0]?.path ?? ""));
}

const cases: Readonly<Record<string, readonly EventRow[]>> = {
  "one row": [eventRow()],
  "rows that vary in every column": variedRows(2000, 1),
  "columns that are null in every row": Array.from({ length: 50 }, () =>
    eventRow({ userID: null, stableID: null, value: null }),
  ),
  "empty texts beside nulls": Array.from({ length: 41 }, (_, index) =>
    eventRow({ userID: index % 2 ? "" : null, value: index % 3 ? '""' : null, event: "" }),
  ),
  "text from every plane of Unicode": ["\u0000", "é", "\u2028", "中文", "😀", "\u{10ffff}"].map(
    (text) => eventRow({ event: text, userID: text.repeat(3), value: JSON.stringify(text) }),
  ),
  "cells of several MiB": [1, 3 << 20, 2, 5 << 20].map((length, index) =>
    eventRow({ metadata: JSON.stringify({ text: "x".repeat(length), index }) }),
  ),
  "more rows than one batch takes": variedRows(ARROW_BATCH_ROWS_MAX + 5, 1),
};

describe.each(Object.keys(readers))("an Arrow part, read by %s", (reader) => {
  // The reader in JavaScript takes seconds for the largest.
  const step = reader === "polars" ? 2 : 4;
  test.each(someOf(Object.keys(cases), step))("holds %s as they were", async (name) => {
    const rows = cases[name] ?? [];
    const found = readers[reader]?.(await writePart(rows));
    expect(found).toEqual(rows.map(expectedRow));
  });
});

test("an Arrow part has the columns of a Parquet part, with their types", async () => {
  const file = await writePart([eventRow()]);
  const { schema } = RecordBatchReader.from(file).open();
  expect(schema.fields.map(({ name, type, nullable }) => [name, String(type), nullable])).toEqual([
    ["event", "Utf8", false],
    ["timestamp", "Int64", false],
    ["userID", "Utf8", true],
    ["stableID", "Utf8", true],
    ["value", "Utf8", true],
    ["user", "Utf8", false],
    ["metadata", "Utf8", false],
    ["insertID", "Utf8", true],
  ]);
});

test("batches of an Arrow part are bounded, and one long row is a batch of its own", async () => {
  const long = eventRow({ metadata: JSON.stringify({ text: "x".repeat(6 << 20) }) });
  const file = await writePart(
    [...variedRows(100, 1), long, ...variedRows(100, 1)].map((row) => ({
      ...row,
      timestamp: Date.UTC(2026, 0, 31),
    })),
  );
  expect([...RecordBatchReader.from(file)].map(({ numRows }) => numRows)).toEqual([100, 1, 100]);
});
