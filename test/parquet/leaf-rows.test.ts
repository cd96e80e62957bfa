import { writeFileSync } from "node:fs";
import {
  Binary,
  type DataType,
  Field,
  Float64,
  Int32,
  Int64,
  List,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { longTest } from "../support/long-test.js";
import { isCi, propertyRuns, someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { expectSame, expectSameAsDuckDB, expectSameOfChanged } from "./oracle.js";
import { readColumn, temporaryFile, text, writeWithDuckDB } from "./parquet-files.js";
import { Compression, Encoding, writeParquet } from "./parquet-writer.js";

const RUNS = propertyRuns(40);
const DUCKDB_ROWS = isCi ? 20_000 : 5_000;
const TIME = { timeout: 120_000 + RUNS * 1_000 };

const optional = (name: string, type: DataType) => new Field(name, type, true);
const listOf = (type: DataType) => new List(optional("element", type));

/** Types of columns, with a type for their texts. */
function typesOf(text: DataType) {
  const param = new Struct([
    optional("key", text),
    optional(
      "value",
      new Struct([
        optional("text", text),
        optional("long", new Int64()),
        optional("double", new Float64()),
      ]),
    ),
  ]);
  const inside = new Struct([optional("a", listOf(param)), optional("b", text)]);
  return {
    texts: listOf(text),
    lists: listOf(listOf(new Int32())),
    params: listOf(param),
    inside: new Struct([optional("n", new Int32()), optional("list", listOf(inside))]),
  };
}

/** A value of a type, or null. */
function randomValue(type: DataType, random: () => number, nulls: number): unknown {
  if (random() < nulls) return null;
  if (type instanceof List) {
    const length = random() < 0.3 ? 0 : Math.floor(random() ** 3 * 12);
    return Array.from({ length }, () => randomValue(type.children[0]!.type, random, nulls));
  }
  if (type instanceof Struct) {
    const members = type.children.map(({ name, type: inner }) => [
      name,
      randomValue(inner, random, nulls),
    ]);
    return Object.fromEntries(members);
  }
  const number = Math.floor(random() ** 2 * 500);
  const value = `${'é"x\n'.slice(0, number % 5)}${number}`;
  if (type instanceof Utf8) return value;
  if (type instanceof Binary) return new TextEncoder().encode(value);
  return type instanceof Int64 ? BigInt(number) * 10_000_000_019n : number;
}

const file = fc.record({
  // A seed, as numbers that fast-check draws itself are mostly small.
  random: fc.nat().map(createRandom),
  rows: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 3000 })),
  nulls: fc.constantFrom(0, 0, 0.1, 0.6, 1),
  v2: fc.boolean(),
  pageBytes: fc.constantFrom(200, 5000, 1_000_000),
  rowGroupRows: fc.constantFrom(500, 1_000_000),
  pagesBytesMax: fc.constantFrom(0, 20_000, 1_000_000_000),
  encoding: fc.constantFrom(undefined, undefined, Encoding.PLAIN),
});

function tableOf(random: () => number, rows: number, nulls: number, text: DataType): Table {
  const vectors = Object.entries(typesOf(text)).map(([name, type]) => {
    const values = Array.from({ length: rows }, () => randomValue(type, random, nulls));
    return [name, vectorFromArray(values, type)] as const;
  });
  return new Table(Object.fromEntries(vectors));
}

const columns = Object.keys(typesOf(new Utf8()));

describe("rows of a leaf inside of lists", () => {
  it("are those that the Rust library reads from random files", TIME, async () => {
    const path = temporaryFile();
    const property = fc.asyncProperty(
      file,
      async ({ random, rows, nulls, encoding, pagesBytesMax, ...options }) => {
        const table = tableOf(random, rows, nulls, new Utf8());
        const plain = encoding === undefined ? {} : { encoding };
        writeFileSync(path, writeParquet(table, { ...options, ...plain }));
        await expectSame(path, columns, rows, pagesBytesMax);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });

  it("are those of maps with keys of any type", async () => {
    const texts = await writeWithDuckDB(
      `select case when i % 5 = 0 then null when i % 7 = 0 then map {} else
         map {'k"' || i: {'a': i, 'b': [i, null]}, 'ü' || i: null} end as m
       from range(${DUCKDB_ROWS}) r(i)`,
    );
    await expectSameAsDuckDB(texts, { m: undefined });
    expect((await readColumn(texts, text("m")))[1]).toBe(
      '{"k\\"1":{"a":1,"b":[1,null]},"ü1":null}',
    );
    const numbers = await writeWithDuckDB(
      `select map {i: [i, null], i + 1: []} as m, [map {'a': i}] as l from range(${DUCKDB_ROWS}) r(i)`,
    );
    const pairs = "to_json([[to_json(e.key), to_json(e.value)] for e in map_entries(m)])";
    await expectSameAsDuckDB(numbers, { m: pairs, l: undefined });
    expect((await readColumn(numbers, text("m")))[7]).toBe("[[7,[7,null]],[8,[]]]");
  });

  // encodings.test.ts reads lists with each of the codecs.
  for (const codec of someOf(["zstd", "snappy", "gzip", "uncompressed", "brotli", "lz4_raw"], 3)) {
    it(`are those that DuckDB reads from its files with ${codec}`, async () => {
      const path = await writeWithDuckDB(
        `select case when i % 13 = 0 then null when i % 7 = 0 then [] else
           [{'key': 'k' || j, 'value': {'s': case when j % 3 = 0 then null else repeat('ü', (j % 40)::int) end,
             'n': i * j, 'd': case when j % 2 = 0 then null else j / 8 end, 'b': j % 2 = 0}}
            for j in range((i % 9)::bigint)] end as l, i
         from range(${isCi ? 30_000 : 6_000}) r(i)`,
        `, compression ${codec}, row_group_size ${isCi ? 16_384 : 4_096}`,
      );
      await expectSameAsDuckDB(path, { l: undefined, i: undefined });
    });
  }

  it("can have more elements than fit the window, between short ones", async () => {
    const rows = isCi ? 20 : 9;
    const path = await writeWithDuckDB(
      `select case when i % 5 = 2 then range(100000 + i) else [i] end as l from range(${rows}) r(i)`,
    );
    await expectSame(path, ["l"], rows);
    await expectSame(path, ["l"], rows, 0);
    const [first, , long] = await readColumn(path, text("l"));
    expect(first).toBe("[0]");
    expect(JSON.parse(long ?? "")).toHaveLength(100_002);
  });

  longTest("can have a million elements", async () => {
    const path = await writeWithDuckDB(
      "select case when i = 1 then range(1000000) else [i] end as l from range(3) r(i)",
    );
    await expectSame(path, ["l"], 3);
  });

  it("are the same when large pages are kept in part", async () => {
    const random = createRandom(7);
    const path = temporaryFile();
    const table = tableOf(random, 3000, 0.1, new Utf8());
    writeFileSync(path, writeParquet(table, { pageBytes: 20_000 }));
    for (const bytes of someOf([0, 30_000, 60_000, 120_000, 250_000, 500_000], 3)) {
      await expectSame(path, columns, 3000, bytes);
    }
  });

  for (const encoding of someOf(["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"] as const, 2)) {
    it(`can be texts in ${encoding}`, async () => {
      const values = Array.from({ length: 3000 }, (_, row) => [`prefix ${row}`, null, "é"]);
      const table = new Table({ l: vectorFromArray(values, listOf(new Utf8())) });
      const path = temporaryFile();
      for (const v2 of [false, true]) {
        writeFileSync(path, writeParquet(table, { v2, encoding: Encoding[encoding] }));
        await expectSameAsDuckDB(path, { l: undefined });
        expect((await readColumn(path, text("l")))[9]).toBe('["prefix 9",null,"é"]');
      }
    });
  }
});

describe("lists in pages whose bytes were changed", () => {
  const files: Uint8Array[] = [];

  beforeAll(() => {
    // Texts are binary columns: the Rust library reads no column with a text that is not UTF-8.
    const table = tableOf(createRandom(3), 400, 0.1, new Binary());
    // Without checksums, which would find every change.
    for (const compression of [Compression.UNCOMPRESSED, Compression.SNAPPY, Compression.LZ4_RAW]) {
      for (const v2 of [false, true]) {
        for (const options of [{}, { encoding: Encoding.PLAIN }]) {
          files.push(writeParquet(table, { compression, v2, pageBytes: 1000, ...options }));
        }
      }
    }
  });

  it("are read as the Rust library reads them, or fail their source", TIME, async () => {
    const all = files.map(() => columns);
    await expectSameOfChanged(files, all, { bitsMax: 1, runs: RUNS * 4 });
  });
});
