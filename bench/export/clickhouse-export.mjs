// The same as duckdb-export.mjs by ClickHouse in this process (chdb), to Parquet:
// node clickhouse-export.mjs <kind> <input directory> <output> <threads>
// Both can be the address of a bucket and a prefix, with the keys in the environment.
//
// The fastest way to write it: JSONMergePatch of the properties and of a text of the ids
// takes a fifth less than toJSONString of a map of them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sqlText } from "../../fixtures/make/duckdb.mjs";
import { kinds } from "./contenders.mjs";
import { filesOf, hasInsertIds } from "./inputs.mjs";
import { requireRival } from "./rivals.mjs";

const [kind, input, output, threads] = process.argv.slice(2);
const { shape } = kinds[kind];
const { format, pattern } = filesOf(shape);
const hasIds = hasInsertIds(shape);
const idNames = hasIds ? ["`$insert_id`", "uuid"] : [];
const insertID = hasIds
  ? "coalesce(nullIf(`$insert_id`, ''), uuid)"
  : "CAST(NULL AS Nullable(String))";
const text = (name) => `${name} Nullable(String)`;
const texts = [
  "event_type",
  "user_id",
  "device_id",
  "event_properties",
  "user_properties",
  ...idNames,
];
const columns = `event_time DateTime64(6, 'UTC'), ${texts.map(text).join(", ")}`;
const formats = { ndjson: "JSONEachRow", csv: "CSVWithNames", parquet: "Parquet" };

/** A null in a patch would become a member; every row of this data has a device. */
const userId = `ifNull(concat('"userID":', toJSONString(user_id), ','), '')`;
const ids = `concat('{', ${userId}, '"stableID":', ifNull(toJSONString(device_id), '""'), '}')`;

const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = process.env;
const keys = [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY].map(sqlText).join(", ");
const isAddress = (directory) => directory.startsWith("http");
/** The table function of the files of a directory or a prefix. */
const files = (directory, name) =>
  isAddress(directory)
    ? `s3(${sqlText(`${directory}/${name}`)}, ${keys}`
    : `file(${sqlText(join(directory, name))}`;
if (!isAddress(output)) mkdirSync(output, { recursive: true });
requireRival("chdb").query(`
  INSERT INTO FUNCTION ${files(output, "day={_partition_id}/events.parquet")}, 'Parquet') PARTITION BY day
  SELECT event_type AS event, toUnixTimestamp64Milli(toDateTime64(event_time, 3, 'UTC')) AS timestamp,
    user_id AS userID, device_id AS stableID, CAST(NULL AS Nullable(String)) AS value,
    JSONMergePatch(coalesce(user_properties, '{}'), ${ids}) AS user,
    coalesce(event_properties, '{}') AS metadata, ${insertID} AS insertID, toDate(event_time, 'UTC') AS day
  FROM ${files(input, pattern)}, ${formats[format]}, ${sqlText(columns)})
  SETTINGS max_threads = ${threads}, max_insert_threads = ${threads}, session_timezone = 'UTC',
    output_format_parquet_compression_method = 'snappy', s3_truncate_on_insert = 1, input_format_parallel_parsing = 1`);
