// Checks that a row costs the same for any number of rows and of days.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, log, openTable, printMachine } from "../command.mjs";
import { figures, median, whole } from "../figures.mjs";
import { runContender } from "./contenders.mjs";
import { makeRowsInOrder, makeRowsOverDays } from "./flat-inputs.mjs";
import { bytesIn } from "./inputs.mjs";

/** Times of `rows`. */
const ROW_FACTORS = [1, 5, 20];
const ROW_DAYS = 10;
const DAY_COUNTS = [1, 10, 100, 1000];
/** An export of this few rows consists of start-up and end only. */
const FEW_ROWS = 250;
/**
 * An output of at least this many files stays until the end. After many files have been removed, ext4
 * looks at each of their entries before it makes a new one, which took a quarter of the CPU time.
 */
const KEPT_FILES_MIN = 1000;

const formats = { ndjson: "parquet", jsonl: "jsonl" };
const columns = [
  "rows:",
  "days:",
  "bytes a row:",
  "to",
  "ns a row:",
  "of the first:",
  "CPU ns a row:",
  "peak MB:",
  "files:",
];

/**
 * Cost of a row without start-up. Small rows in order of time, ever more of them; then rows of the
 * usual size in no order, over ever more days. Each input is removed before the next one is made, as
 * the largest takes twenty times the bytes of the first.
 */
export async function compareSizes({ rows, runs, threads }) {
  const cases = [
    ROW_FACTORS.map((factor) => ({ make: makeRowsInOrder, rows: factor * rows, days: ROW_DAYS })),
    DAY_COUNTS.map((days) => ({ make: makeRowsOverDays, rows, days })),
  ];
  printMachine(`cost of a row, ${threads} threads, medians of ${runs} runs`);
  const outputs = mkdtempSync(join(benchDirectory, "out-"));
  try {
    await measureGroups(cases, { runs, threads, outputs });
  } finally {
    rmSync(outputs, { recursive: true, force: true });
  }
}

async function measureGroups(cases, options) {
  const few = await measureCase({ make: makeRowsInOrder, rows: FEW_ROWS, days: 1 }, options);
  const printRow = openTable(columns);
  for (const group of cases) {
    const first = {};
    for (const { make, rows: count, days } of group) {
      const { rowBytes, results } = await measureCase({ make, rows: count, days }, options);
      for (const [kind, result] of Object.entries(results)) {
        const cost = (key) => (1e9 * (result[key] - few.results[kind][key])) / count;
        first[kind] ??= cost("seconds");
        printRow([
          whole(count),
          whole(days),
          whole(rowBytes),
          formats[kind],
          whole(cost("seconds")),
          (cost("seconds") / first[kind]).toFixed(2),
          whole(cost("cpuSeconds")),
          whole(result.peakMb),
          whole(result.files),
        ]);
      }
    }
  }
}

/** Bytes of a row, and for each kind the medians over the runs. */
async function measureCase({ make, rows, days }, options) {
  const input = join(benchDirectory, "flat");
  log(`generating ${rows} rows over ${days} days`);
  try {
    await make(input, rows, days);
    const results = {};
    for (const kind of Object.keys(formats)) {
      results[kind] = await measureRuns(kind, input, options);
    }
    return { rowBytes: bytesIn(input) / rows, results };
  } finally {
    rmSync(input, { recursive: true, force: true });
  }
}

async function measureRuns(kind, input, { runs, threads, outputs }) {
  const results = [];
  let files = 0;
  for (let run = 0; run < runs; run++) {
    const output = mkdtempSync(join(outputs, "run-"));
    results.push(await runContender("switchyard", { kind, input, output, threads }));
    log(`${formats[kind]}: ${results.at(-1).seconds.toFixed(2)} s`);
    files = readdirSync(join(output, "events"), { recursive: true }).filter(isPart).length;
    if (files < KEPT_FILES_MIN) rmSync(output, { recursive: true, force: true });
  }
  const middle = (key) => median(figures(results, key));
  return {
    seconds: middle("seconds"),
    cpuSeconds: middle("cpuSeconds"),
    files,
    peakMb: Math.max(...figures(results, "peakMb")),
  };
}

function isPart(name) {
  return name.includes("part-");
}
