import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SqliteDatabase } from "../sqlite-database.js";

/** Rows of a table that are read in one turn: about 0.2 s for events. */
const ROWS_PER_TURN = 100_000;

/** The content of a table: equal digests are equal rows. */
interface TableDigest {
  readonly name: string;
  readonly rows: number;
  /** SHA-256 over the SHA3-256 that SQLite makes of each `ROWS_PER_TURN` rows with their types. */
  readonly sha256: string;
}

interface Table {
  readonly name: string;
  readonly hasRowId: number;
}

/** A part of a table that is read at once. */
interface Part {
  readonly rows: number;
  readonly digest: string | null;
  /** The rowid of the last row. */
  readonly last: number | null;
}

/** Reads all tables of a database, with those of indexes of texts and the schema itself. */
export async function tableDigests(
  database: SqliteDatabase,
  signal: AbortSignal,
): Promise<readonly TableDigest[]> {
  // Virtual tables have no pages of their own.
  const tables = database.all<Table>(
    `SELECT one.name, NOT list.wr AS hasRowId FROM sqlite_schema AS one
      JOIN pragma_table_list AS list ON list.name = one.name AND list.schema = 'main'
      WHERE one.type = 'table' AND one.rootpage > 0 ORDER BY one.name`,
  );
  const digests: TableDigest[] = [];
  for (const table of [{ name: "sqlite_schema", hasRowId: 1 }, ...tables]) {
    digests.push(await tableDigest(database, table, signal));
  }
  return digests;
}

async function tableDigest(
  database: SqliteDatabase,
  { name, hasRowId }: Table,
  signal: AbortSignal,
): Promise<TableDigest> {
  const hash = createHash("sha256");
  let rows = 0;
  let after: number | null = null;
  do {
    await nextTurn();
    signal.throwIfAborted();
    const part: Part = hasRowId ? somePart(database, name, after) : wholeTable(database, name);
    rows += part.rows;
    hash.update(part.digest ?? "");
    after = part.last;
  } while (after !== null);
  return { name, rows, sha256: hash.digest("hex") };
}

/** Reads the rows after a rowid. */
function somePart(database: SqliteDatabase, name: string, after: number | null): Part {
  const from = `FROM ${quoted(name)} NOT INDEXED`;
  const bound = after === null ? "" : `WHERE rowid > ${after}`;
  const part = `${from} ${bound} ORDER BY rowid LIMIT ${ROWS_PER_TURN}`;
  const counted = database.first<Pick<Part, "rows" | "last">>(
    `SELECT count(*) AS rows, max(id) AS last FROM (SELECT rowid AS id ${part})`,
  );
  if (counted === undefined || counted.rows === 0) return { rows: 0, digest: null, last: null };
  return { ...counted, digest: digestOf(database, `SELECT rowid, * ${part}`) };
}

function wholeTable(database: SqliteDatabase, name: string): Part {
  const from = `FROM ${quoted(name)} NOT INDEXED`;
  const counted = database.first<{ rows: number }>(`SELECT count(*) AS rows ${from}`);
  const digest = digestOf(database, `SELECT * ${from}`);
  return { rows: counted?.rows ?? 0, digest, last: null };
}

/** The function is part of the driver: https://sqlite.org/src/file/ext/misc/shathree.c. */
function digestOf(database: SqliteDatabase, query: string): string {
  const row = database.first<{ digest: string }>("SELECT hex(sha3_query(?, 256)) AS digest", [
    query,
  ]);
  return row?.digest ?? "";
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
