// The dry run of the closest migration tool against ours, and against our export.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { benchDirectory, log, openTable, printMachine } from "../command.mjs";
import { figures, median, whole } from "../figures.mjs";
import { runMeasured } from "../measured-process.mjs";
import { contenders } from "./contenders.mjs";
import { makeInputs } from "./inputs.mjs";

/** It is installed when it is asked for: it brings some 300 packages, which nothing else needs. */
const NAME = "mixpanel-import";
const VERSION = "3.1.43";
/** Fewer of the same rows: the tool takes 20 s for a hundred thousand. */
const RIVAL_ROWS_SHARE = 0.1;

const main = fileURLToPath(new URL("../../dist/switchyard.js", import.meta.url));
const dryRun = fileURLToPath(new URL("mixpanel-dry-run.mjs", import.meta.url));

export async function compareMigrationTool({ rows, runs, threads }) {
  const rivalRows = Math.ceil(rows * RIVAL_ROWS_SHARE);
  const { ndjson } = await makeInputs(benchDirectory, rows, []);
  const { ndjson: few } = await makeInputs(benchDirectory, rivalRows, []);
  const work = join(benchDirectory, "migration-tool");
  const output = join(work, "out");
  const entry = install(join(benchDirectory, "rivals"));
  const validate = [
    main,
    "validate",
    ndjson,
    "--report",
    output,
    "--threads",
    `${threads}`,
    "--quiet",
  ];
  const measures = [
    [`${NAME} ${VERSION}`, rivalRows, [dryRun, entry, join(few, "events.jsonl")]],
    ["switchyard validate", rows, validate],
    ["switchyard export", rows, contenders.switchyard("ndjson", ndjson, output, threads)],
  ];
  printMachine(`${threads} threads of ours, medians of ${runs} runs`);
  const printRow = openTable([
    "dry run",
    "rows:",
    "rows/s:",
    "CPU µs a row:",
    "peak MB:",
    "ratio:",
  ]);
  let first;
  for (const [name, count, args] of measures) {
    const results = await repeat(runs, name, args, work);
    const rate = count / median(figures(results, "seconds"));
    const cpuMicroseconds = (1e6 * median(figures(results, "cpuSeconds"))) / count;
    const peakMb = Math.max(...figures(results, "peakMb"));
    first ??= rate;
    const ratio = rate === first ? "" : whole(rate / first);
    printRow([name, whole(count), whole(rate), cpuMicroseconds.toFixed(1), whole(peakMb), ratio]);
  }
}

async function repeat(runs, name, args, work) {
  const results = [];
  for (let run = 0; run < runs; run++) {
    // The tool keeps logs in the directory that it is run in.
    mkdirSync(work, { recursive: true });
    results.push(await runMeasured(args, { cwd: work }));
    log(`${name}: ${results.at(-1).seconds.toFixed(2)} s`);
    rmSync(work, { recursive: true, force: true });
  }
  return results;
}

/** The package's main file as a URL. */
function install(directory) {
  const home = join(directory, "node_modules", NAME);
  const manifest = join(home, "package.json");
  if (!existsSync(manifest)) {
    log(`installing ${NAME}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
    const words = ["install", "--prefix", directory, "--no-audit", "--no-fund", "--ignore-scripts"];
    const { status } = spawnSync("npm", [...words, `${NAME}@${VERSION}`], {
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) throw new Error(`npm could not install ${NAME}`);
  }
  return pathToFileURL(join(home, JSON.parse(readFileSync(manifest, "utf8")).main)).href;
}
