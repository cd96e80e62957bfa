// What is compared: for each kind, our command and the rival's, from the same files to the same events.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runMeasured } from "../measured-process.mjs";

const main = fileURLToPath(new URL("../../dist/bin/switchyard.js", import.meta.url));
const rival = fileURLToPath(new URL("duckdb-export.mjs", import.meta.url));

/** Kind → the shape of its input in inputs.mjs, and the format that is written. */
export const kinds = {
  ndjson: { shape: "ndjson", format: "parquet" },
  "ndjson-gz": { shape: "ndjson-gz", format: "parquet" },
  "ndjson-one-gz": { shape: "ndjson-one-gz", format: "parquet" },
  csv: { shape: "csv", format: "parquet" },
  parquet: { shape: "parquet", format: "parquet" },
  jsonl: { shape: "ndjson", format: "jsonl" },
};

/** The arguments of node for each contender. */
export const contenders = {
  switchyard: (kind, input, output, threads) => [
    main,
    ...["export", input, "--to", output, "--format", kinds[kind].format],
    ...(kinds[kind].format === "parquet" ? ["--compression", "snappy"] : []),
    ...["--threads", `${threads}`, "--quiet"],
  ],
  duckdb: (kind, input, output, threads) => [rival, kind, input, output, `${threads}`],
};

/** Runs one contender into an empty place; `options` as of `runMeasured`, and `before` for node. */
export async function runContender(
  name,
  { kind, input, output, threads, before = [], ...options },
) {
  rmSync(output, { recursive: true, force: true });
  // What the run before has left unwritten would be waited for by whoever syncs in this one.
  execFileSync("sync");
  return runMeasured([...before, ...contenders[name](kind, input, output, threads)], options);
}
