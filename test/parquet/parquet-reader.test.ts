import { writeFileSync } from "node:fs";
import { Binary, Table, Utf8, type Vector, vectorFromArray } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { planParquetRanges } from "../../src/parquet/ranges.js";
import {
  batchesOf,
  json,
  kernel,
  openFile,
  readerOptions,
  readRows,
  sourceOf,
  temporaryFile,
  text,
  writeWithDuckDB,
} from "./parquet-files.js";
import { writeParquet } from "./parquet-writer.js";

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => String(from + index));

function write(columns: Record<string, Vector>): string {
  const path = temporaryFile();
  writeFileSync(path, writeParquet(new Table(columns)));
  return path;
}

describe("ranges of a Parquet file", () => {
  it("are row groups of about the same size, and give the rows of the whole", async () => {
    const query = "select i, md5(i::varchar) as m from range(40000) r(i)";
    const path = await writeWithDuckDB(query, ", row_group_size 2048, compression uncompressed");
    const source = sourceOf(path);
    // 20 row groups, the last of which is shorter.
    for (const [count, splitBytes] of [
      [20, 1],
      [7, source.size / 6.5],
      [3, source.size / 2.5],
      [1, source.size],
    ] as const) {
      const ranges = await planParquetRanges(source, splitBytes, readerOptions);
      expect(ranges).toHaveLength(count);
      const sizes = ranges.map(({ start, end }) => (end ?? 20) - start);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      const rows: (string | undefined)[] = [];
      for (const { start, end } of ranges) {
        const part = await readRows(path, [text("i")], { start, end });
        // Numbers count from the file's first row, also in later ranges.
        expect(part.map(({ number }) => number)).toEqual(part.map((_, i) => rows.length + i + 1));
        rows.push(...part.map(({ cells }) => cells[0]));
      }
      expect(rows).toEqual(numbers(40_000));
    }
  });

  it("are more if pages are compressed well", async () => {
    const query = "select repeat(md5(i::varchar), 30) as t from range(40000) r(i)";
    const path = await writeWithDuckDB(query, ", row_group_size 2048, compression zstd");
    const source = sourceOf(path);
    const textBytes = 40_000 * 32 * 30;
    expect(source.size).toBeLessThan(textBytes / 10);
    // The file is as long as wanted, but two bytes of text count for one.
    const ranges = await planParquetRanges(source, source.size, readerOptions);
    expect(ranges.length).toBeGreaterThanOrEqual(5);
  });

  it("are one for a file that is much smaller than wanted, which is not opened", async () => {
    const path = await writeWithDuckDB("select 1 as i");
    const source = { ...sourceOf(path), path: `${path}-missing` };
    const { size } = source;
    expect(await planParquetRanges(source, size * 2, readerOptions)).toEqual([
      { source, start: 0, end: null },
    ]);
    await expect(planParquetRanges(source, size * 2 - 1, readerOptions)).rejects.toThrow();
  });

  it("are one empty range if there is no row group", async () => {
    const path = await writeWithDuckDB("select 1 as i where false");
    const source = sourceOf(path);
    const ranges = await planParquetRanges(source, 1, readerOptions);
    expect(ranges.map(({ start, end }) => [start, end])).toEqual([[0, 0]]);
    expect(await readRows(path, [text("i")])).toEqual([]);
  });

  it("need a footer that can be read", async () => {
    const path = temporaryFile();
    writeFileSync(path, "not Parquet");
    await expect(planParquetRanges(sourceOf(path), 1, readerOptions)).rejects.toMatchObject({
      code: "source_corrupt",
      position: { source: path },
    });
  });
});

describe("a reader of Parquet", () => {
  it("rejects only the rows whose texts are not UTF-8, and keeps their bytes", async () => {
    const bad = Uint8Array.from([0x61, 0xff, 0x22]);
    const values = [Buffer.from("fine"), bad, null, Buffer.from("grün")];
    const path = write({
      t: vectorFromArray(values, new Binary()),
      n: vectorFromArray(["1", "2", "3", "4"], new Utf8()),
    });
    for (const field of [text("t"), json("t")]) {
      const rows = await readRows(path, [field, text("n")]);
      expect(rows.map(({ fault }) => fault)).toEqual([
        undefined,
        "invalid_utf8",
        undefined,
        undefined,
      ]);
      expect(rows.map(({ cells }) => cells[1])).toEqual(["1", undefined, "3", "4"]);
    }
    for await (const batch of batchesOf(await openFile(path, [text("t"), text("n")]))) {
      const raw = Buffer.from(batch.raw.bytes(1)).toString("latin1");
      expect(raw).toBe(`{"t":"a\xff\\"","n":"2"}`);
      expect(batch.raw.explain(1)).toMatch(/^the text of column "t" is not valid UTF-8.*"except"/);
      expect(batch.raw.offset(1)).toBeUndefined();
    }
    // The column is not requested, so its damage does not matter.
    const others = await readRows(path, [text("n")]);
    expect(others.map(({ fault }) => fault)).toEqual(others.map(() => undefined));
  });

  it("gives raw rows as JSON objects of the requested columns", async () => {
    const path = await writeWithDuckDB(
      `select 'e' as event, {'a': {'b': i, 'c': 'x'}, 'd': 2} as s, null::int as nothing, 1 as other
       from range(5) r(i)`,
    );
    const fields = [text("event"), text("s", "a", "b"), text("nothing"), text("missing")];
    for await (const batch of batchesOf(await openFile(path, fields))) {
      const raw = Buffer.from(batch.raw.bytes(3)).toString();
      expect(raw).toBe('{"event":"e","s":{"a":{"b":3}},"nothing":null}');
    }
  });

  it("gives each raw row of each batch, even if it is much longer than those before", async () => {
    const path = await writeWithDuckDB(
      "select i, repeat(chr(34), case when i < 20000 then 1 else 300 end) as t from range(24000) r(i)",
    );
    let number = 0;
    for await (const batch of batchesOf(await openFile(path, [text("i"), text("t")]))) {
      for (let row = 0; row < batch.rows; row++, number++) {
        const raw = Buffer.from(batch.raw.bytes(row)).toString();
        const t = '"'.repeat(number < 20_000 ? 1 : 300);
        if (raw !== JSON.stringify({ i: number, t })) expect.fail(`row ${number}: ${raw}`);
      }
    }
    expect(number).toBe(24_000);
  });

  it("rejects rows that are longer than the limit, and keeps the others", async () => {
    const texts = [10, 3_000, 10, 900].map((length) => "x".repeat(length));
    const path = write({ t: vectorFromArray(texts, new Utf8()) });
    const rows = await readRows(path, [text("t")], { rowBytesMax: 1_000 });
    expect(rows.map(({ fault }) => fault)).toEqual([
      undefined,
      "row_too_long",
      undefined,
      undefined,
    ]);
    expect(rows.map(({ cells }) => cells[0]?.length)).toEqual([10, undefined, 10, 900]);
  });

  it("keeps batches near the window's size, also when a dictionary makes rows long", async () => {
    const path = await writeWithDuckDB(
      "select repeat(md5((i % 3)::varchar), 100) as t from range(30000) r(i)",
    );
    // Other test files use the same kernel.
    const before = kernel.memory.buffer.byteLength;
    let rows = 0;
    for await (const batch of batchesOf(await openFile(path, [text("t")]))) {
      expect(batch.columns[0]?.totalBytes(batch.rows)).toBeLessThanOrEqual(2 * 1024 * 1024);
      rows += batch.rows;
    }
    expect(rows).toBe(30_000);
    expect(kernel.memory.buffer.byteLength - before).toBeLessThan(128 * 1024 * 1024);
  });

  it("reports its progress, up to the size of the source", async () => {
    const path = await writeWithDuckDB("select i from range(50000) r(i)", ", row_group_size 8192");
    const { size } = sourceOf(path);
    const reader = await openFile(path, [text("i")]);
    let before = -1;
    while ((await reader.next()) !== null) {
      expect(reader.consumed).toBeGreaterThan(before);
      before = reader.consumed;
    }
    expect(reader.consumed).toBeGreaterThan(size * 0.9);
    expect(reader.consumed).toBeLessThanOrEqual(size);
    await reader.close();
  });

  it("reports that a file changed, not that it is damaged", async () => {
    const path = await writeWithDuckDB("select i from range(50000) r(i)", ", row_group_size 8192");
    const reader = await openFile(path, [text("i")]);
    expect(await reader.next()).not.toBeNull();
    writeFileSync(path, "something else");
    const drain = async () => {
      while ((await reader.next()) !== null);
    };
    await expect(drain()).rejects.toMatchObject({ code: "source_changed" });
    await reader.close();
  });

  it("names a column that it cannot read", async () => {
    const path = await writeWithDuckDB(
      "select 1 as fine, ('{\"a\":1}'::json)::variant as odd",
    ).catch(() => undefined);
    if (path === undefined) throw new Error("this DuckDB has no VARIANT");
    expect((await readRows(path, [text("fine")]))[0]?.cells).toEqual(["1"]);
    await expect(readRows(path, [text("odd")])).rejects.toMatchObject({
      code: "source_unsupported",
      message: expect.stringContaining('column "odd" is a VARIANT'),
    });
  });
});
