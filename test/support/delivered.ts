import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { parse } from "csv-parse/sync";
import { expect } from "vitest";

/** An event as it was delivered, with the name of the directory that it was found in. */
export interface DeliveredEvent {
  readonly day: string;
  /** JSON text of the event. */
  readonly text: string;
}

/** Reads a dataset back with readers that are not ours, whatever its format. */
export async function readDelivered(datasetDirectory: string): Promise<DeliveredEvent[]> {
  const events: DeliveredEvent[] = [];
  for (const day of await namesIn(datasetDirectory)) {
    for (const name of await namesIn(join(datasetDirectory, day))) {
      const texts = await readPart(join(datasetDirectory, day, name));
      events.push(...texts.map((text) => ({ day, text })));
    }
  }
  return events;
}

/** Names in a directory, sorted; none where it does not exist. */
export async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function readPart(file: string): Promise<string[]> {
  if (file.endsWith(".parquet")) return readParquet(file);
  const bytes = await readFile(file);
  if (file.endsWith(".jsonl.gz")) return linesOf(gunzipSync(bytes).toString());
  if (file.endsWith(".jsonl")) return linesOf(bytes.toString());
  if (file.endsWith(".csv")) return readCsv(bytes);
  throw new Error(`a part file of no known format: ${file}`);
}

function linesOf(text: string): string[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error("the last line has no end");
  return text.split("\n").slice(0, -1);
}

const columns = ["event", "timestamp", "userID", "stableID", "value", "user", "metadata"] as const;

interface Row extends Readonly<Record<(typeof columns)[number], string | null>> {
  /** Absent where the mapping has no insert id. */
  readonly insertID?: string | null;
}

async function readParquet(file: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    const path = `'${file.replaceAll("'", "''")}'`;
    const reader = await connection.runAndReadAll(
      `SELECT COLUMNS(*)::VARCHAR FROM read_parquet(${path}, hive_partitioning = false)`,
    );
    const [...names] = reader.columnNames();
    expect([columns, [...columns, "insertID"]]).toContainEqual(names);
    return (reader.getRowObjects() as unknown as Row[]).map(eventText);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function readCsv(bytes: Buffer): string[] {
  const rows = parse(bytes, { columns: true, record_delimiter: ["\n", "\r\n"] }) as Row[];
  return rows.map((row) =>
    eventText({
      ...row,
      value: row.value === "" ? null : row.value,
      userID: row.userID || null,
      insertID: row.insertID || null,
    }),
  );
}

/** The event that a row of the columnar formats stands for. */
function eventText({ event, user, timestamp, value, metadata, userID, insertID }: Row): string {
  const ids = JSON.parse(user ?? "null") as { userID?: unknown };
  if (userID !== null && ids.userID !== userID) {
    throw new Error(`column userID is ${userID}, but user is ${user}`);
  }
  const valueText = value === null ? "" : `,"value":${value}`;
  const idText = insertID == null ? "" : `,"insertID":${JSON.stringify(insertID)}`;
  return `{"event":${JSON.stringify(event)},"user":${user},"timestamp":${timestamp}${valueText},"metadata":${metadata}${idText}}`;
}
