import { readFileSync } from "node:fs";
import { parquetMetadata } from "hyparquet";
import { expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { DayOrder } from "../../src/sinks/day-order.js";
import { DayParts } from "../../src/sinks/day-parts.js";
import { createParquetFormat } from "../../src/sinks/parquet/parquet-format.js";
import { diskFiles } from "../../src/sinks/part-files.js";
import { ColumnBuffer } from "../../src/sinks/row-buffer.js";
import { eventBatch, temporaryDirectory, utc, variedRows } from "./event-rows.js";

test("parts are finished early when their footers would take too much memory together", () => {
  const kernel = new Kernel();
  const rows = variedRows(30, 3);
  const rowBuffer = new ColumnBuffer(kernel, 1 << 20, { withInsertID: false });
  const order = new DayOrder(kernel, rows.length);
  const parts = new DayParts({
    files: diskFiles,
    format: createParquetFormat(kernel, "snappy", { withInsertID: false }),
    partBytes: 1 << 30,
    heldBytesMax: 4000,
    splitId: "0001",
    dataset: "events",
    dayName: "{day}",
    temporaryDirectory: temporaryDirectory(),
    namedDirectories: new Set(),
  });
  rowBuffer.append(eventBatch(kernel, rows), 0);
  const days = order.sort(rowBuffer.timestamps, rowBuffer.rows, utc);
  // A row group of these columns has some 400 bytes in the footer, and there are three days.
  for (let flush = 0; flush < 12; flush++) parts.append(rowBuffer, order.address, days);

  const finished = parts.finish();
  const rowGroups = finished.map(({ temporaryPath, part }) => {
    const bytes = new Uint8Array(readFileSync(temporaryPath));
    expect(bytes.length).toBe(part.bytes);
    return parquetMetadata(bytes.buffer).row_groups.length;
  });
  expect(finished.length).toBeGreaterThan(6);
  expect(rowGroups.reduce((sum, count) => sum + count)).toBe(12 * 3);
  expect(Math.max(...rowGroups) * 3 * 400).toBeLessThan(2 * 4000);
  expect(finished.reduce((sum, { part }) => sum + part.rows, 0)).toBe(12 * rows.length);
});
