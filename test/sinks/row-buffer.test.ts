import { describe, expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { ColumnBuffer } from "../../src/sinks/row-buffer.js";
import { eventBatch, eventRow, readTree, writeSplit } from "./event-rows.js";

const long = eventRow({ event: "long", metadata: `{"t":"${"x".repeat(300_000)}"}` });
const short = Array.from({ length: 3_000 }, (_, index) => eventRow({ event: `short-${index}` }));

describe("a row buffer", () => {
  test("has no room after a row that is longer than itself", () => {
    const kernel = new Kernel();
    const rowBuffer = new ColumnBuffer(kernel, 1_000, { withInsertID: false });
    const [one, other] = [eventBatch(kernel, [long]), eventBatch(kernel, short.slice(0, 2))];
    expect(rowBuffer.append(one, 0)).toBe(1);
    expect(rowBuffer.append(other, 0)).toBe(0);
    expect(rowBuffer.rows).toBe(1);
    rowBuffer.clear();
    expect(rowBuffer.append(other, 0)).toBe(2);
  });

  test("has room up to its last byte", () => {
    const kernel = new Kernel();
    const row = eventRow({ metadata: "{}" });
    const bytes = [row.event, row.userID, row.stableID, row.value, row.user, row.metadata]
      .map((cell) => Buffer.byteLength(cell ?? ""))
      .reduce((sum, length) => sum + length, 0);
    const rowBuffer = new ColumnBuffer(kernel, 3 * bytes, { withInsertID: false });
    expect(rowBuffer.append(eventBatch(kernel, [row, row, row, row]), 0)).toBe(3);
    expect(rowBuffer.append(eventBatch(kernel, [row]), 0)).toBe(0);
  });

  // After a long row at the end of a batch, the next batch meets a row buffer beyond its limit.
  test.each([1, 2, 3, 7])("loses nothing after long rows, in batches of %i", async (batchRows) => {
    const rows = [
      ...short.slice(0, 20),
      long,
      ...short.slice(20, 1_500),
      long,
      ...short.slice(1_500),
    ];
    const options = { format: "jsonl", partBytes: 4096, batchRows } as const;
    const { directory, parts } = await writeSplit(rows, options);
    const lines = parts.map(({ path }) => readTree(directory)[path]?.toString()).join("");
    const events = lines
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toEqual(rows.map(({ event }) => event));
  });
});
