import { createHash } from "node:crypto";
import { join } from "node:path";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { describe, expect, test } from "vitest";
import { version } from "../../../src/base/package-files.js";
import { someOf } from "../../support/property-runs.js";
import { type EventRow, eventRow, variedRows, writeSplit } from "../event-rows.js";
import { parquetReaders, queryDuckDb, type ReadRow } from "./parquet-readers.js";

/** The expected row: the value as text, the JSON parsed. */
function expectedRow(row: EventRow): ReadRow {
  const { event, timestamp, userID, stableID, value, user, metadata, insertID } = row;
  return {
    event,
    timestamp,
    userID,
    stableID,
    value: value?.startsWith('"') ? JSON.parse(value) : value,
    user: JSON.parse(user),
    metadata: JSON.parse(metadata),
    insertID,
  };
}

/** Digits that cannot be compressed, the same for the same number. */
function randomID(number: number): string {
  return createHash("sha256").update(String(number)).digest("hex");
}

/** Enough distinct values for index widths of more than 8 bits, and runs of equal ones. */
function dictionaryRows(): EventRow[] {
  return Array.from({ length: 30_000 }, (_, index) =>
    eventRow({
      event: `event ${Math.floor(index / 20) % 700}`,
      userID: index % 100 < 40 ? null : `user ${Math.floor(index / 2) % 3000}`,
      stableID: `device ${index % 5}`,
    }),
  );
}

const cases: Record<string, EventRow[]> = {
  "one row": [eventRow()],
  "rows that vary in every column": variedRows(2000, 1),
  "columns that are null in every row": Array.from({ length: 50 }, () =>
    eventRow({ userID: null, stableID: null, value: null }),
  ),
  "empty texts beside nulls": Array.from({ length: 40 }, (_, index) =>
    eventRow({
      event: "",
      userID: index % 2 ? "" : null,
      stableID: index % 3 ? null : "",
      value: index % 2 ? '""' : null,
    }),
  ),
  "text from every plane of Unicode": [
    "\u0000",
    "é",
    "\u2028",
    "中文",
    "😀",
    "\u{10ffff}",
    '\t\r\n"\\,',
  ].map((text) =>
    eventRow({
      event: text,
      userID: text.repeat(3),
      value: JSON.stringify(text),
      metadata: JSON.stringify({ [text]: text }),
    }),
  ),
  "times before 1970 and far ahead": [-1, 0, -62_135_596_800_000, 253_402_300_799_999].map(
    (timestamp) => eventRow({ timestamp }),
  ),
  "cells of several MiB": [1, 3 << 20, 2, 5 << 20].map((length, index) =>
    eventRow({
      userID: "w".repeat(index === 1 ? 2 << 20 : 3),
      metadata: JSON.stringify({ text: "x".repeat(length), index }),
    }),
  ),
  "many repeated values": dictionaryRows(),
  "ids of random digits": Array.from({ length: 3_000 }, (_, index) =>
    eventRow({ insertID: randomID(index), userID: index % 3 === 0 ? null : randomID(-index) }),
  ),
  "many distinct values": Array.from({ length: 12_000 }, (_, index) =>
    eventRow({ userID: `${index}-user`, stableID: index % 2 ? null : `device ${index}` }),
  ),
};

describe.each(someOf(Object.keys(parquetReaders), 2))("read by %s", (reader) => {
  const read = parquetReaders[reader];
  if (read === undefined) throw new Error(`no reader ${reader}`);

  test.each(someOf(Object.keys(cases), 3))("%s come back as they were", async (name) => {
    const rows = cases[name] ?? [];
    const { directory, parts } = await writeSplit(rows, { withInsertID: true });
    const found: ReadRow[] = [];
    for (const { path } of parts) found.push(...(await read(join(directory, path))));
    const byTime = (a: ReadRow, b: ReadRow) => a.timestamp - b.timestamp;
    // Rows of one day keep their order; where there are several days, files are in theirs.
    const expected = rows.map(expectedRow);
    expect(found).toEqual(parts.length === 1 ? expected : expected.sort(byTime));
  });

  test("many row groups in one part come back in order", async () => {
    const rows = variedRows(3000, 1);
    const { directory, parts } = await writeSplit(rows, { partBytes: 50_000, withInsertID: true });
    const found: ReadRow[] = [];
    for (const { path } of parts) found.push(...(await read(join(directory, path))));
    expect(found).toEqual(rows.map(expectedRow));
    const metadata = await parquetMetadataAsync(
      await asyncBufferFromFile(join(directory, parts[0]?.path ?? "")),
    );
    expect(metadata.row_groups.length).toBeGreaterThan(2);
  });

  test.each(["none", "gzip"] as const)("compression %s is read back", async (compression) => {
    const rows = variedRows(500, 1);
    const { directory, parts } = await writeSplit(rows, { compression, withInsertID: true });
    expect(await read(join(directory, parts[0]?.path ?? ""))).toEqual(rows.map(expectedRow));
  });
});

describe("a Parquet part", () => {
  async function write(rows: readonly EventRow[]): Promise<string> {
    const { directory, parts } = await writeSplit(rows, { withInsertID: true });
    return join(directory, parts[0]?.path ?? "");
  }

  test("has the columns of an event with their types", async () => {
    const path = await write([eventRow()]);
    const schema = await queryDuckDb(
      `select name, type, repetition_type, converted_type, logical_type
       from parquet_schema('${path}') where type is not null`,
    );
    expect(schema.map((column) => Object.values(column).join(" "))).toEqual([
      "event BYTE_ARRAY REQUIRED UTF8 StringType()",
      "timestamp INT64 REQUIRED  ",
      "userID BYTE_ARRAY OPTIONAL UTF8 StringType()",
      "stableID BYTE_ARRAY OPTIONAL UTF8 StringType()",
      "value BYTE_ARRAY OPTIONAL UTF8 StringType()",
      "user BYTE_ARRAY REQUIRED UTF8 StringType()",
      "metadata BYTE_ARRAY REQUIRED UTF8 StringType()",
      "insertID BYTE_ARRAY OPTIONAL UTF8 StringType()",
    ]);
  });

  test("says who wrote it, the range of the timestamps and the nulls, and nothing of JSON", async () => {
    const rows = [5, -7, 3].map((timestamp) => eventRow({ timestamp: timestamp + 86_400_000 }));
    const path = await write([...rows, eventRow({ timestamp: 86_400_000, userID: null })]);
    const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path));
    expect(metadata.created_by).toBe(`switchyard version ${version}`);
    const statistics = await queryDuckDb(
      `select path_in_schema, stats_min_value, stats_max_value, stats_null_count::int as nulls
       from parquet_metadata('${path}')`,
    );
    // -7 ms lies in the day before.
    expect(statistics.map((column) => Object.values(column).join(" "))).toEqual([
      "event   0",
      "timestamp 86399993 86399993 0",
      "userID   0",
      "stableID   1",
      "value   1",
      "user   ",
      "metadata   ",
      "insertID   1",
    ]);
  });

  test("keeps JSON text byte for byte", async () => {
    const metadata = '{ "big" : 9007199254740993123 ,\n "e":1.50e+01, "x":"\\u0041" }';
    const path = await write([eventRow({ metadata })]);
    const rows = await queryDuckDb(`select metadata::varchar as text from '${path}'`);
    expect(rows).toEqual([{ text: metadata }]);
  });

  test("keeps an escaped lone surrogate in properties, for every reader", async () => {
    const metadata = '{"x":"\\ud800"}';
    const path = await write([eventRow({ metadata })]);
    expect(await queryDuckDb(`select metadata from '${path}'`)).toEqual([{ metadata }]);
  });

  test("keeps a value with a lone surrogate as it was escaped", async () => {
    const path = await write([eventRow({ value: '"a\\ud800b"' })]);
    expect(await queryDuckDb(`select value from '${path}'`)).toEqual([{ value: "a\\ud800b" }]);
  });

  test("has dictionaries for columns whose values repeat, and none for others", async () => {
    const distinct = Array.from({ length: 3000 }, (_, index) =>
      eventRow({
        userID: `user ${index}`,
        stableID: `device ${index % 10}`,
        user: `{"userID":"user ${index}"}`,
        metadata: `{"page":${index % 10}}`,
      }),
    );
    const path = await write(distinct);
    const chunks = await queryDuckDb(
      `select path_in_schema as name, encodings from parquet_metadata('${path}')`,
    );
    const encodings = Object.fromEntries(chunks.map(({ name, encodings }) => [name, encodings]));
    expect(encodings).toMatchObject({
      event: "PLAIN_DICTIONARY, RLE",
      userID: "PLAIN, RLE",
      stableID: "PLAIN_DICTIONARY, RLE",
      user: "PLAIN, RLE",
      metadata: "PLAIN_DICTIONARY, RLE",
    });
    const read = await queryDuckDb(`select distinct metadata from '${path}' order by all`);
    expect(read).toEqual(
      Array.from({ length: 10 }, (_, page) => ({ metadata: `{"page":${page}}` })),
    );
  });

  test("is cut into pages of about a MiB", async () => {
    const rows = Array.from({ length: 6000 }, (_, index) =>
      eventRow({ metadata: `{"i":${index},"t":"${"x".repeat(1000)}"}` }),
    );
    const path = await write(rows);
    const file = await parquetMetadataAsync(await asyncBufferFromFile(path));
    const size = file.row_groups[0]?.columns.at(-2)?.meta_data?.total_uncompressed_size;
    const headers = Number(size) - rows.reduce((n, row) => n + 4 + row.metadata.length, 0);
    // Six pages, each with a header of some 20 bytes and nothing else.
    expect(headers).toBeGreaterThan(6 * 10);
    expect(headers).toBeLessThan(6 * 30);
  });
});

test.each([
  ["snappy", "UNCOMPRESSED"],
  ["gzip", "GZIP"],
] as const)(
  "with %s, ids of random digits are written as %s, and texts are not",
  async (compression, codec) => {
    const rows = Array.from({ length: 3_000 }, (_, index) =>
      eventRow({ insertID: randomID(index) }),
    );
    const { directory, parts } = await writeSplit(rows, { compression, withInsertID: true });
    const { row_groups: groups } = await parquetMetadataAsync(
      await asyncBufferFromFile(join(directory, parts[0]?.path ?? "")),
    );
    const codecOf = (name: string) =>
      groups[0]?.columns.find(({ meta_data: facts }) => facts?.path_in_schema[0] === name)
        ?.meta_data?.codec;
    expect(codecOf("insertID")).toBe(codec);
    expect(codecOf("metadata")).toBe(compression.toUpperCase());
  },
);
