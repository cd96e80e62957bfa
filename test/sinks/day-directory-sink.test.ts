import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import { createZone } from "../../src/base/luxon-zone.js";
import { Kernel } from "../../src/batch/kernel.js";
import { type OutputFormat, outputFormatNames } from "../../src/formats/output-formats.js";
import { isCi, someOf } from "../support/property-runs.js";
import {
  commitSplit,
  createSink,
  digestTree,
  eventRow,
  openSplit,
  readTree,
  temporaryDirectory,
  variedRows,
  writeRows,
  writeSplit,
} from "./event-rows.js";

const DAY_MS = 86_400_000;

describe.each(someOf(outputFormatNames, 4))("day directories in %s", (format) => {
  test("have the same bytes whatever the batches were", async () => {
    const rows = variedRows(1500);
    const options = { format, partBytes: 50_000 };
    const whole = await writeSplit(rows, { ...options, batchRows: 1500 });
    for (const batchRows of [1, 7, 1024]) {
      const other = await writeSplit(rows, { ...options, batchRows });
      expect(other.parts).toEqual(whole.parts);
      expect(digestTree(other.directory)).toEqual(digestTree(whole.directory));
    }
  });

  test("have the same bytes whatever the worker wrote before", async () => {
    const rows = variedRows(500);
    const fresh = await writeSplit(rows, { format });
    const { directory, kernel, sink } = await createWorker(format);
    const first = sink.openSplit("0000");
    await writeRows(first, kernel, [eventRow({ metadata: `{"t":"${"z".repeat(9 << 20)}"}` })]);
    await first.abort();
    const second = sink.openSplit("0001");
    await writeRows(second, kernel, rows);
    expect((await commitSplit(second)).parts).toEqual(fresh.parts);
    expect(digestTree(directory)).toEqual(digestTree(fresh.directory));
  });

  test("describe the content of each part", async () => {
    const { directory, parts } = await writeSplit(variedRows(2000, 5), {
      format,
      partBytes: 60_000,
    });
    const files = readTree(directory);
    expect(Object.keys(files)).toEqual(parts.map((part) => part.path));
    expect(parts.reduce((rows, part) => rows + part.rows, 0)).toBe(2000);
    for (const part of parts) {
      const bytes = files[part.path] ?? Buffer.alloc(0);
      expect(part.bytes).toBe(bytes.length);
      expect(part.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
      expect(part.path).toMatch(/^events\/2026-01-0\d\/part-0001-\d{3}\./);
      expect(part.path.split("/")[1]).toBe(part.day);
      const dayMs = Date.parse(part.day);
      expect(part.firstTimestamp).toBeGreaterThanOrEqual(dayMs);
      expect(part.firstTimestamp).toBeLessThanOrEqual(part.lastTimestamp);
      expect(part.lastTimestamp).toBeLessThan(dayMs + DAY_MS);
    }
  });

  test("use the next number when a part has reached its size", async () => {
    const rows = variedRows(6000, 1);
    const [whole] = (await writeSplit(rows, { format })).parts;
    const partBytes = Math.ceil((whole?.bytes ?? 0) / 5);
    const { parts } = await writeSplit(rows, { format, partBytes });
    expect(parts.length).toBeGreaterThan(2);
    const numbers = parts.map((part) => /-(\d{3})\./.exec(part.path)?.[1]);
    expect(numbers).toEqual(parts.map((_, index) => String(index).padStart(3, "0")));
    for (const part of parts.slice(0, -1)) expect(part.bytes).toBeGreaterThanOrEqual(partBytes);
    for (const part of parts) expect(part.bytes).toBeLessThan(2.5 * partBytes);
  });

  async function createWorker(format: OutputFormat) {
    const directory = temporaryDirectory();
    const kernel = new Kernel();
    return { directory, kernel, sink: await createSink(kernel, directory, { format }) };
  }
});

describe("a split", () => {
  const days = isCi ? 1_000 : 250;
  test(`of ${days} days in no order becomes ${days} directories with every row in its day`, async () => {
    const rows = variedRows(20 * days, days);
    const { directory, parts } = await writeSplit(rows, { partBytes: 1 << 20 });
    expect(new Set(parts.map((part) => part.day)).size).toBe(days);
    const files = readTree(directory);
    const found: number[] = [];
    for (const part of parts) {
      const bytes = new Uint8Array(files[part.path] ?? []);
      const events = await parquetReadObjects({ file: bytes.buffer, columns: ["timestamp"] });
      const times = events.map((event) => Number(Object.values(event)[0]));
      found.push(...times);
      expect(new Set(times.map((time) => Math.floor(time / DAY_MS)))).toEqual(
        new Set([Date.parse(part.day) / DAY_MS]),
      );
      // Rows of a day keep the order that they came in.
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
    expect(found.sort()).toEqual(rows.map((row) => row.timestamp).sort());
  });

  test("leaves out rows that are not delivered", async () => {
    const rows = variedRows(100, 1).map((row, index) => ({ ...row, outcome: index % 3 ? 254 : 0 }));
    const { directory, parts } = await writeSplit(rows, { format: "jsonl", batchRows: 9 });
    const delivered = rows.filter((row) => row.outcome === 0);
    const text = readTree(directory)[parts[0]?.path ?? ""]?.toString() ?? "";
    const times = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).timestamp);
    expect(times).toEqual(delivered.map((row) => row.timestamp));
  });

  test("without a delivered row writes nothing at all", async () => {
    const { directory, parts } = await writeSplit([eventRow({ outcome: 12 })]);
    expect(parts).toEqual([]);
    expect(readTree(directory)).toEqual({});
  });

  test("uses the days of the configured zone", async () => {
    const row = eventRow({ timestamp: Date.UTC(2026, 0, 31, 23, 30) });
    const dayZone = createZone("Asia/Tokyo");
    const { parts } = await writeSplit([row], { dayZone, dataset: "orders" });
    expect(parts.map((part) => part.path)).toEqual(["orders/2026-02-01/part-0001-000.parquet"]);
  });

  test("takes a row that is longer than a row buffer", async () => {
    const long = eventRow({ metadata: `{"t":"${"x".repeat(300_000)}"}` });
    const rows = [eventRow({ event: "a" }), long, eventRow({ event: "b" }), long];
    const { directory, parts } = await writeSplit(rows, { format: "jsonl", partBytes: 4096 });
    const lines = parts.map(({ path }) => readTree(directory)[path]?.toString()).join("");
    expect(
      lines
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).event),
    ).toEqual(rows.map((row) => row.event));
  });

  test("is not visible before it is committed", async () => {
    const directory = temporaryDirectory();
    const { kernel, split } = await openSplit(directory, { partBytes: 20_000 });
    await writeRows(split, kernel, variedRows(1000));
    const before = Object.keys(readTree(directory));
    expect(before.length).toBeGreaterThan(0);
    expect(before.filter((path) => !path.startsWith("_switchyard/tmp/0001/"))).toEqual([]);
    await commitSplit(split);
    expect(existsSync(join(directory, "_switchyard/tmp/0001"))).toBe(false);
  });

  test("that is written is independent: the next one may be written before it is committed", async () => {
    const quiet = await writeSplit(variedRows(1000), { splitId: "0001" });
    const directory = temporaryDirectory();
    const kernel = new Kernel();
    const sink = await createSink(kernel, directory, { format: "parquet" });
    const first = sink.openSplit("0001");
    await writeRows(first, kernel, variedRows(1000));
    const [written, second] = [await first.finish(), sink.openSplit("0002")];
    await writeRows(second, kernel, variedRows(700, 3));
    expect((await written.commit()).parts).toEqual(quiet.parts);
    const next = await second.finish();
    expect(next.rows).toBe(700);
    await next.abort();
    // Nothing of the one is thrown away with the other.
    expect(digestTree(directory)).toEqual(digestTree(quiet.directory));
  });

  test("that is written and aborted does not change the next one", async () => {
    const quiet = await writeSplit(variedRows(700, 3), { splitId: "0002" });
    const directory = temporaryDirectory();
    const kernel = new Kernel();
    const sink = await createSink(kernel, directory, { format: "parquet" });
    const first = sink.openSplit("0001");
    await writeRows(first, kernel, variedRows(1000));
    const [written, second] = [await first.finish(), sink.openSplit("0002")];
    await writeRows(second, kernel, variedRows(700, 3));
    await written.abort();
    expect((await commitSplit(second)).parts).toEqual(quiet.parts);
    expect(digestTree(directory)).toEqual(digestTree(quiet.directory));
  });

  test("that is aborted leaves nothing and can be run again", async () => {
    const directory = temporaryDirectory();
    const { kernel, split } = await openSplit(directory, { partBytes: 20_000 });
    await writeRows(split, kernel, variedRows(1000));
    await split.abort();
    expect(readTree(directory)).toEqual({});
    await expect(split.finish()).rejects.toThrow("aborted already");
  });
});

test("zstd is written if this Node has it, else refused with advice", async () => {
  const { zstdDecompressSync } = (await import("node:zlib")) as { zstdDecompressSync?: unknown };
  const written = writeSplit([eventRow()], { compression: "zstd" });
  if (zstdDecompressSync === undefined) {
    await expect(written).rejects.toMatchObject({ code: "compression_unavailable", exitCode: 2 });
  } else {
    expect((await written).parts.length).toBe(1);
  }
});
