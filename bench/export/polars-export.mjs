// The same as duckdb-export.mjs by polars, to Parquet, with less work: it cannot merge JSON, so it joins
// texts, which is right for this data only, whose properties are never empty and have no ids.
// node polars-export.mjs <kind> <input directory> <output> <threads>
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "./contenders.mjs";
import { filesOf, hasInsertIds } from "./inputs.mjs";
import { requireRival } from "./rivals.mjs";

const [kind, input, output, threads] = process.argv.slice(2);
process.env.POLARS_MAX_THREADS = threads;
const pl = requireRival("nodejs-polars");
const { shape } = kinds[kind];
const { format, pattern } = filesOf(shape);
const files = join(input, pattern);
const frame =
  format === "csv" ? pl.scanCSV(files, { inferSchemaLength: 0 }) : pl.scanParquet(files);

const time =
  format === "csv"
    ? pl.col("event_time").str.strptime(pl.Datetime, "%Y-%m-%d %H:%M:%S%.f")
    : pl.col("event_time");
const joined = (...parts) => pl.concatString(parts, "");
const userId = pl
  .when(pl.col("user_id").isNull())
  .then(pl.lit(""))
  .otherwise(joined(pl.lit(',"userID":"'), pl.col("user_id"), pl.lit('"')));
const user = joined(
  pl.lit('{"stableID":"'),
  pl.col("device_id"),
  pl.lit('"'),
  userId,
  pl.lit(","),
  pl.col("user_properties").str.slice(1),
);
const insertID = hasInsertIds(shape)
  ? pl.col("$insert_id").fillNull(pl.col("uuid"))
  : pl.lit(null).cast(pl.Utf8);
const events = await frame
  .select(
    pl.col("event_type").alias("event"),
    time.cast(pl.Datetime("ms")).cast(pl.Int64).alias("timestamp"),
    pl.col("user_id").alias("userID"),
    pl.col("device_id").alias("stableID"),
    pl.lit(null).cast(pl.Utf8).alias("value"),
    user.alias("user"),
    pl.col("event_properties").fillNull("{}").alias("metadata"),
    insertID.alias("insertID"),
    time.cast(pl.Date).alias("day"),
  )
  .collect();
for (const part of events.partitionBy(["day"], false)) {
  const [{ day }] = part.head(1).select(pl.col("day").cast(pl.Utf8)).toRecords();
  mkdirSync(join(output, `day=${day}`), { recursive: true });
  part.drop("day").writeParquet(join(output, `day=${day}`, "events.parquet"), {
    compression: "snappy",
  });
}
