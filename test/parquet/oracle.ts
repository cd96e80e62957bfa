import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import type * as ParquetWasm from "parquet-wasm/node";
import { expect } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { createRandom } from "../support/random.js";
import { json, kernel, openFile, temporaryFile } from "./parquet-files.js";

// Independent readers, whose rows ours must equal. Rows are compared as JSON text of their columns.

/** Stands for a row with a text that is not UTF-8. */
const FAULT = "not UTF-8";

/** The rows before an error, and the error. */
interface Outcome {
  readonly rows: readonly string[];
  readonly error: unknown;
}

async function readHere(
  path: string,
  columns: readonly string[],
  pagesBytesMax?: number,
): Promise<Outcome> {
  const rows: string[] = [];
  const options = pagesBytesMax === undefined ? {} : { pagesBytesMax };
  const fields = columns.map((name) => json(name));
  try {
    const reader = await openFile(path, fields, options);
    try {
      for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
        for (let row = 0; row < batch.rows; row++) {
          const cells = batch.columns.map((column) => column.text(row) ?? "null");
          const fault = kernel.bytes[batch.faults + row];
          rows.push(fault === 0 ? `[${cells.join(",")}]` : FAULT);
        }
      }
    } finally {
      await reader.close();
    }
  } catch (error) {
    return { rows, error };
  }
  return { rows, error: undefined };
}

const require = createRequire(import.meta.url);
const LIBRARY = "parquet-wasm/node";

/** Reads the columns of a file with the Rust library. Texts may be binary columns. */
function readElsewhere(file: Uint8Array, columns: readonly string[]): Outcome {
  try {
    const { readParquet } = require(LIBRARY) as typeof ParquetWasm;
    const table = tableFromIPC(readParquet(file).intoIPCStream());
    const vectors = columns.map((name) => table.getChild(name));
    const rows = Array.from({ length: table.numRows }, (_, row) =>
      rowText(() => vectors.map((vector) => plain(vector?.get(row)))),
    );
    return { rows, error: undefined };
  } catch (error) {
    // After a panic the instance cannot be used again.
    delete require.cache[require.resolve(LIBRARY)];
    return { rows: [], error };
  }
}

/** Marks integers beyond 2^53, which JSON.stringify does not take. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return `\u0000${value}\u0000`;
  if (value instanceof Uint8Array) return decoder.decode(value);
  if (value === null || typeof value !== "object") return value ?? null;
  if (Symbol.iterator in value && !("toJSON" in value && !("toArray" in value))) {
    return Array.from(value as Iterable<unknown>, plain);
  }
  const members = Object.entries((value as { toJSON(): object }).toJSON());
  return Object.fromEntries(members.map(([name, member]) => [name, plain(member)]));
}

function rowText(values: () => readonly unknown[]): string {
  try {
    return JSON.stringify(values()).replace(/"\\u0000(-?\d+)\\u0000"/g, "$1");
  } catch (error) {
    if (error instanceof TypeError) return FAULT;
    throw error;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a file of the columns here and with the Rust library, and expects the same `rows` rows.
 * `pagesBytesMax`: bytes of pages that are kept whole here.
 */
export async function expectSame(
  path: string,
  columns: readonly string[],
  rows: number,
  pagesBytesMax?: number,
) {
  const expected = readElsewhere(readFileSync(path), columns);
  expect(expected.error).toBeUndefined();
  expect(expected.rows).toHaveLength(rows);
  const found = await readHere(path, columns, pagesBytesMax);
  expect(found.error).toBeUndefined();
  expect(found.rows).toEqual(expected.rows);
}

/**
 * Reads a file here and with DuckDB, and expects the same rows, at least one. `columns`: the name of each
 * column, and SQL for its value as JSON if `to_json` does not write it as we do.
 */
export async function expectSameAsDuckDB(
  path: string,
  columns: Readonly<Record<string, string | undefined>>,
) {
  const names = Object.keys(columns);
  const select = names.map((name) => `(${columns[name] ?? `to_json("${name}")`})::varchar`);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run("set preserve_insertion_order = true");
  const result = await connection.runAndReadAll(`select ${select} from read_parquet('${path}')`);
  const expected = result.getRows().map((row) => row.map((cell) => parse(cell as string | null)));
  connection.closeSync();
  instance.closeSync();
  const found = await readHere(path, names);
  expect(found.error).toBeUndefined();
  expect(found.rows.map((row) => JSON.parse(row))).toEqual(expected);
  expect(expected.length).toBeGreaterThan(0);
}

function parse(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/** Errors of the Rust library about what does not change a row. */
const stricter = new RegExp(
  [
    // Fields of a header that mean nothing here, such as a second count of rows.
    "Unexpected Encoding",
    "Required field",
    "[Ss]tatistics",
    "Integer overflow",
    // Blocks of deltas that are complete all the same.
    "'block_size' must be a multiple",
    // Bits in zstd data that its build rejects without a reason, and the reference decoder does not.
    "Error strings stripped",
    // A panic, which says nothing.
    "unreachable",
  ].join("|"),
);

/**
 * Flips up to `bitsMax` bits before the footer of files. Expects that each is read as the Rust library
 * reads it, or fails with an error of the source; both happen.
 */
export async function expectSameOfChanged(
  files: readonly Uint8Array[],
  columns: readonly (readonly string[])[],
  { bitsMax, runs }: { readonly bitsMax: number; readonly runs: number },
) {
  const path = temporaryFile();
  const seen = { errors: 0, rows: 0 };
  const property = fc.asyncProperty(
    fc.nat(files.length - 1),
    // A seed, as numbers that fast-check draws itself are mostly small.
    fc.nat().map(createRandom),
    fc.integer({ min: 1, max: bitsMax }),
    async (index, random, bits) => {
      const content = Buffer.from(files[index] ?? []);
      const pages = content.length - 8 - content.readUInt32LE(content.length - 8);
      for (let bit = 0; bit < bits; bit++) {
        const position = 4 + Math.floor(random() * (pages - 4));
        content[position] = (content[position] ?? 0) ^ (1 << Math.floor(random() * 8));
      }
      writeFileSync(path, content);
      const found = await readHere(path, columns[index] ?? []);
      if (found.error !== undefined) {
        seen.errors++;
        expect(found.error).toBeInstanceOf(SourceError);
        return;
      }
      const expected = readElsewhere(content, columns[index] ?? []);
      if (expected.error !== undefined) expect(String(expected.error)).toMatch(stricter);
      else expect(found.rows).toEqual(expected.rows);
      seen.rows++;
    },
  );
  await fc.assert(property, { numRuns: runs });
  // Fewer runs may all have the same end.
  if (runs < 100) return;
  expect(seen.errors).toBeGreaterThan(runs / 30);
  expect(seen.rows).toBeGreaterThan(runs / 30);
}
