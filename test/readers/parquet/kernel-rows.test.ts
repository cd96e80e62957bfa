import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Binary, Bool, Float64, Int32, Int64, Table, Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { flatLeafOf } from "../../../src/readers/parquet/columns/flat-leaf.js";
import { openFlatRows } from "../../../src/readers/parquet/columns/flat-rows.js";
import { KernelRows } from "../../../src/readers/parquet/columns/kernel-rows.js";
import { openNestedRows } from "../../../src/readers/parquet/columns/nested-column.js";
import { PageMemory } from "../../../src/readers/parquet/pages/page-memory.js";
import { openReaderWith } from "../../../src/readers/parquet/parquet-reader.js";
import { variedRows, writeSplit } from "../../sinks/event-rows.js";
import { propertyRuns } from "../../support/property-runs.js";
import { createRandom } from "../../support/random.js";
import { expectSame, expectSameOfChanged, withKernels } from "./library-oracle.js";
import { kernel, temporaryFile, text, writeWithDuckDB } from "./parquet-files.js";
import { Compression, Encoding, type WriteOptions, writeParquet } from "./parquet-writer.js";

const RUNS = propertyRuns(60);
const TIME = { timeout: 60_000 + RUNS * 1_000 };

/** Kernels that are not helped by the library. */
class KernelRowsAlone extends KernelRows {
  override fill(): void {
    super.fill();
    if (this.rest !== undefined) throw new Error("rows are left to the library");
  }
}

const withoutLibrary = openReaderWith({
  flat: (file, memory, { node, types: [type] }, chunk, rows) => {
    if (type === undefined) throw new Error("a part without a leaf");
    return new KernelRowsAlone(file, memory, flatLeafOf(node, type), chunk, rows);
  },
  nested: openNestedRows,
});

/** Kernels that have `bytes` for their pages, and leave to the library what goes beyond that. */
const withFewBytes = (bytes: number) =>
  openReaderWith({
    flat: (file, { zstd }, ...rest) =>
      openFlatRows(file, new PageMemory(kernel, zstd, bytes), ...rest),
    nested: openNestedRows,
  });

/** Which rows are null: none, all, some by turns, some by chance, whole stretches. */
const nullPatterns: readonly ((row: number, chance: number) => boolean)[] = [
  () => false,
  () => true,
  (row) => row % 2 === 0,
  (row) => row % 7 === 3,
  (_, chance) => chance < 0.3,
  (_, chance) => chance < 0.99,
  (row) => row % 600 < 400,
];

const makers = {
  text: (values: readonly (number | null)[]) =>
    vectorFromArray(
      values.map((n) => (n === null ? null : textOf(n))),
      new Utf8(),
    ),
  bytes: (values: readonly (number | null)[]) =>
    vectorFromArray(
      values.map((n) => (n === null ? null : Uint8Array.of(n & 127, (n >> 3) & 255))),
      new Binary(),
    ),
  int: (values: readonly (number | null)[]) => vectorFromArray(values, new Int32()),
  long: (values: readonly (number | null)[]) =>
    vectorFromArray(
      values.map((n) => (n === null ? null : BigInt(n) * 123_456_789n)),
      new Int64(),
    ),
  double: (values: readonly (number | null)[]) =>
    vectorFromArray(
      values.map((n) => (n === null ? null : n / 8)),
      new Float64(),
    ),
  boolean: (values: readonly (number | null)[]) =>
    vectorFromArray(
      values.map((n) => (n === null ? null : n % 3 === 0)),
      new Bool(),
    ),
};

function textOf(n: number): string {
  if (n % 11 === 0) return "";
  return `${"é😀x".slice(0, n % 5)}${"value ".repeat(n % 23)}${n}`;
}

const column = fc.record({
  type: fc.constantFrom(...(Object.keys(makers) as (keyof typeof makers)[])),
  nulls: fc.nat(nullPatterns.length - 1),
  distinct: fc.constantFrom(1, 2, 3, 17, 250, 1000, 100_000),
  runs: fc.constantFrom(1, 1, 20),
});

const file = fc.record({
  columns: fc.array(column, { minLength: 1, maxLength: 3 }),
  rows: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 6000 })),
  seed: fc.nat(),
  v2: fc.boolean(),
  plain: fc.boolean(),
  compression: fc.constantFrom(
    Compression.UNCOMPRESSED,
    Compression.SNAPPY,
    Compression.GZIP,
    Compression.ZSTD,
  ),
  memoryBytes: fc.constantFrom(15_000, 60_000, 1_000_000_000),
  pageBytes: fc.constantFrom(64, 700, 5000, 1_000_000),
  rowGroupRows: fc.constantFrom(100, 2000, 1_000_000),
});

function write(given: typeof file extends fc.Arbitrary<infer T> ? T : never): string {
  const chance = createRandom(given.seed);
  const columns = given.columns.map(({ type, nulls, distinct, runs }, index) => {
    let value = 0;
    const values = Array.from({ length: given.rows }, (_, row) => {
      if (row % runs === 0) value = Math.floor(chance() * distinct);
      return nullPatterns[nulls]?.(row, chance()) ? null : value;
    });
    return [`c${index}`, makers[type](values)] as const;
  });
  const { v2, compression, pageBytes, rowGroupRows } = given;
  const options: WriteOptions = { v2, compression, pageBytes, rowGroupRows };
  const path = temporaryFile();
  const encoding = given.plain ? { encoding: Encoding.PLAIN } : {};
  writeFileSync(
    path,
    writeParquet(new Table(Object.fromEntries(columns)), { ...options, ...encoding }),
  );
  return path;
}

describe("kernels that read Parquet", () => {
  it("read what the library reads from random files that the library wrote", TIME, async () => {
    await fc.assert(
      fc.asyncProperty(file, async (given) => {
        const fields = given.columns.map((_, index) => text(`c${index}`));
        await expectSame(write(given), fields, given.rows, withFewBytes(given.memoryBytes));
      }),
      { numRuns: RUNS },
    );
  });

  it("read what the library reads where a dictionary is given up within a chunk", async () => {
    const texts = Array.from({ length: 60_000 }, (_, i) =>
      i % 9 === 0 ? null : `${i} `.repeat(9),
    );
    const path = temporaryFile();
    for (const v2 of [false, true]) {
      const table = new Table({ t: vectorFromArray(texts, new Utf8()) });
      writeFileSync(path, writeParquet(table, { v2, pageBytes: 30_000 }));
      await expectSame(path, [text("t")], texts.length);
    }
  });

  const columns = `i, i * 1234567 as l, 'name ' || (i % 17) as few, md5(i::varchar) as many,
    case when i % 7 = 0 then null else repeat('x', i % 90) end as t, (i % 1000)::float as f,
    i % 2 = 0 as b, case when i % 3 = 0 then null else i % 5 = 0 end as nb,
    timestamp '2026-01-31' + to_microseconds(i * 1234567) as ts, (i / 7)::decimal(30, 3) as dec,
    (i % 99)::decimal(4, 2) as small, uuid() as u, i::utinyint as byte, encode('ä' || i) as bl,
    case when i % 4 = 0 then null else {'a': case when i % 3 = 0 then null else i end,
      'b': {'c': 'text ' || (i % 5), 'd': i % 2 = 1}} end as s`;
  const names = ["i", "l", "few", "many", "t", "f", "b", "nb", "ts", "dec", "small", "u", "bl"];
  const fields: FieldRequest[] = [
    ...names.map((name) => text(name)),
    ...[text("s"), text("s", "a"), text("s", "b", "c"), text("s", "b", "d")],
    ...names.map((name): FieldRequest => ({ path: [name], form: "json" })),
    { path: [], form: "rest", except: ["i"] },
    { path: ["s"], form: "rest", except: ["a"] },
  ];

  for (const codec of ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw"]) {
    for (const version of ["v1", "v2"]) {
      it(`read what the library reads of DuckDB's files with ${codec}, ${version}`, async () => {
        const query = `select ${columns.replace("i::utinyint", "(i % 256)::utinyint")}
          from range(9000) r(i)`;
        const options = `, compression ${codec}, parquet_version ${version}, row_group_size 4096`;
        const open = version === "v1" && codec !== "lz4_raw" ? withoutLibrary : withKernels;
        await expectSame(await writeWithDuckDB(query, options), fields, 9000, open);
      });
    }
  }

  it("read pages of nothing but nulls with every codec", async () => {
    const path = temporaryFile();
    const { SNAPPY, GZIP, ZSTD } = Compression;
    for (const compression of [SNAPPY, GZIP, ZSTD]) {
      for (const v2 of [false, true]) {
        const table = new Table({ t: makers.text([null, null, null]) });
        const encoding = Encoding.PLAIN;
        writeFileSync(path, writeParquet(table, { compression, v2, encoding }));
        await expectSame(path, [text("t")], 3, withoutLibrary);
      }
    }
  });

  it("read what the library reads of our own files", async () => {
    const { directory, parts } = await writeSplit(variedRows(20_000, 3));
    const own = ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"];
    const requests = own.map((name) => text(name));
    for (const { path, rows } of parts) await expectSame(join(directory, path), requests, rows);
  });
});

describe("delta encodings", () => {
  const longs = {
    none: [],
    one: [-5n],
    steady: Array.from({ length: 5000 }, (_, i) => 10n ** 15n + BigInt(i) * 1000n),
    "up and down": Array.from(
      { length: 3000 },
      (_, i) => (i % 2 === 0 ? 1n : -1n) * 3n ** BigInt(i % 39),
    ),
    extreme: Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? 2n ** 63n - 1n : -(2n ** 63n))),
    wide: Array.from({ length: 2000 }, (_, i) =>
      BigInt.asIntN(64, 0x9e3779b97f4a7c15n * BigInt(i)),
    ),
  };

  for (const [name, values] of Object.entries(longs)) {
    it(`of integers are read as the library reads them: ${name}`, async () => {
      const ints = values.map((value) => Number(BigInt.asIntN(32, value)));
      const table = new Table({
        long: vectorFromArray([...values, null], new Int64()),
        int: vectorFromArray([...ints, null], new Int32()),
      });
      const path = temporaryFile();
      for (const v2 of [false, true]) {
        for (const pageBytes of [500, 1_000_000]) {
          const encoding = Encoding.DELTA_BINARY_PACKED;
          writeFileSync(path, writeParquet(table, { v2, pageBytes, encoding }));
          await expectSame(path, [text("long"), text("int")], values.length + 1, withoutLibrary);
        }
      }
    });
  }

  it("of lengths are read as the library reads them", async () => {
    const numbers = Array.from({ length: 4000 }, (_, i) =>
      i % 9 === 4 ? null : (i * 7919) % 1000,
    );
    const table = new Table({ t: makers.text(numbers), b: makers.bytes(numbers) });
    const path = temporaryFile();
    for (const v2 of [false, true]) {
      for (const pageBytes of [500, 1_000_000]) {
        const encoding = Encoding.DELTA_LENGTH_BYTE_ARRAY;
        writeFileSync(path, writeParquet(table, { v2, pageBytes, encoding }));
        await expectSame(path, [text("t"), text("b")], numbers.length, withoutLibrary);
      }
    }
  });
});

describe("pages whose bytes were changed", () => {
  const files: Uint8Array[] = [];
  const numbers = Array.from({ length: 700 }, (_, i) => i);
  const sparse = numbers.map((i) => (i % 3 === 0 ? null : i));
  const table = new Table({
    int: makers.int(numbers),
    few: makers.text(sparse.map((i) => i && i % 17)),
    many: makers.text(sparse),
    boolean: makers.boolean(sparse),
    long: makers.long(sparse.map((i) => i && i % 5)),
  });
  const fields = ["int", "few", "many", "boolean", "long"].map((name) => text(name));

  beforeAll(() => {
    const deltas = [
      [table.select(["int", "long"]), Encoding.DELTA_BINARY_PACKED],
      [table.select(["few", "many"]), Encoding.DELTA_LENGTH_BYTE_ARRAY],
    ] as const;
    for (const [columns, encoding] of deltas) {
      for (const v2 of [false, true]) {
        const compression = Compression.UNCOMPRESSED;
        files.push(writeParquet(columns, { compression, v2, pageBytes: 2000, encoding }));
      }
    }
    const { UNCOMPRESSED, SNAPPY, GZIP, ZSTD } = Compression;
    // Without checksums, which would find every change.
    for (const compression of [UNCOMPRESSED, UNCOMPRESSED, SNAPPY, GZIP, ZSTD]) {
      for (const v2 of [false, true]) {
        for (const options of [{}, { encoding: Encoding.PLAIN }]) {
          files.push(writeParquet(table, { compression, v2, pageBytes: 2000, ...options }));
        }
      }
    }
  });

  it("are read as the library reads them, or are an error of their source", TIME, async () => {
    await expectSameOfChanged(files, fields, { bitsMax: 3, runs: RUNS * 3 });
  });
});
