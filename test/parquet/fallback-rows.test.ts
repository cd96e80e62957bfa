import { readFileSync, writeFileSync } from "node:fs";
import { Binary, Table, vectorFromArray } from "apache-arrow";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { FieldRequest } from "../../src/batch/batch.js";
import {
  batchesOf,
  openFile,
  readRows,
  temporaryFile,
  text,
  writeWithDuckDB,
} from "./parquet-files.js";
import { writeParquet } from "./parquet-writer.js";

const ROWS = 40_000;
const fallback: FieldRequest = { ...text("second"), fallbackOf: ["first"] };
const fields = [text("i"), text("first"), fallback];

/** Rows of which those have no `first` text for which `isLacking` holds in SQL. */
const write = (isLacking: string, first = "md5(i::varchar)", options = "") =>
  writeWithDuckDB(
    `select i, case when ${isLacking} then null else ${first} end as first, 'second ' || i as second
     from range(${ROWS}) r(i)`,
    `, row_group_size 16384, compression snappy${options}`,
  );

/** Overwrites the pages of a column in all row groups. */
async function damage(path: string, column: string): Promise<void> {
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
  const bytes = readFileSync(path);
  for (const { columns } of row_groups) {
    const meta = columns.find((one) => one.meta_data?.path_in_schema[0] === column)?.meta_data;
    const start = Number(meta?.dictionary_page_offset ?? meta?.data_page_offset);
    bytes.fill(0xff, start, start + Number(meta?.total_compressed_size));
  }
  writeFileSync(path, bytes);
}

const seconds = async (path: string, options = {}) =>
  (await readRows(path, fields, options)).map(({ cells }) => cells[2]);

describe("a column that is used where a text is missing", () => {
  it.each([
    ["in a few rows", "i in (1, 20000, 39999)"],
    ["in a row of each batch", "i % 1000 = 7"],
    ["in all rows", "true"],
    ["at the end of a row group and the start of the next one", "i in (16383, 16384)"],
  ])("has a value %s that need it, and in no others", async (_, isLacking) => {
    const path = await write(isLacking);
    const rows = await readRows(path, [text("first"), text("second")]);
    expect(rows).toHaveLength(ROWS);
    const expected = rows.map(({ cells }) => (cells[0] === undefined ? cells[1] : undefined));
    expect(await seconds(path)).toEqual(expected);
    // Pages that are read in parts.
    expect(await seconds(path, { pagesBytesMax: 0 })).toEqual(expected);
  });

  it("has a value where the text is empty", async () => {
    const path = await write("false", "case when i = 5 then '' else 'x' end");
    expect((await seconds(path)).flatMap((cell) => cell ?? [])).toEqual(["second 5"]);
  });

  it("is not read if no row needs it", async () => {
    const path = await write("false");
    await damage(path, "second");
    expect((await seconds(path)).every((cell) => cell === undefined)).toBe(true);
    await expect(readRows(path, [text("second")])).rejects.toThrow();
  });

  it("is an error of the source if a row needs it and its pages are damaged", async () => {
    const path = await write("i = 30000");
    await damage(path, "second");
    await expect(seconds(path)).rejects.toMatchObject({ code: "source_corrupt" });
  });

  it("is in raw rows that do not need it", async () => {
    const path = await write("i >= 36000", "'x'");
    let number = 0;
    for await (const batch of batchesOf(await openFile(path, fields))) {
      // Not every batch reads it for raw rows, so some have rows to catch up with.
      for (const row of number % 3 === 0 ? [batch.rows - 1, 0, 5] : []) {
        const i = number + row;
        const first = i >= 36_000 ? null : "x";
        expect(JSON.parse(Buffer.from(batch.raw.bytes(row)).toString())).toEqual({
          i,
          first,
          second: `second ${i}`,
        });
      }
      number += batch.rows;
    }
    expect(number).toBe(ROWS);
  });

  it("rejects a text that is not UTF-8 only in a row that needs it", async () => {
    const bad = Uint8Array.from([0x61, 0xff]);
    const path = temporaryFile();
    const columns = {
      first: vectorFromArray([Buffer.from("x"), null, null], new Binary()),
      second: vectorFromArray([bad, Buffer.from("fine"), bad], new Binary()),
    };
    writeFileSync(path, writeParquet(new Table(columns)));
    const rows = await readRows(path, [text("first"), fallback]);
    expect(rows.map(({ fault }) => fault)).toEqual([undefined, undefined, "invalid_utf8"]);
    expect(rows.map(({ cells }) => cells[1])).toEqual([undefined, "fine", undefined]);
  });

  it.each([
    ["is not text", "i"],
    ["is JSON", "to_json(i)"],
  ])("is read in all rows if the other column %s", async (_, first) => {
    const path = await write("i = 3", first);
    const cells = await seconds(path);
    expect(cells).toEqual(cells.map((__, i) => `second ${i}`));
  });
});
