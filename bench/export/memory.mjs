// Peak memory of our export: it must not grow with the input.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, openTable, printMachine } from "../command.mjs";
import { percent, whole } from "../figures.mjs";
import { runContender } from "./contenders.mjs";
import { bytesIn, makeInputs } from "./inputs.mjs";

const FIRST_BYTES = 200e6;
const SAMPLE_ROWS = 10_000;

/** Measures inputs of 200 MB and of `size` bytes of NDJSON. */
export async function compareMemory({ size, threads }) {
  const rowBytes = bytesIn(await ndjsonOf(SAMPLE_ROWS)) / SAMPLE_ROWS;
  printMachine(`peak memory of our export from NDJSON, ${threads} threads`);
  const printRow = openTable(["input MB:", "peak MB:", "of the first:"]);
  let first;
  for (const bytes of [FIRST_BYTES, size]) {
    const input = await ndjsonOf(Math.round(bytes / rowBytes));
    const output = join(benchDirectory, "out-switchyard");
    const { peakMb } = await runContender("switchyard", { kind: "ndjson", input, output, threads });
    rmSync(output, { recursive: true, force: true });
    first ??= peakMb;
    printRow([whole(bytesIn(input) / 1e6), whole(peakMb), percent(peakMb / first)]);
  }
}

async function ndjsonOf(rows) {
  const { ndjson } = await makeInputs(benchDirectory, rows, []);
  return ndjson;
}
