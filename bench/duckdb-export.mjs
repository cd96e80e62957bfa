// The rival, doing the same work: the same columns, `user` merged from ids and properties, one
// directory per UTC day, snappy. Runs in a process of its own: node duckdb-export.mjs <kind> <input
// directory> <output directory> <threads>
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

const [kind, input, output, threads] = process.argv.slice(2);
const text = (value) => `'${value.replaceAll("'", "''")}'`;

const jsonColumns =
  "{event_type: 'VARCHAR', event_time: 'TIMESTAMP', user_id: 'VARCHAR', device_id: 'VARCHAR', " +
  "event_properties: 'JSON', user_properties: 'JSON'}";
const readJson = (glob) =>
  `read_json(${text(join(input, glob))}, format = 'newline_delimited', columns = ${jsonColumns})`;
const sources = {
  ndjson: () => readJson("*.jsonl"),
  "ndjson-gz": () => readJson("*.jsonl.gz"),
  csv: () =>
    `read_csv(${text(join(input, "*.csv"))}, header = true, all_varchar = true, ` +
    "delim = ',', quote = '\"', escape = '\"')",
  parquet: () => `read_parquet(${text(join(input, "*.parquet"))})`,
};

const instance = await DuckDBInstance.create(":memory:", {
  threads,
  preserve_insertion_order: "false",
});
const connection = await instance.connect();
await connection.run(`
  COPY (
    SELECT
      event_type AS event,
      epoch_ms(event_time::TIMESTAMP) AS timestamp,
      user_id AS userID,
      device_id AS stableID,
      NULL::VARCHAR AS value,
      json_merge_patch(
        json_object('userID', user_id, 'stableID', device_id),
        coalesce(user_properties, '{}')::JSON
      )::VARCHAR AS user,
      coalesce(event_properties, '{}')::VARCHAR AS metadata,
      event_time::TIMESTAMP::DATE AS day
    FROM ${sources[kind]()}
  ) TO ${text(output)} (FORMAT parquet, COMPRESSION snappy, PARTITION_BY (day))
`);
connection.closeSync();
instance.closeSync();
