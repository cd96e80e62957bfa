import { writeFileSync } from "node:fs";
import {
  Bool,
  Dictionary,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
  Int32,
  Int64,
  LargeUtf8,
  List,
  Table,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { describe, expect, it } from "vitest";
import { readRows, temporaryFile, text, writeWithDuckDB } from "./parquet-files.js";
import { Compression, Encoding, type WriteOptions, writeParquet } from "./parquet-writer.js";

const ROWS = 5_000;
const mixed = `select i, i * 1234567 as large, 'name ' || (i % 17) as few, md5(i::varchar) as many,
  case when i % 7 = 0 then null else i / 4 end as d, (i % 1000)::float as f, i % 2 = 0 as b,
  timestamp '2026-01-31' + to_microseconds(i * 1234567) as t
  from range(${ROWS}) r(i)`;
const names = ["i", "large", "few", "many", "d", "f", "b", "t"];

/** What an independent reader reads, written as our cells are. */
async function readElsewhere(path: string) {
  const file = await asyncBufferFromFile(path);
  const rows = await parquetReadObjects({ file, compressors });
  return rows.map((row) => names.map((name) => render(row[name])));
}

function render(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  // hyparquet gives times as Date, cut to milliseconds.
  return value instanceof Date ? value.toISOString().slice(0, 23) : String(value);
}

async function readHere(path: string) {
  const rows = await readRows(
    path,
    names.map((name) => text(name)),
  );
  return rows.map(({ cells }) =>
    cells.map((cell, index) => {
      if (names[index] !== "t" || cell === undefined) return cell;
      return cell.includes(".") ? cell.slice(0, 23) : `${cell}.000`;
    }),
  );
}

describe("Parquet that DuckDB writes", () => {
  for (const codec of ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"]) {
    for (const version of ["v1", "v2"]) {
      it(`is read with codec ${codec} and encodings of ${version}`, async () => {
        const options = `, compression ${codec}, parquet_version ${version}, row_group_size 2048`;
        const path = await writeWithDuckDB(mixed, options);
        const expected = await readElsewhere(path);
        expect(expected).toHaveLength(ROWS);
        expect(await readHere(path)).toEqual(expected);
      });
    }
  }
});

describe("Parquet that the Rust library writes", () => {
  const numbers = Array.from({ length: ROWS }, (_, i) => (i % 5 === 0 ? null : i * i - 7));
  const bytes = (i: number) => Uint8Array.from([i & 255, i >> 8, 3]);
  const columns = {
    int: { vector: vectorFromArray(numbers, new Int32()), encodings: ["delta", "split", "plain"] },
    long: {
      vector: vectorFromArray(
        numbers.map((n) => (n === null ? null : BigInt(n) * 10n ** 10n)),
        new Int64(),
      ),
      encodings: ["delta", "split", "plain"],
    },
    float: { vector: vectorFromArray(numbers, new Float32()), encodings: ["split", "plain"] },
    double: { vector: vectorFromArray(numbers, new Float64()), encodings: ["split", "plain"] },
    fixed: {
      vector: vectorFromArray(
        numbers.map((n, i) => (n === null ? null : bytes(i))),
        new FixedSizeBinary(3),
      ),
      encodings: ["delta bytes", "split", "plain"],
    },
    text: {
      vector: vectorFromArray(
        numbers.map((n) => (n === null ? null : `text number ${n}`)),
        new Utf8(),
      ),
      encodings: ["delta length", "delta bytes", "plain"],
    },
    boolean: {
      vector: vectorFromArray(
        numbers.map((n) => (n === null ? null : n % 3 === 0)),
        new Bool(),
      ),
      encodings: ["rle", "plain"],
    },
    dictionary: {
      vector: vectorFromArray(
        numbers.map((n) => (n === null ? null : `entry ${n % 20}`)),
        new Dictionary(new Utf8(), new Int32()),
      ),
      encodings: ["plain", "delta bytes"],
    },
    "large text": {
      vector: vectorFromArray(
        numbers.map((n) => (n === null ? null : `large ${n}`)),
        new LargeUtf8(),
      ),
      encodings: ["plain", "delta length"],
    },
    list: {
      vector: vectorFromArray(
        numbers.map((n) => (n === null ? null : Array.from({ length: n & 3 }, () => n))),
        new List(new Field("item", new Int32(), true)),
      ),
      encodings: ["delta", "plain"],
    },
  };
  const encodings: Record<string, Encoding> = {
    plain: Encoding.PLAIN,
    rle: Encoding.RLE,
    delta: Encoding.DELTA_BINARY_PACKED,
    "delta length": Encoding.DELTA_LENGTH_BYTE_ARRAY,
    "delta bytes": Encoding.DELTA_BYTE_ARRAY,
    split: Encoding.BYTE_STREAM_SPLIT,
  };

  function expected(name: string): readonly (string | undefined)[] {
    return numbers.map((n, i) => {
      if (n === null) return undefined;
      switch (name) {
        case "long":
          return String(BigInt(n) * 10n ** 10n);
        case "float":
          return String(Math.fround(n));
        case "fixed":
          return Buffer.from(bytes(i)).toString("hex");
        case "text":
          return `text number ${n}`;
        case "boolean":
          return String(n % 3 === 0);
        case "dictionary":
          return `entry ${n % 20}`;
        case "large text":
          return `large ${n}`;
        case "list":
          return JSON.stringify(Array.from({ length: n & 3 }, () => n));
        default:
          return String(n);
      }
    });
  }

  for (const [name, { vector, encodings: possible }] of Object.entries(columns)) {
    it(`is read in every encoding and page version of a column of type ${name}`, async () => {
      const table = new Table({ c: vector });
      const options: WriteOptions[] = [false, true].flatMap((v2) => [
        { v2 },
        ...possible.map((encoding) => ({ v2, encoding: encodings[encoding] as Encoding })),
      ]);
      for (const option of options) {
        const path = temporaryFile();
        writeFileSync(path, writeParquet(table, { ...option, pageBytes: 2048 }));
        const rows = await readRows(path, [text("c")]);
        expect(
          rows.map(({ cells }) => cells[0]),
          JSON.stringify(option),
        ).toEqual(expected(name));
      }
    });
  }

  it("is read with every codec and both page versions", async () => {
    const codecs = ["UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW"] as const;
    const table = new Table({ c: columns.text.vector });
    for (const codec of codecs) {
      for (const v2 of [false, true]) {
        const path = temporaryFile();
        writeFileSync(path, writeParquet(table, { compression: Compression[codec], v2 }));
        const rows = await readRows(path, [text("c")]);
        expect(
          rows.map(({ cells }) => cells[0]),
          `${codec} ${v2}`,
        ).toEqual(expected("text"));
      }
    }
  });
});
