import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { randomOf } from "../../../src/engine/quick/draw-units.js";

/** A generated export: its rows, in the order of their times or not, and the files that they are in. */
interface Shape {
  readonly name: string;
  readonly format: "jsonl" | "json" | "csv" | "parquet" | "jsonl.gz" | "csv.gz";
  readonly files: number;
  readonly order: "times" | "none";
  /** ROWS if absent. */
  readonly rows?: number;
  /** Sizes of the files grow from the first to the last. */
  readonly isSkewed?: true;
}

const ROWS = 24_000;
const DAYS = 12;
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);

export const shapes: readonly Shape[] = [
  { name: "one file of lines, by time", format: "jsonl", files: 1, order: "times" },
  { name: "one file of lines, without order", format: "jsonl", files: 1, order: "none" },
  {
    name: "daily files of lines that grow",
    format: "jsonl",
    files: 12,
    order: "times",
    isSkewed: true,
  },
  { name: "one CSV, by time", format: "csv", files: 1, order: "times" },
  { name: "many CSVs, without order", format: "csv", files: 40, order: "none", isSkewed: true },
  { name: "one Parquet file, by time", format: "parquet", files: 1, order: "times", rows: 60_000 },
  {
    name: "some Parquet files, without order",
    format: "parquet",
    files: 4,
    order: "none",
    rows: 60_000,
  },
  { name: "hundreds of small gzip files", format: "jsonl.gz", files: 300, order: "times" },
  {
    name: "some large gzip files of CSV",
    format: "csv.gz",
    files: 24,
    order: "none",
    isSkewed: true,
  },
  { name: "files of JSON arrays", format: "json", files: 30, order: "none" },
];

type Row = Readonly<Record<"event" | "time" | "user" | "device" | "note", string>>;

/** Names of falling frequency; days grow, and have a spike; a few rows in bursts lack their ids. */
function rowsOf({ order, name, rows: count = ROWS }: Shape): readonly Row[] {
  const random = randomOf([{ name }]);
  const rows = Array.from({ length: count }, (_, index): Row & { readonly ms: number } => {
    const spike = random() < 0.1;
    const ms =
      START_MS + Math.floor((spike ? 0.7 + random() * 0.05 : Math.sqrt(random())) * DAYS * DAY_MS);
    const rank = Math.floor(random() ** 3 * 12);
    const isBurst = index % 4_000 < 60;
    return {
      ms,
      time: new Date(ms).toISOString().replace("T", " ").replace("Z", ""),
      event: random() < 0.01 ? "" : `event_${"abcdefghijkl"[rank]}`,
      user: isBurst ? "" : `user-${Math.floor(random() * 3_000)}`,
      device: isBurst ? "" : `device-${index % 5_000}`,
      note: "x".repeat(Math.floor(random() * 60)),
    };
  });
  return order === "times" ? rows.toSorted((one, other) => one.ms - other.ms) : rows;
}

const objectOf = ({ event, time, user, device, note }: Row) => ({
  event_type: event === "" ? null : event,
  event_time: time,
  user_id: user === "" ? null : user,
  device_id: device === "" ? null : device,
  event_properties: { note },
});

const csvOf = (rows: readonly Row[]) =>
  [
    "event_type,event_time,user_id,device_id,event_properties",
    ...rows.map(
      ({ event, time, user, device, note }) =>
        `${event},${time},${user},${device},"{""note"":""${note}""}"`,
    ),
    "",
  ].join("\n");

const linesOf = (rows: readonly Row[]) =>
  rows.map((row) => `${JSON.stringify(objectOf(row))}\n`).join("");

/** Writes a shape to its directory unless it is there, and returns that. */
export async function writeShape(shape: Shape, root: string): Promise<string> {
  const directory = join(root, shape.name.replaceAll(" ", "-"));
  if (existsSync(directory)) return directory;
  mkdirSync(directory);
  const rows = rowsOf(shape);
  const share = (index: number) =>
    shape.isSkewed ? (index / shape.files) ** 2 : index / shape.files;
  for (let index = 0; index < shape.files; index++) {
    const part = rows.slice(
      Math.floor(share(index) * rows.length),
      Math.floor(share(index + 1) * rows.length),
    );
    if (part.length === 0) continue;
    const name = join(directory, `part-${String(index).padStart(3, "0")}.${shape.format}`);
    if (shape.format === "jsonl") writeFileSync(name, linesOf(part));
    else if (shape.format === "csv") writeFileSync(name, csvOf(part));
    else if (shape.format === "jsonl.gz") writeFileSync(name, gzipSync(linesOf(part)));
    else if (shape.format === "csv.gz") writeFileSync(name, gzipSync(csvOf(part)));
    else if (shape.format === "json")
      writeFileSync(name, JSON.stringify(part.map(objectOf), null, 1));
    else await writeParquet(name, part);
  }
  return directory;
}

async function writeParquet(file: string, rows: readonly Row[]): Promise<void> {
  const lines = `${file}.rows`;
  writeFileSync(lines, linesOf(rows));
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(
    `SET threads = 1; SET preserve_insertion_order = true;
     COPY (SELECT event_type, event_time::VARCHAR AS event_time, user_id, device_id, event_properties::JSON::VARCHAR AS event_properties
           FROM read_json('${lines}', format = 'newline_delimited', columns = {event_type: 'VARCHAR', event_time: 'VARCHAR', user_id: 'VARCHAR', device_id: 'VARCHAR', event_properties: 'JSON'}))
     TO '${file}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
  );
  connection.closeSync();
  rmSync(lines);
}
