import { readFileSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { Table, Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { asyncBufferFromFile, parquetMetadataAsync } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { ThriftWriter } from "../../src/base/thrift-writer.js";
import { physicalTypes } from "../../src/parquet/value-type.js";
import { propertyRuns } from "../support/property-runs.js";
import { assemblePageFile, type OddFooter } from "./page-file.js";
import { openFile, readRows, rest, temporaryFile, text, writeWithDuckDB } from "./parquet-files.js";
import { Encoding, writeParquet } from "./parquet-writer.js";

const names = ["i", "few", "many", "l", "s", "m", "dec"];
const fields = [...names.map((name) => text(name)), rest([], [])];
const ROWS = 600;
const query = `select i, 'name ' || (i % 17) as few, md5(i::varchar) as many, [i, i + 1] as l,
  {'a': i, 'b': 'x' || i} as s, map {'k': i} as m, (i / 7)::decimal(30, 3) as dec
  from range(${ROWS}) r(i)`;

/** Reads the bytes; returns the number of rows, or the error. */
async function outcome(content: Uint8Array): Promise<number | Error> {
  const path = temporaryFile();
  writeFileSync(path, content);
  try {
    return (await readRows(path, fields)).length;
  } catch (error) {
    return error as Error;
  }
}

describe("a damaged Parquet file", () => {
  const files: Uint8Array[] = [];
  const footerSize = (file: Uint8Array) => Buffer.from(file).readUInt32LE(file.length - 8);

  beforeAll(async () => {
    for (const codec of ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"]) {
      for (const version of ["v1", "v2"]) {
        const options = `, compression ${codec}, parquet_version ${version}`;
        files.push(readFileSync(await writeWithDuckDB(query, options)));
      }
    }
  });

  it("is an error of its source wherever it is cut off", async () => {
    const [file = new Uint8Array()] = files;
    expect(await outcome(file)).toBe(ROWS);
    for (let cuts = 0; cuts < 100; cuts++) {
      const length = Math.floor((file.length * cuts) / 100);
      const error = await outcome(file.subarray(0, length));
      expect(error, `${length} bytes`).toBeInstanceOf(SourceError);
      expect((error as SourceError).code).toBe("source_corrupt");
    }
  });

  it("is read or is an error of its source, whatever bytes are changed", async () => {
    let errors = 0;
    const change = fc.record({
      inFooter: fc.boolean(),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(files.length - 1),
        fc.array(change, { minLength: 1, maxLength: 4 }),
        async (index, changes) => {
          const content = Uint8Array.from(files[index] ?? []);
          const pages = content.length - 8 - footerSize(content);
          for (const { inFooter, at, byte } of changes) {
            const position = inFooter ? pages + at * (content.length - pages) : at * pages;
            content[Math.floor(position)] = byte;
          }
          const result = await outcome(content);
          if (typeof result === "number") return;
          expect(result).toBeInstanceOf(SourceError);
          errors++;
        },
      ),
      { numRuns: propertyRuns(150) },
    );
    expect(errors).toBeGreaterThan(propertyRuns(150) / 6);
  });

  it("gives the rows before the damage", async () => {
    const path = await writeWithDuckDB(query.replace(`${ROWS}`, "10000"), ", row_group_size 2048");
    const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path));
    const content = readFileSync(path);
    const chunk = row_groups[2]?.columns[2]?.meta_data;
    content.fill(0xff, Number(chunk?.data_page_offset), Number(chunk?.data_page_offset) + 40);
    writeFileSync(path, content);
    const seen: (string | undefined)[] = [];
    const reader = await openFile(path, fields);
    const read = async () => {
      for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
        for (let row = 0; row < batch.rows; row++) seen.push(batch.columns[0]?.text(row));
      }
    };
    await expect(read()).rejects.toThrow(/column "many".*byte \d+/);
    await reader.close();
    expect(seen).toEqual(Array.from({ length: 4096 }, (_, i) => String(i)));
  });

  it("gives the rows of the good pages before a broken one", async () => {
    const texts = Array.from({ length: 5_000 }, (_, i) => `some text with the number ${i}`);
    const table = new Table({ t: vectorFromArray(texts, new Utf8()) });
    const content = Buffer.from(writeParquet(table, { pageBytes: 2048, encoding: Encoding.PLAIN }));
    content.fill(0xff, content.length / 2, content.length / 2 + 100);
    const path = temporaryFile();
    writeFileSync(path, content);
    const seen: (string | undefined)[] = [];
    const reader = await openFile(path, [text("t")]);
    await expect(
      (async () => {
        for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
          for (let row = 0; row < batch.rows; row++) seen.push(batch.columns[0]?.text(row));
        }
      })(),
    ).rejects.toMatchObject({ code: "source_corrupt" });
    await reader.close();
    expect(seen.length).toBeGreaterThan(1_000);
    expect(seen).toEqual(texts.slice(0, seen.length));
  });

  it("is found by the checksums of its pages", async () => {
    const body = new Uint8Array(Int32Array.of(1, 2, 3).buffer);
    const write = (checksum: number) => {
      const path = temporaryFile();
      writeFileSync(path, singlePageFile(body, 3, checksum));
      return path;
    };
    const rows = await readRows(write(crc32(body) | 0), [text("n")]);
    expect(rows.map(({ cells }) => cells[0])).toEqual(["1", "2", "3"]);
    await expect(readRows(write(crc32(body) ^ 1), [text("n")])).rejects.toThrow("checksum");
  });

  it("is found by a footer that contradicts itself", async () => {
    const body = new Uint8Array(Int32Array.of(1, 2, 3).buffer);
    const of = (odd: OddFooter, convertedType?: number) =>
      outcome(singlePageFile(body, 3, crc32(body) | 0, { ...odd, convertedType }));
    expect(await of({})).toBe(3);
    expect(String(await of({ rows: 2 }))).toContain("says 2 rows, but its row groups have 3");
    expect(String(await of({ paddingBytes: 5 }))).toContain("ends 5 bytes before");
    // UTF8, DECIMAL, DATE, TIMESTAMP_MILLIS and INT_64 on int32, of which two fit.
    const results = await Promise.all([0, 5, 6, 9, 18].map((type) => of({}, type)));
    expect(results.map((result) => String(result).includes("does not fit"))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  it("is not one of an old parquet-mr, whose chunk sizes leave out a header", async () => {
    const body = new Uint8Array(Int32Array.of(1, 2, 3).buffer);
    const of = (createdBy: string) =>
      outcome(singlePageFile(body, 3, crc32(body) | 0, { createdBy, uncountedBytes: 14 }));
    expect(await of("parquet-mr version 1.2.8 (build 1)")).toBe(3);
    expect(String(await of("parquet-mr version 1.2.9 (build 1)"))).toContain("cut off");
  });

  it("is told apart from one that is not Parquet or that is encrypted", async () => {
    const [file = new Uint8Array()] = files;
    const text = Buffer.from("a,b\n1,2\n".repeat(100));
    expect(String(await outcome(text))).toMatch(/does not end with PAR1/);
    expect(String(await outcome(Buffer.from("PAR1")))).toMatch(/only 4 bytes/);
    const encrypted = Buffer.from(file);
    encrypted.write("PARE", encrypted.length - 4, "latin1");
    expect(await outcome(encrypted)).toMatchObject({ code: "source_encrypted" });
    const longFooter = Buffer.from(file);
    longFooter.writeUInt32LE(0x7fffffff, longFooter.length - 8);
    expect(String(await outcome(longFooter))).toMatch(/length of its footer is 2147483647 bytes/);
  });
});

/** Assembles a file of one column `n` of plain int32, with a checksum in its page's header. */
function singlePageFile(
  body: Uint8Array,
  values: number,
  checksum: number,
  { convertedType, ...odd }: OddFooter & { readonly convertedType?: number | undefined } = {},
): Uint8Array {
  const writer = new ThriftWriter();
  writer.beginStructElement();
  for (const [id, value] of [0, body.length, body.length, checksum].entries()) {
    writer.i32(id + 1, value);
  }
  writer.beginStruct(5);
  for (const [id, value] of [values, 0, 3, 3].entries()) writer.i32(id + 1, value);
  writer.endStruct();
  writer.endStruct();
  const bytes = Buffer.concat([writer.bytes, body]);
  const page = { dictionary: false, values, uncompressedSize: bytes.length, bytes };
  const element = {
    name: "n",
    type: physicalTypes.int32,
    typeLength: 0,
    repetition: 0,
    childCount: 0,
    convertedType,
    scale: 0,
    logicalType: undefined,
  };
  const chunk = {
    type: physicalTypes.int32,
    codec: 0,
    path: ["n"],
    values,
    uncompressedSize: bytes.length,
    compressedSize: bytes.length,
    start: 4,
  };
  return assemblePageFile({ element, children: [] }, [{ chunk, pages: [page] }], values, odd);
}
