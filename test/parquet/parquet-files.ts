import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { rejectCodeName } from "../../src/base/reject-codes.js";
import type { Batch, FieldRequest } from "../../src/batch/batch.js";
import { PageMemory } from "../../src/parquet/page-memory.js";
import { openWith } from "../../src/parquet/parquet-reader.js";
import type { Reader } from "../../src/readers/reader.js";
import { fileState } from "../../src/sources/fingerprint.js";
import type { Source } from "../../src/sources/source.js";
import { scratchDirectory } from "../support/scratch.js";
import { usedKernel } from "../support/used-kernel.js";

export function temporaryFile(): string {
  return join(scratchDirectory("parquet"), "file.parquet");
}

/** Writes the result of a query as Parquet with DuckDB and returns the path. */
export async function writeWithDuckDB(query: string, options = ""): Promise<string> {
  const path = temporaryFile();
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run("set preserve_insertion_order = true");
  await connection.run(`copy (${query}) to '${path}' (format parquet${options})`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

export function sourceOf(path: string): Source {
  const state = fileState(statSync(path));
  const fingerprint = JSON.stringify(state);
  const format = { kind: "parquet" } as const;
  return { name: path, path, codecs: [], size: state.size, fingerprint, format };
}

export const readerOptions = {
  rowBytesMax: 16 * 1024 * 1024,
  ratioMax: 1000,
  temporaryDirectory: tmpdir(),
  signal: new AbortController().signal,
};

export const kernel = usedKernel();

export function openFile(
  path: string,
  fields: readonly FieldRequest[],
  {
    start = 0,
    end = null as number | null,
    pagesBytesMax = undefined as number | undefined,
    ...options
  } = {} as {
    start?: number;
    end?: number | null;
    rowBytesMax?: number;
    signal?: AbortSignal;
    /** Bytes of pages that are kept whole. */
    pagesBytesMax?: number;
  },
): Promise<Reader> {
  const range = { source: sourceOf(path), start, end };
  const memory = new PageMemory(kernel, pagesBytesMax);
  return openWith(memory, range, fields, { ...readerOptions, ...options });
}

export async function* batchesOf(reader: Reader): AsyncGenerator<Batch> {
  try {
    for (let batch = await reader.next(); batch !== null; batch = await reader.next()) yield batch;
  } finally {
    await reader.close();
  }
}

export interface ReadRow {
  readonly cells: readonly (string | undefined)[];
  readonly kinds: readonly number[];
  readonly fault: string | undefined;
  readonly number: number | undefined;
}

/** All rows of a file, cell by cell. */
export async function readRows(
  path: string,
  fields: readonly FieldRequest[],
  options: Parameters<typeof openFile>[2] = {},
): Promise<readonly ReadRow[]> {
  const rows: ReadRow[] = [];
  for await (const batch of batchesOf(await openFile(path, fields, options))) {
    for (let row = 0; row < batch.rows; row++) {
      const fault = kernel.bytes[batch.faults + row] ?? 0;
      rows.push({
        cells: batch.columns.map((column) => column.text(row)),
        kinds: batch.columns.map((column) => column.kind(row)),
        fault: fault === 0 ? undefined : rejectCodeName(fault),
        number: batch.raw.number(row),
      });
    }
  }
  return rows;
}

export const text = (...path: string[]): FieldRequest => ({ path, form: "text" });
export const json = (...path: string[]): FieldRequest => ({ path, form: "json" });
export const rest = (path: readonly string[], except: readonly string[]): FieldRequest => ({
  path,
  form: "rest",
  except,
});

/** The cells of one column. */
export async function readColumn(
  path: string,
  field: FieldRequest,
): Promise<readonly (string | undefined)[]> {
  return (await readRows(path, [field])).map(({ cells }) => cells[0]);
}
