import { writeFileSync } from "node:fs";
import {
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
import { openFlatRows } from "../../../src/readers/parquet/columns/flat-rows.js";
import {
  NestedColumn,
  openNestedRows,
} from "../../../src/readers/parquet/columns/nested-column.js";
import { nestedLeavesOf } from "../../../src/readers/parquet/columns/nested-leaf.js";
import { PageMemory } from "../../../src/readers/parquet/pages/page-memory.js";
import { openReaderWith } from "../../../src/readers/parquet/parquet-reader.js";
import { propertyRuns } from "../../support/property-runs.js";
import { createRandom } from "../../support/random.js";
import { expectSame, expectSameOfChanged } from "./library-oracle.js";
import { json, kernel, readColumn, temporaryFile, text, writeWithDuckDB } from "./parquet-files.js";
import { Compression, Encoding, writeParquet } from "./parquet-writer.js";

const RUNS = propertyRuns(40);
const TIME = { timeout: 60_000 + RUNS * 1_000 };

/** Kernels that are not helped by the library. */
class NestedColumnAlone extends NestedColumn {
  protected override leave(): void {
    throw new Error("rows are left to the library");
  }
}

const withoutLibrary = openReaderWith({
  flat: openFlatRows,
  nested: (file, memory, part, chunks, rows) => {
    const leaves = nestedLeavesOf(part.node, part.types);
    if (leaves === undefined) throw new Error("a column is left to the library");
    return new NestedColumnAlone(file, memory, part, leaves, chunks, rows);
  },
});

/** Kernels that have `bytes` for their pages, and leave to the library what goes beyond that. */
const withFewBytes = (bytes: number) =>
  openReaderWith({
    flat: openFlatRows,
    nested: (file, { zstd }, ...rest) =>
      openNestedRows(file, new PageMemory(kernel, zstd, bytes), ...rest),
  });

const optional = (name: string, type: DataType) => new Field(name, type, true);
const param = new Struct([
  optional("key", new Utf8()),
  optional(
    "value",
    new Struct([
      optional("text", new Utf8()),
      optional("long", new Int64()),
      optional("double", new Float64()),
    ]),
  ),
]);
const listOf = (type: DataType) => new List(optional("element", type));
const types = {
  texts: listOf(new Utf8()),
  lists: listOf(listOf(new Int32())),
  params: listOf(param),
  inside: new Struct([
    optional("n", new Int32()),
    optional("list", listOf(new Struct([optional("a", listOf(param)), optional("b", new Utf8())]))),
  ]),
} as const;

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
  if (type instanceof Utf8) return `${'é"x\n'.slice(0, number % 5)}${number}`;
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
  encoding: fc.constantFrom(undefined, undefined, Encoding.PLAIN),
});

function tableOf(random: () => number, rows: number, nulls: number): Table {
  const vectors = Object.entries(types).map(([name, type]) => {
    const values = Array.from({ length: rows }, () => randomValue(type, random, nulls));
    return [name, vectorFromArray(values, type)] as const;
  });
  return new Table(Object.fromEntries(vectors));
}

const fields = Object.keys(types).map((name) => json(name));

describe("kernels for lists", () => {
  it("read what the library reads from random files that the library wrote", TIME, async () => {
    const path = temporaryFile();
    const property = fc.asyncProperty(
      file,
      async ({ random, rows, nulls, encoding, ...options }) => {
        const table = tableOf(random, rows, nulls);
        const plain = encoding === undefined ? {} : { encoding };
        writeFileSync(path, writeParquet(table, { ...options, ...plain }));
        await expectSame(path, fields, rows, withoutLibrary);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });

  it("read maps with keys of any type", async () => {
    const texts = await writeWithDuckDB(
      `select case when i % 5 = 0 then null when i % 7 = 0 then map {} else
         map {'k"' || i: {'a': i, 'b': [i, null]}, 'ü' || i: null} end as m
       from range(20000) r(i)`,
    );
    await expectSame(texts, [text("m")], 20_000, withoutLibrary);
    expect((await readColumn(texts, text("m")))[1]).toBe(
      '{"k\\"1":{"a":1,"b":[1,null]},"ü1":null}',
    );
    const numbers = await writeWithDuckDB(
      "select map {i: [i, null], i + 1: []} as m, [map {'a': i}] as l from range(20000) r(i)",
    );
    await expectSame(numbers, [text("m"), text("l")], 20_000, withoutLibrary);
    expect((await readColumn(numbers, text("m")))[7]).toBe("[[7,[7,null]],[8,[]]]");
  });

  for (const codec of ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"]) {
    it(`read what the library reads of DuckDB's files with ${codec}`, async () => {
      const path = await writeWithDuckDB(
        `select case when i % 13 = 0 then null when i % 7 = 0 then [] else
           [{'key': 'k' || j, 'value': {'s': case when j % 3 = 0 then null else repeat('ü', (j % 40)::int) end,
             'n': i * j, 'd': case when j % 2 = 0 then 'nan'::double else j / 8 end, 'b': j % 2 = 0}}
            for j in range((i % 9)::bigint)] end as l, i
         from range(30000) r(i)`,
        `, compression ${codec}, row_group_size 16000`,
      );
      await expectSame(path, [text("l"), text("i")], 30_000);
    });
  }

  it("read rows with more elements than fit the window, between short ones", async () => {
    const path = await writeWithDuckDB(
      "select case when i % 5 = 2 then range(100000 + i) else [i] end as l from range(20) r(i)",
    );
    await expectSame(path, [text("l")], 20, withoutLibrary);
    const [first, , long] = await readColumn(path, text("l"));
    expect(first).toBe("[0]");
    expect(JSON.parse(long ?? "")).toHaveLength(100_002);
  });

  it("leave to the library what does not fit their memory, from any row on", async () => {
    const random = createRandom(7);
    const path = temporaryFile();
    writeFileSync(path, writeParquet(tableOf(random, 3000, 0.1), { pageBytes: 20_000 }));
    for (const bytes of [0, 30_000, 60_000, 120_000, 250_000, 500_000]) {
      await expectSame(path, fields, 3000, withFewBytes(bytes));
    }
  });

  it("leave encodings that they do not know to the library", async () => {
    const values = Array.from({ length: 3000 }, (_, row) => [`prefix ${row}`, null, "é"]);
    const table = new Table({ l: vectorFromArray(values, types.texts) });
    const path = temporaryFile();
    for (const v2 of [false, true]) {
      writeFileSync(path, writeParquet(table, { v2, encoding: Encoding.DELTA_BYTE_ARRAY }));
      await expectSame(path, [text("l")], values.length);
      expect((await readColumn(path, text("l")))[9]).toBe('["prefix 9",null,"é"]');
    }
  });
});

describe("lists in pages whose bytes were changed", () => {
  const files: Uint8Array[] = [];

  beforeAll(() => {
    const table = tableOf(createRandom(3), 400, 0.1);
    // Without checksums, which would find every change.
    for (const compression of [Compression.UNCOMPRESSED, Compression.SNAPPY]) {
      for (const v2 of [false, true]) {
        for (const options of [{}, { encoding: Encoding.PLAIN }]) {
          files.push(writeParquet(table, { compression, v2, pageBytes: 1000, ...options }));
        }
      }
    }
  });

  it("are read as the library reads them, or are an error of their source", TIME, async () => {
    await expectSameOfChanged(files, fields, { bitsMax: 1, runs: RUNS * 4 });
  });
});
