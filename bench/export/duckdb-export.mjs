// The rival, doing the same work: the same columns and values, `user` merged from ids and properties.
// Parquet goes to one directory per UTC day, with snappy; JSON to one file, as DuckDB cannot partition
// it. Runs in a process of its own: node duckdb-export.mjs <kind> <input directory> <output> <threads> [dedupe]
// With `dedupe` it keeps one event of each insert id and day: any one, as asking for the first takes longer.
//
// This is the fastest of the natural ways to write it. Only the columns asked for are parsed, event_time
// as a timestamp while reading. Order is not kept, so that all threads write. Merging ids into the
// properties takes less than the other way round. read_json_objects with -> was 2.3 times slower;
// PER_THREAD_OUTPUT takes as long as one file. Joining texts would not merge, as properties may have the
// ids' names. Settings of memory and of open files change nothing at ten days.
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { sqlText } from "../../fixtures/make/duckdb.mjs";
import { kinds } from "./contenders.mjs";
import { filesOf, hasInsertIds } from "./inputs.mjs";

const [kind, input, output, threads, mode] = process.argv.slice(2);
const { shape, format } = kinds[kind];
const hasIds = hasInsertIds(shape);

const jsonColumns =
  `{${hasIds ? "\"$insert_id\": 'VARCHAR', uuid: 'VARCHAR', " : ""}` +
  "event_type: 'VARCHAR', event_time: 'TIMESTAMP', user_id: 'VARCHAR', device_id: 'VARCHAR', " +
  "event_properties: 'JSON', user_properties: 'JSON'}";
const files = sqlText(join(input, filesOf(shape).pattern));
const sources = {
  ndjson: `read_json(${files}, format = 'newline_delimited', columns = ${jsonColumns})`,
  csv:
    `read_csv(${files}, header = true, delim = ',', quote = '"', escape = '"', ` +
    "types = {'event_time': 'TIMESTAMP', 'event_type': 'VARCHAR', 'user_id': 'VARCHAR', " +
    "'device_id': 'VARCHAR', 'event_properties': 'VARCHAR', 'user_properties': 'VARCHAR'})",
  parquet: `read_parquet(${files})`,
};
const source = sources[filesOf(shape).format];

const event = "event_type AS event, epoch_ms(event_time) AS timestamp";
const user =
  "json_merge_patch(coalesce(user_properties, '{}')::JSON, " +
  "json_object('userID', user_id, 'stableID', device_id))";
const insertID = hasIds ? `coalesce(nullif("$insert_id", ''), uuid)` : "NULL::VARCHAR";
const metadata = "coalesce(event_properties, '{}')";
const once =
  mode === "dedupe"
    ? 'QUALIFY row_number() OVER (PARTITION BY "$insert_id", event_time::DATE) = 1'
    : "";
const copies = {
  parquet: () => `
    COPY (
      SELECT ${event}, user_id AS userID, device_id AS stableID, NULL::VARCHAR AS value,
        ${user}::VARCHAR AS user, ${metadata}::VARCHAR AS metadata, ${insertID} AS insertID,
        event_time::DATE AS day
      FROM ${source} ${once}
    ) TO ${sqlText(output)} (FORMAT parquet, COMPRESSION snappy, PARTITION_BY (day))`,
  // The members of our lines. `value` is not among them, as these rows have no values.
  jsonl: () => `
    COPY (
      SELECT ${event}, ${user} AS user, ${metadata}::JSON AS metadata, ${insertID} AS insertID FROM ${source}
    ) TO ${sqlText(output)} (FORMAT json)`,
};

const instance = await DuckDBInstance.create(":memory:", {
  threads,
  preserve_insertion_order: "false",
});
const connection = await instance.connect();
await connection.run(copies[format]());
connection.closeSync();
instance.closeSync();
