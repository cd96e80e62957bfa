// Compares the events of both contenders, so that the benchmark never compares different work.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { sqlText } from "../../fixtures/make/duckdb.mjs";
import { kinds } from "./contenders.mjs";

/** Sums do not depend on the order of rows, and unlike XOR tell two equal rows from none. */
const sum = (value) => `sum(hash(${value}))::VARCHAR`;
/** Members in any order: which one comes first says nothing. */
const members = (json) => `list_sort(map_entries(${json}::JSON::MAP(VARCHAR, JSON)))::VARCHAR`;
/** The day's directory; in one file for all days, the day that it would be. */
const day =
  "coalesce(regexp_extract(filename, '/(?:day=)?(\\d{4}-\\d\\d-\\d\\d)/[^/]*$', 1).nullif(''), " +
  "epoch_ms(timestamp)::DATE::VARCHAR)";

const figures = {
  rows: "count(*)::VARCHAR",
  days: `count(DISTINCT ${day})::VARCHAR`,
  "events of each day": sum(`event, ${day}`),
  timestamp: sum("event, timestamp"),
  user: sum(`event, timestamp, ${members("user")}`),
  metadata: sum(`event, timestamp, ${members("metadata")}`),
  insertID: sum("event, timestamp, insertID"),
};
const columnFigures = {
  userID: sum("timestamp, userID"),
  stableID: sum("timestamp, stableID"),
};

/** Counts and checksums of what was written, by name. */
export async function summarize(kind, output) {
  const { format } = kinds[kind];
  const isParquet = format === "parquet";
  const wanted = isParquet ? { ...figures, ...columnFigures } : figures;
  const select = Object.entries(wanted).map(([name, value]) => `${value} AS "${name}"`);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const source = isParquet ? readParquet(output) : readJsonl(output);
    const reader = await connection.runAndReadAll(`SELECT ${select.join(", ")} FROM ${source}`);
    return reader.getRowObjects()[0];
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function readParquet(output) {
  return `read_parquet(${sqlText(join(daysOf(output), "*/*.parquet"))}, hive_partitioning = false, filename = true)`;
}

function readJsonl(output) {
  const days = daysOf(output);
  const files = days === output ? output : join(days, "*/*.jsonl");
  const columns =
    "{event: 'VARCHAR', timestamp: 'BIGINT', user: 'JSON', metadata: 'JSON', insertID: 'VARCHAR'}";
  return `read_json(${sqlText(files)}, format = 'newline_delimited', filename = true, columns = ${columns})`;
}

/** Ours has the data set's name above the days. */
function daysOf(output) {
  return existsSync(join(output, "events")) ? join(output, "events") : output;
}

/** Throws if two summaries differ, and names the differences. */
export function expectSame(kind, ours, theirs) {
  const different = Object.keys(ours).filter((name) => ours[name] !== theirs[name]);
  if (different.length === 0) return;
  const lines = different.map((name) => `  ${name}: ${ours[name]}, ${theirs[name]}`);
  throw new Error(`${kind}: the results differ (ours, theirs):\n${lines.join("\n")}`);
}
