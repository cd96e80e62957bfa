import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { readParquet } from "parquet-wasm/node";

/** A row as a reader of Parquet gives it, JSON parsed. */
export interface ReadRow {
  readonly event: string;
  readonly timestamp: number;
  readonly userID: string | null;
  readonly stableID: string | null;
  readonly value: string | null;
  readonly user: unknown;
  readonly metadata: unknown;
  readonly insertID: string | null;
}

/** A row as a library hands it out; 64-bit integers are numbers or bigints. */
type Fields = { readonly [name in keyof ReadRow]?: unknown };

/** Readers that are not ours: each gives all rows of a file in order. */
export const parquetReaders: Record<string, (path: string) => Promise<ReadRow[]>> = {
  DuckDB: readWithDuckDb,
  hyparquet: readWithHyparquet,
  "parquetjs-lite": readWithParquetjs,
  "parquet-wasm": readWithParquetWasm,
};

async function readWithDuckDb(path: string): Promise<ReadRow[]> {
  const rows = await queryDuckDb(`select * from read_parquet('${path}')`);
  return rows.map((row) => toRow(row));
}

export async function queryDuckDb(sql: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
  }
}

async function readWithHyparquet(path: string): Promise<ReadRow[]> {
  const file = await asyncBufferFromFile(path);
  const rows = await parquetReadObjects({ file, compressors });
  return rows.map((row) => toRow(row as Fields));
}

async function readWithParquetjs(path: string): Promise<ReadRow[]> {
  const { ParquetReader } = createRequire(import.meta.url)("parquetjs-lite");
  const reader = await ParquetReader.openFile(path);
  const cursor = reader.getCursor();
  const rows: ReadRow[] = [];
  for (let row = await cursor.next(); row; row = await cursor.next()) {
    rows.push(toRow(row));
  }
  await reader.close();
  return rows;
}

async function readWithParquetWasm(path: string): Promise<ReadRow[]> {
  const table = tableFromIPC(readParquet(readFileSync(path)).intoIPCStream());
  return Array.from({ length: table.numRows }, (_, index) =>
    toRow(table.get(index)?.toJSON() ?? {}),
  );
}

function toRow(fields: Fields): ReadRow {
  return {
    event: fields.event as string,
    timestamp: Number(fields.timestamp),
    userID: (fields.userID ?? null) as string | null,
    stableID: (fields.stableID ?? null) as string | null,
    value: (fields.value ?? null) as string | null,
    user: JSON.parse(fields.user as string),
    metadata: JSON.parse(fields.metadata as string),
    insertID: (fields.insertID ?? null) as string | null,
  };
}
