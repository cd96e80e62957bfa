// Measures how fast this machine reads, copies and writes the bytes of the benchmark without any work on
// them: the limits of an export.
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { benchDirectory, openTable, printMachine } from "../command.mjs";
import { median, whole } from "../figures.mjs";
import { makeInputs } from "./inputs.mjs";

const CHUNK_BYTES = 2 << 20;
const COPY_BYTES = 256 << 20;
const WRITE_BYTES = 256 << 20;

/** One thread: copies in memory, from the page cache, by Node's zlib, and to the disk. */
export async function showLimits({ rows, runs }) {
  const inputs = await makeInputs(benchDirectory, rows, ["ndjson-gz"]);
  const ndjson = fileIn(inputs.ndjson);
  const compressed = readdirSync(inputs["ndjson-gz"]).map((name) =>
    readFileSync(join(inputs["ndjson-gz"], name)),
  );
  const rowBytes = readWhole(ndjson) / rows;
  const limits = [
    ["copy in memory", prepareCopy()],
    ["read from the page cache", () => readWhole(ndjson)],
    ["inflate by Node's zlib, bytes out", () => inflateAll(compressed)],
    ["write and sync", writeFile],
  ];
  printMachine(`limits of one thread, medians of ${runs} runs`);
  const printRow = openTable(["what", "GB/s:", "rows/s of the NDJSON:"]);
  for (const [what, work] of limits) {
    const rates = Array.from({ length: runs }, () => rateOf(work));
    const rate = median(rates);
    printRow([what, (rate / 1e9).toFixed(2), whole(rate / rowBytes)]);
  }
}

function fileIn(directory) {
  return join(directory, readdirSync(directory)[0]);
}

/** Bytes a second. */
function rateOf(work) {
  const start = performance.now();
  const bytes = work();
  return bytes / ((performance.now() - start) / 1000);
}

function prepareCopy() {
  const source = Buffer.alloc(COPY_BYTES, 1);
  const target = Buffer.alloc(COPY_BYTES, 2);
  return () => {
    target.set(source);
    return COPY_BYTES;
  };
}

function readWhole(file) {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const descriptor = openSync(file);
  let bytes = 0;
  for (let count = -1; count !== 0; bytes += count) count = readSync(descriptor, buffer);
  closeSync(descriptor);
  return bytes;
}

function inflateAll(files) {
  return files.reduce(
    (bytes, file) => bytes + gunzipSync(file, { chunkSize: CHUNK_BYTES }).length,
    0,
  );
}

function writeFile() {
  const file = join(benchDirectory, "limit");
  const chunk = Buffer.alloc(CHUNK_BYTES, "switchyard");
  const descriptor = openSync(file, "w");
  for (let bytes = 0; bytes < WRITE_BYTES; bytes += CHUNK_BYTES) writeSync(descriptor, chunk);
  fsyncSync(descriptor);
  closeSync(descriptor);
  rmSync(file);
  return WRITE_BYTES;
}
