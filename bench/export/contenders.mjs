// The contenders: for each kind, our command and the rival's, from the same files to the same events.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { freemem } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runMeasured } from "../measured-process.mjs";
import { bytesIn, filesOf } from "./inputs.mjs";
import { takesPart } from "./rivals.mjs";

const ownMain = fileURLToPath(new URL("../../dist/switchyard.js", import.meta.url));
const touchMemory = fileURLToPath(new URL("../touch-memory.mjs", import.meta.url));

function rivalArguments(script) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return (kind, input, output, threads) => [path, kind, input, output, `${threads}`];
}

/** More than a contender takes for itself and for what it writes, of a million rows. */
const TOUCHED_BYTES = 2 * 1024 ** 3;
/** Over an input of no more than this, a contender hardly writes to memory. */
const SMALL_BYTES = 1e6;

/** Kind → the shape of its input in inputs.mjs, and the format that is written. */
export const kinds = {
  ndjson: { shape: "ndjson", format: "parquet" },
  "ndjson-gz": { shape: "ndjson-gz", format: "parquet" },
  "ndjson-hourly-gz": { shape: "ndjson-hourly-gz", format: "parquet" },
  "ndjson-one-gz": { shape: "ndjson-one-gz", format: "parquet" },
  "narrow-ndjson": { shape: "narrow-ndjson", format: "parquet" },
  csv: { shape: "csv", format: "parquet" },
  "narrow-csv": { shape: "narrow-csv", format: "parquet" },
  parquet: { shape: "parquet", format: "parquet" },
  "parquet-zstd": { shape: "parquet-zstd", format: "parquet" },
  "narrow-parquet": { shape: "narrow-parquet", format: "parquet" },
  "narrow-parquet-zstd": { shape: "narrow-parquet-zstd", format: "parquet" },
  jsonl: { shape: "ndjson", format: "jsonl" },
};

/** Returns the contenders that are installed and can read a kind's input. */
export function contendersOf(kind) {
  const { shape, format } = kinds[kind];
  return Object.keys(contenders).filter((name) => takesPart(name, filesOf(shape).format, format));
}

function exportArguments(kind, input, output, threads) {
  const { format } = kinds[kind];
  const words = ["export", input, "--to", output, "--format", format];
  return [ownMain, ...words, "--threads", `${threads}`, "--quiet"];
}

/** The arguments of node for each contender. */
export const contenders = {
  switchyard: exportArguments,
  duckdb: rivalArguments("duckdb-export.mjs"),
  clickhouse: rivalArguments("clickhouse-export.mjs"),
  polars: rivalArguments("polars-export.mjs"),
};

/** The same for exports that leave repeated events out. */
export const dedupeContenders = {
  "switchyard --dedupe": (...run) => [...exportArguments(...run), "--dedupe", "day"],
  "duckdb qualify": (...run) => [...contenders.duckdb(...run), "dedupe"],
};

/**
 * Runs one contender into an empty place, or with `keeps` into what is there; `options` as of `runMeasured`,
 * `before` for node, and `main` instead of our own build.
 */
export async function runContender(
  name,
  { kind, input, output, threads, before = [], keeps = false, main = ownMain, ...options },
) {
  if (!keeps) rmSync(output, { recursive: true, force: true });
  // Otherwise a sync in this run would wait for unwritten data of the run before.
  execFileSync("sync");
  if (bytesIn(input) > SMALL_BYTES) {
    const touched = Math.min(TOUCHED_BYTES, Math.floor(freemem() / 2));
    execFileSync(process.execPath, [touchMemory, `${touched}`]);
  }
  const command = contenders[name] ?? dedupeContenders[name];
  const words = command(kind, input, output, threads);
  const own = words.map((word) => (word === ownMain ? main : word));
  // Away from the configuration of the checkout.
  return runMeasured([...before, ...own], { cwd: dirname(output), ...options });
}
