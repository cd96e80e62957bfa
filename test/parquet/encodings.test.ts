import { readFileSync, writeFileSync } from "node:fs";
import {
  Bool,
  type DataType,
  Dictionary,
  Field,
  FixedSizeBinary,
  Float32,
  Float64,
  Int32,
  Int64,
  LargeUtf8,
  List,
  Struct,
  Table,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import { isCi, someOf } from "../support/property-runs.js";
import { expectSameAsDuckDB } from "./oracle.js";
import { readColumn, temporaryFile, text, writeWithDuckDB } from "./parquet-files.js";
import { Compression, Encoding, type WriteOptions, writeParquet } from "./parquet-writer.js";

const ROWS = isCi ? 5_000 : 1_250;

/** Returns the encodings or codecs that the footer of a file names. */
function inFooter(path: string, member: "encodings" | "codec"): readonly string[] {
  const content = readFileSync(path);
  const bytes = content.buffer.slice(content.byteOffset, content.byteOffset + content.length);
  const chunks = parquetMetadata(bytes).row_groups.flatMap(({ columns }) => columns);
  return [...new Set(chunks.flatMap(({ meta_data }) => meta_data?.[member] ?? []))];
}

/** SQL for a time as our JSON has it. */
const timeSql = (name: string) => `to_json(case when microsecond(${name}) % 1000000 = 0
  then strftime(${name}, '%Y-%m-%dT%H:%M:%S') else strftime(${name}, '%Y-%m-%dT%H:%M:%S.%f') end)`;

describe("Parquet that DuckDB writes", () => {
  const flat = `i, i * 1234567 as large, 'name ' || (i % 17) as few, md5(i::varchar) as many,
    case when i % 7 = 0 then null else i / 4 end as d, (i % 1000)::float as f, i % 2 = 0 as b,
    timestamp '2026-01-31' + to_microseconds(i * 1234567) as t, null::varchar as nothing,
    case when i % 5 = 0 then '' when i % 9 = 0 then null else repeat('é ' || i, (i % 300)::int) end as long`;
  const nested = `case when i % 11 = 0 then null when i % 4 = 0 then [] else [i, null, i + 1] end as l,
    case when i % 6 = 0 then null else {'a': i, 'b': [{'c': 'x' || i, 'd': null::double}]} end as s,
    map {'k' || i: [i], 'none': null} as m`;
  const names = "i large few many d f b nothing long l s m".split(" ");
  const columns = {
    ...Object.fromEntries(names.map((name) => [name, undefined])),
    t: timeSql("t"),
  };
  const encodings = {
    v1: ["PLAIN", "PLAIN_DICTIONARY"],
    v2: ["DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY", "BYTE_STREAM_SPLIT", "RLE_DICTIONARY"],
  };

  for (const [place, version] of (["v1", "v2"] as const).entries()) {
    const codecs = ["snappy", "uncompressed", "gzip", "zstd", "lz4_raw", "brotli"];
    // Outside CI, each codec with one of the versions.
    for (const codec of someOf(codecs, 2, place)) {
      it(`is read with codec ${codec} and encodings of ${version}`, async () => {
        const options = `, compression ${codec}, parquet_version ${version}, row_group_size 2048`;
        const query = `select ${flat}, ${nested} from range(${ROWS}) r(i)`;
        const path = await writeWithDuckDB(query, options);
        expect(inFooter(path, "codec")).toEqual([codec.toUpperCase()]);
        expect(inFooter(path, "encodings")).toEqual(expect.arrayContaining(encodings[version]));
        await expectSameAsDuckDB(path, columns);
      });
    }
  }
});

type Name = keyof typeof Encoding;

interface Case {
  readonly type: DataType;
  readonly value: (n: number, i: number) => unknown;
  readonly encodings: readonly Name[];
  /** The rows of our reader, and SQL for the same as JSON. */
  readonly expected?: (n: number, i: number) => string;
  readonly sql?: string;
}

const numbers = Array.from({ length: ROWS }, (_, i) => (i % 5 === 0 ? null : i * i - 7));
const fixed = (i: number) => Uint8Array.from([i & 255, i >> 8, 3]);
const size = (n: number) => Math.abs(n) & 3;
const listOf = (type: DataType) => new List(new Field("item", type, true));

const cases: Readonly<Record<string, Case>> = {
  INT32: {
    type: new Int32(),
    value: (n) => n,
    encodings: ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
  },
  INT64: {
    type: new Int64(),
    value: (n) => BigInt(n) * 10n ** 10n,
    encodings: ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
  },
  FLOAT: {
    type: new Float32(),
    value: (n) => n,
    encodings: ["BYTE_STREAM_SPLIT"],
    expected: (n) => String(Math.fround(n)),
  },
  DOUBLE: { type: new Float64(), value: (n) => n / 8, encodings: ["BYTE_STREAM_SPLIT"] },
  FIXED_LEN_BYTE_ARRAY: {
    type: new FixedSizeBinary(3),
    value: (_, i) => fixed(i),
    encodings: ["DELTA_BYTE_ARRAY", "BYTE_STREAM_SPLIT"],
    expected: (_, i) => Buffer.from(fixed(i)).toString("hex"),
    sql: "to_json(lower(hex(c)))",
  },
  text: {
    type: new Utf8(),
    value: (n) => (n % 4 === 1 ? "" : `text number ${n}${" and more".repeat(Math.abs(n) % 90)}`),
    encodings: ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
  },
  BOOLEAN: { type: new Bool(), value: (n) => n % 3 === 0, encodings: ["RLE"] },
  dictionary: {
    type: new Dictionary(new Utf8(), new Int32()),
    value: (n) => `entry ${n % 20}`,
    encodings: ["DELTA_BYTE_ARRAY"],
  },
  "large text": {
    type: new LargeUtf8(),
    value: (n) => `large ${n}`,
    encodings: ["DELTA_LENGTH_BYTE_ARRAY"],
  },
  "list of numbers": {
    type: listOf(new Int32()),
    value: (n) => Array.from({ length: size(n) }, (_, k) => (k === 1 ? null : n)),
    encodings: ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
  },
  "list of structs": {
    type: listOf(new Struct([new Field("t", new Utf8(), true), new Field("u", new Utf8(), false)])),
    value: (n) =>
      Array.from({ length: size(n) }, (_, k) => ({ t: k === 1 ? null : `t ${n}`, u: "é" })),
    encodings: ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
  },
};

function vectorOf({ type, value }: Case): Vector {
  return vectorFromArray(
    numbers.map((n, i) => (n === null ? null : value(n, i))),
    type,
  );
}

function expectedOf({ value, expected }: Case): readonly (string | undefined)[] {
  return numbers.map((n, i) => {
    if (n === null) return undefined;
    if (expected !== undefined) return expected(n, i);
    const given = value(n, i);
    return typeof given === "object" ? JSON.stringify(given) : String(given);
  });
}

/** Returns whether pages are of version 2: both in CI, and elsewhere one or the other in turns. */
const versionsOf = (place: number) => someOf([false, true], 2, place);

describe("Parquet that the Rust library writes", () => {
  for (const [name, given] of Object.entries(cases)) {
    const { encodings, sql } = given;
    for (const [place, encoding] of ([undefined, "PLAIN", ...encodings] as const).entries()) {
      it(`is read in pages of ${name} in ${encoding ?? "a dictionary"}`, async () => {
        for (const v2 of versionsOf(place)) {
          const chosen = encoding === undefined ? {} : { encoding: Encoding[encoding] };
          const options: WriteOptions = { v2, pageBytes: 2048, ...chosen };
          const path = temporaryFile();
          writeFileSync(path, writeParquet(new Table({ c: vectorOf(given) }), options));
          if (encoding !== undefined) expect(inFooter(path, "encodings")).toContain(encoding);
          expect(await readColumn(path, text("c")), `v2: ${v2}`).toEqual(expectedOf(given));
          // DuckDB reads streams of FLOAT and DOUBLE only.
          const isRead = encoding !== "BYTE_STREAM_SPLIT" || ["FLOAT", "DOUBLE"].includes(name);
          if (isRead) await expectSameAsDuckDB(path, { c: sql });
        }
      });
    }
  }

  const codecs = ["UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4", "LZ4_RAW"] as const;
  for (const [place, codec] of codecs.entries()) {
    it(`is read with codec ${codec}`, async () => {
      const given = cases["text"]!;
      for (const v2 of versionsOf(place)) {
        const path = temporaryFile();
        const options = { compression: Compression[codec], v2, pageBytes: 100_000 };
        writeFileSync(path, writeParquet(new Table({ c: vectorOf(given) }), options));
        expect(inFooter(path, "codec")).toEqual([codec]);
        expect(await readColumn(path, text("c")), `v2: ${v2}`).toEqual(expectedOf(given));
      }
    });
  }
});
