import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { FixedSizeBinary, Int32, Table, vectorFromArray } from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { SchemaElement } from "../../src/parquet/footer.js";
import { readPageHeader } from "../../src/parquet/page-header.js";
import { ThriftReader } from "../../src/parquet/thrift.js";
import { physicalTypes } from "../../src/parquet/value-type.js";
import { PLAIN, page, RLE, unnamed } from "./list-file.js";
import { expectSameAsDuckDB } from "./oracle.js";
import { assemblePageFile, type PageBytes } from "./page-file.js";
import { readColumn, readRows, temporaryFile, text } from "./parquet-files.js";
import { Compression, Encoding, writeParquet } from "./parquet-writer.js";

// Pages that only old writers write.

const numbers = Array.from({ length: 2_000 }, (_, i) => (i * i) % 977);

function writeFile(content: Uint8Array): string {
  const path = temporaryFile();
  writeFileSync(path, content);
  return path;
}

/** Returns the body of the only page of `numbers`, as the Rust library writes it. */
function pageBody(compression: Compression): Uint8Array {
  const table = new Table({ n: vectorFromArray(numbers, new Int32()) });
  const content = writeParquet(table, { compression, encoding: Encoding.PLAIN });
  const bytes = new Uint8Array(content).buffer;
  const metadata = parquetMetadata(bytes).row_groups[0]?.columns[0]?.meta_data;
  const start = Number(metadata?.data_page_offset);
  const reader = new ThriftReader(content.subarray(start));
  const { bodySize } = readPageHeader(reader);
  return content.slice(start + reader.position, start + reader.position + bodySize);
}

/** Assembles a file of one page of a column `n`. */
function pageFile(
  body: Uint8Array,
  codec: number,
  uncompressedSize: number,
  element: Partial<SchemaElement> = { repetition: 1 },
  header = [numbers.length, PLAIN, RLE, RLE],
): Uint8Array {
  const data = page(0, body, 5, header, uncompressedSize);
  return assembleFile([data], codec, {
    ...unnamed,
    type: physicalTypes.int32,
    ...element,
    name: "n",
  });
}

function assembleFile(pages: readonly PageBytes[], codec: number, element: SchemaElement) {
  const size = pages.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const values = pages.reduce((sum, given) => sum + given.values, 0);
  const sizes = { uncompressedSize: size, compressedSize: size };
  const chunk = { type: element.type ?? -1, codec, path: ["n"], start: 4, values, ...sizes };
  return assemblePageFile({ element, children: [] }, [{ chunk, pages }], values);
}

describe("pages of the old codec LZ4", () => {
  const LZ4 = 5;
  const plain = pageBody(Compression.UNCOMPRESSED);
  const block = pageBody(Compression.LZ4_RAW);
  const big = (value: number) => Uint8Array.of(value >> 24, value >> 16, value >> 8, value);
  const little = (value: number) => big(value).reverse();
  const magic = Uint8Array.of(0x04, 0x22, 0x4d, 0x18);
  const half = plain.length >> 1;
  const [first, second] = [plain.subarray(0, half), plain.subarray(half)];
  const expected = numbers.map(String);

  /** A block of literals alone. */
  function literals(bytes: Uint8Array): Uint8Array {
    const rest = bytes.length - 15;
    const lengths = [...new Array(Math.floor(rest / 255)).fill(255), rest % 255];
    return Buffer.concat([Uint8Array.of(0xf0, ...lengths), bytes]);
  }

  const frame = (flags: number, ...parts: readonly Uint8Array[]) =>
    Buffer.concat([magic, Uint8Array.of(flags, 0x40, 0), ...parts, little(0)]);
  const bodies: Readonly<Record<string, readonly Uint8Array[]>> = {
    "one block": [block],
    "Hadoop's framing": [big(plain.length), big(block.length), block],
    "Hadoop's framing with several blocks": [
      big(plain.length),
      big(literals(first).length),
      literals(first),
      big(literals(second).length),
      literals(second),
    ],
    "Hadoop's framing with several parts": [first, second].flatMap((part) => [
      big(part.length),
      big(literals(part).length),
      literals(part),
    ]),
    "a frame": [frame(0x60, little(block.length), block)],
    "a frame with checksums": [
      frame(0x74, little(block.length), block, new Uint8Array(4)),
      new Uint8Array(4),
    ],
    "frames with blocks that are not compressed": [
      frame(0x60, little(-0x8000_0000 + first.length), first),
      frame(0x40, little(literals(second).length), literals(second)),
    ],
  };

  for (const [name, parts] of Object.entries(bodies)) {
    it(`can be ${name}`, async () => {
      const path = writeFile(pageFile(Buffer.concat(parts), LZ4, plain.length));
      expect(await readColumn(path, text("n"))).toEqual(expected);
    });
  }

  it("that are damaged in each of these ways fail their source", async () => {
    for (const parts of Object.values(bodies)) {
      const body = Buffer.concat(parts);
      for (const length of [1, 5, 8, 20, body.length - 9]) {
        const path = writeFile(pageFile(body.subarray(0, length), LZ4, plain.length));
        await expect(readRows(path, [text("n")])).rejects.toMatchObject({ code: "source_corrupt" });
      }
    }
  });

  it.each([
    ["LZO", 3, /compressed with LZO/],
    ["an unknown codec", 17, /unknown codec 17/],
  ])("are told apart from %s", async (_, codec, message) => {
    const path = writeFile(pageFile(block, codec, plain.length));
    await expect(readRows(path, [text("n")])).rejects.toMatchObject({
      code: "source_corrupt",
      message: expect.stringMatching(message),
    });
  });
});

describe("levels in the encoding BIT_PACKED", () => {
  const BIT_PACKED = 4;

  /** Packs bits, the highest of each byte first. */
  function pack(bits: readonly number[]): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(bits.length / 8));
    for (const [i, bit] of bits.entries()) bytes[i >> 3]! |= bit << (7 - (i & 7));
    return bytes;
  }

  it("tell which values are null", async () => {
    const present = numbers.map((n) => (n % 3 === 0 ? 0 : 1));
    const values = Int32Array.from(numbers.filter((n) => n % 3 !== 0));
    const body = Buffer.concat([pack(present), new Uint8Array(values.buffer)]);
    const header = [numbers.length, PLAIN, BIT_PACKED, BIT_PACKED];
    const path = writeFile(pageFile(body, 0, body.length, { repetition: 1 }, header));
    const cells = numbers.map((n) => (n % 3 === 0 ? undefined : String(n)));
    expect(await readColumn(path, text("n"))).toEqual(cells);
  });

  it("that are cut off fail their source", async () => {
    const body = pack(new Array(100).fill(1));
    const header = [numbers.length, PLAIN, BIT_PACKED, BIT_PACKED];
    const path = writeFile(pageFile(body, 0, body.length, { repetition: 1 }, header));
    await expect(readRows(path, [text("n")])).rejects.toThrow(/definition levels are cut off/);
  });
});

describe("INT96", () => {
  const EPOCH_JULIAN_DAY = 2_440_588;

  function int96(day: number, nanoseconds: bigint): Uint8Array {
    const bytes = Buffer.alloc(12);
    bytes.writeBigInt64LE(nanoseconds);
    bytes.writeInt32LE(day + EPOCH_JULIAN_DAY, 8);
    return bytes;
  }

  /** Gives the 12 fixed bytes of a file's only column the type INT96 in its footer. */
  function asInt96(content: Uint8Array): Uint8Array {
    const bytes = Buffer.from(content);
    const start = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
    // Field 1, an i32, and what follows: the length of values in the schema, a list in the chunk.
    const marks = [Buffer.of(0x15, 14, 0x15, 24), Buffer.of(0x15, 14, 0x19)];
    for (const mark of marks) {
      const at = bytes.indexOf(mark, start);
      expect(at).toBeGreaterThan(0);
      bytes[at + 1] = 2 * physicalTypes.int96;
    }
    return bytes;
  }

  const sql = `to_json(case when microsecond(c) % 1000000 = 0 then strftime(c, '%Y-%m-%dT%H:%M:%SZ')
    else strftime(c, '%Y-%m-%dT%H:%M:%S.%f') || '000Z' end)`;
  const values = numbers.map((n, i) =>
    // Whole microseconds, which DuckDB has.
    i % 7 === 3 ? null : int96(Math.floor((n % 100) * 365.25) - 3000, BigInt(i) * 40_800_123_000n),
  );

  for (const encoding of [undefined, Encoding.PLAIN]) {
    it(`is read as DuckDB reads it, ${encoding === undefined ? "with" : "without"} a dictionary`, async () => {
      for (const v2 of [false, true]) {
        const table = new Table({ c: vectorFromArray(values, new FixedSizeBinary(12)) });
        const options = encoding === undefined ? {} : { encoding };
        const path = writeFile(asInt96(writeParquet(table, { v2, pageBytes: 3000, ...options })));
        await expectSameAsDuckDB(path, { c: sql });
      }
    });
  }

  it.each([
    [-719_528, 0n, "0000-01-01T00:00:00Z"],
    [-1, 86_399_999_999_999n, "1969-12-31T23:59:59.999999999Z"],
    // A time beyond the day is carried.
    [0, 86_400_000_000_001n, "1970-01-02T00:00:00.000000001Z"],
    [0, -1n, "1969-12-31T23:59:59.999999999Z"],
    [2_932_896, 1_000n, "9999-12-31T00:00:00.000001000Z"],
  ])("of day %d and %d nanoseconds is %s", async (day, nanoseconds, expected) => {
    const table = new Table({
      c: vectorFromArray([int96(day, nanoseconds)], new FixedSizeBinary(12)),
    });
    const path = writeFile(asInt96(writeParquet(table, { encoding: Encoding.PLAIN })));
    expect(await readColumn(path, text("c"))).toEqual([expected]);
  });

  it("is read as DuckDB reads it from a file of parquetjs-lite", async () => {
    const { ParquetSchema, ParquetWriter } = createRequire(import.meta.url)("parquetjs-lite");
    const path = temporaryFile();
    const schema = new ParquetSchema({ c: { type: "INT96", optional: true } });
    const writer = await ParquetWriter.openFile(schema, path, {});
    // It writes nothing but nanoseconds of the first Julian day, which is in 4713 BC.
    for (let row = 0; row < 20; row++)
      await writer.appendRow(row % 3 === 1 ? {} : { c: row * 1e12 });
    await writer.close();
    await expectSameAsDuckDB(path, {
      c: `case when c::date = '4714-11-24 (BC)'::date
        then strftime(c, '"-004713-11-24T%H:%M:%SZ"') end`,
    });
  });
});
