import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Binary, Bool, Float64, Int32, Int64, Table, Utf8, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, it } from "vitest";
import { variedRows, writeSplit } from "../sinks/event-rows.js";
import { longTest } from "../support/long-test.js";
import { isCi, propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { expectSame, expectSameAsDuckDB, expectSameOfChanged } from "./oracle.js";
import { temporaryFile, writeWithDuckDB } from "./parquet-files.js";
import { Compression, Encoding, type WriteOptions, writeParquet } from "./parquet-writer.js";

const RUNS = propertyRuns(60);
const CODECS = [
  Compression.SNAPPY,
  Compression.GZIP,
  Compression.ZSTD,
  Compression.BROTLI,
  Compression.LZ4,
  Compression.LZ4_RAW,
];
const TIME = { timeout: 120_000 + RUNS * 1_000 };

/** Patterns of null rows: none, all, some by turns, some by chance, whole stretches. */
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
  compression: fc.constantFrom(Compression.UNCOMPRESSED, ...CODECS),
  pagesBytesMax: fc.constantFrom(0, 15_000, 60_000, 1_000_000_000),
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

describe("the entries of a leaf", () => {
  it("are those that the Rust library reads from random files", TIME, async () => {
    await fc.assert(
      fc.asyncProperty(file, async (given) => {
        const columns = given.columns.map((_, index) => `c${index}`);
        await expectSame(write(given), columns, given.rows, given.pagesBytesMax);
      }),
      { numRuns: RUNS },
    );
  });

  it("continue after a dictionary is given up within a chunk", async () => {
    const texts = Array.from({ length: isCi ? 60_000 : 20_000 }, (_, i) =>
      i % 9 === 0 ? null : `${i} `.repeat(9),
    );
    const path = temporaryFile();
    for (const v2 of [false, true]) {
      const table = new Table({ t: vectorFromArray(texts, new Utf8()) });
      writeFileSync(path, writeParquet(table, { v2, pageBytes: 30_000 }));
      await expectSame(path, ["t"], texts.length);
    }
  });

  it("are those of pages of nulls only, with every codec", async () => {
    const path = temporaryFile();
    for (const compression of CODECS) {
      for (const v2 of [false, true]) {
        const table = new Table({ t: makers.text([null, null, null]) });
        const encoding = Encoding.PLAIN;
        writeFileSync(path, writeParquet(table, { compression, v2, encoding }));
        await expectSame(path, ["t"], 3);
      }
    }
  });

  longTest("are those of large pages that are kept in part", async () => {
    const query = `select i, md5(i::varchar) as t, case when i % 3 = 0 then null else i / 8 end as d,
      i % 2 = 0 as b, repeat('x', (i % 400)::int) as long, 'few ' || (i % 9) as few
      from range(100000) r(i)`;
    for (const version of ["v1", "v2"]) {
      const options = `, row_group_size 100000, parquet_version ${version}`;
      const path = await writeWithDuckDB(query, options);
      await expectSame(path, ["i", "t", "d", "b", "long", "few"], 100_000, 0);
    }
  });

  it("are those of our own files", async () => {
    const { directory, parts } = await writeSplit(variedRows(isCi ? 20_000 : 5_000, 3));
    const own = ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"];
    for (const { path } of parts) {
      const columns = own.map((name) => [name, `to_json("${name}"::varchar)`] as const);
      const timestamp = { timestamp: "to_json(timestamp)" };
      await expectSameAsDuckDB(join(directory, path), {
        ...Object.fromEntries(columns),
        ...timestamp,
      });
    }
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
    it(`of integers are read as the Rust library reads them: ${name}`, async () => {
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
          await expectSame(path, ["long", "int"], values.length + 1);
        }
      }
    });
  }

  for (const encoding of ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"] as const) {
    it(`of byte arrays are read as the Rust library reads them: ${encoding}`, async () => {
      const numbers = Array.from({ length: 4000 }, (_, i) =>
        i % 9 === 4 ? null : (i * 7919) % 1000,
      );
      const table = new Table({ t: makers.text(numbers), b: makers.bytes(numbers) });
      const path = temporaryFile();
      for (const v2 of [false, true]) {
        for (const pageBytes of [500, 1_000_000]) {
          const options = { v2, pageBytes, encoding: Encoding[encoding] };
          writeFileSync(path, writeParquet(table, options));
          await expectSame(path, ["t", "b"], numbers.length);
        }
      }
    });
  }
});

describe("pages whose bytes were changed", () => {
  const numbers = Array.from({ length: 700 }, (_, i) => i);
  const sparse = numbers.map((i) => (i % 3 === 0 ? null : i));
  const few = sparse.map((i) => i && i % 17);
  // Texts are binary columns: the Rust library reads no column with a text that is not UTF-8.
  const vectors = {
    int: makers.int(numbers),
    few: binary(few),
    many: binary(sparse),
    boolean: makers.boolean(sparse),
    long: makers.long(sparse.map((i) => i && i % 5)),
  };
  const encoded: readonly (readonly [Encoding | undefined, readonly (keyof typeof vectors)[]])[] = [
    [undefined, ["int", "few", "many", "boolean", "long"]],
    [Encoding.PLAIN, ["int", "few", "many", "boolean", "long"]],
    [Encoding.DELTA_BINARY_PACKED, ["int", "long"]],
    [Encoding.DELTA_LENGTH_BYTE_ARRAY, ["few", "many"]],
    [Encoding.DELTA_BYTE_ARRAY, ["few", "many"]],
    [Encoding.BYTE_STREAM_SPLIT, ["int", "long"]],
    [Encoding.RLE, ["boolean"]],
  ];

  // Without checksums, which would find every change.
  const write = (codecs: readonly Compression[]) =>
    codecs.flatMap((compression) =>
      encoded.flatMap(([encoding, names]) =>
        [false, true].map((v2) => {
          const table = new Table(Object.fromEntries(names.map((name) => [name, vectors[name]])));
          const options = { compression, v2, pageBytes: 2000 };
          const plain = encoding === undefined ? {} : { encoding };
          return { names, content: writeParquet(table, { ...options, ...plain }) };
        }),
      ),
    );

  const cases = [
    ["not compressed", [Compression.UNCOMPRESSED]],
    ["compressed", CODECS],
  ] as const;
  for (const [what, codecs] of cases) {
    it(`are read as the Rust library reads them, or fail their source: ${what}`, TIME, async () => {
      const files = write(codecs);
      const contents = files.map(({ content }) => content);
      const columns = files.map(({ names }) => names);
      await expectSameOfChanged(contents, columns, { bitsMax: 3, runs: RUNS * 2 });
    });
  }
});

function binary(numbers: readonly (number | null)[]) {
  const encoder = new TextEncoder();
  return vectorFromArray(
    numbers.map((n) => (n === null ? null : encoder.encode(textOf(n)))),
    new Binary(),
  );
}
