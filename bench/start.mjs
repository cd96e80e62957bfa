// npm run bench:start: the time of a small export, from the start of the process to its end, and the
// processor time of small commands.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { benchDirectory, openTable, printMachine, readOptions } from "./command.mjs";
import { makeInputs } from "./export/inputs.mjs";
import { figures, median, whole } from "./figures.mjs";
import { runMeasured } from "./measured-process.mjs";

/** Bounds of the processor time beyond an empty Node, in ms: a quarter more than on a busy machine. */
const boundsMs = { version: 20, help: 80, export: 350 };

const { rows, runs, threads, against, guard } = readOptions("npm run bench:start", {
  rows: { type: "count", default: "5", help: "rows of NDJSON to export to Parquet" },
  runs: { type: "count", default: "15", help: "runs of each, of which the median counts" },
  threads: { type: "count", default: "2", help: "threads of the export" },
  against: { type: "path", help: "dist/switchyard.js of another build, to be run in turns" },
  guard: { help: "instead: fails if processor time beyond an empty Node is above its bounds" },
});
const builds = {
  switchyard: fileURLToPath(new URL("../dist/switchyard.js", import.meta.url)),
  ...(against === undefined ? {} : { "the other": resolve(against) }),
};

mkdirSync(benchDirectory, { recursive: true });
const { ndjson } = await makeInputs(benchDirectory, rows, ["ndjson"]);
const root = mkdtempSync(join(benchDirectory, "start-"));
try {
  if (!guard) await measureAll(ndjson, join(root, "out"));
  await measureProcessor(ndjson, join(root, "out"));
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** Runs the builds in turns, so that a slow minute of the machine hits both. */
async function measureAll(input, output) {
  const names = Object.keys(builds);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const name of names) results[name].push(await measureBuild(builds[name], input, output));
  }
  printMachine(`ms from the start of the process, ${rows} rows, ${threads} threads, ${runs} runs`);
  const printRow = openTable(["until", ...names.flatMap((name) => [`${name}:`, "best run:"])]);
  for (const phase of Object.keys(results.switchyard[0])) {
    const cells = names.flatMap((name) => {
      const times = figures(results[name], phase);
      return [whole(median(times)), whole(Math.min(...times))];
    });
    printRow([phase, ...cells]);
  }
}

/**
 * Returns the milliseconds of a command that does nothing, and of one export until each of its files
 * exists. The file system's times are exact to a few milliseconds.
 */
async function measureBuild(main, input, output) {
  const version = await run([main, "--version"]);
  rmSync(output, { recursive: true, force: true });
  const words = ["export", input, "--to", output, "--threads", threads, "--quiet"];
  const { startedMs, durationMs } = await run([main, ...words]);
  const ledger = join(output, "_switchyard");
  const parts = filesBelow(join(output, "events"));
  const until = (stats, key, choose) => choose(...figures(stats, key)) - startedMs;
  const plan = [statSync(join(ledger, "plan.json"))];
  const manifest = [statSync(join(output, "manifest.json"))];
  return {
    "`--version` has ended": version.durationMs,
    "the plan is written": until(plan, "mtimeMs", Math.max),
    "the first byte of a part": until(parts, "birthtimeMs", Math.min),
    "the last byte of a part": until(parts, "mtimeMs", Math.max),
    "the last split is committed": until(filesBelow(join(ledger, "splits")), "mtimeMs", Math.max),
    "the manifest is written": until(manifest, "mtimeMs", Math.max),
    "the export has ended": durationMs,
  };
}

/** Prints the processor time of small commands; with `guard`, throws if one is above its bound. */
async function measureProcessor(input, output) {
  const main = builds.switchyard;
  const words = ["export", input, "--to", output, "--threads", String(threads), "--quiet"];
  const commands = {
    empty: ["--eval", ""],
    version: [main, "--version"],
    help: [main, "--help"],
    export: [main, ...words],
  };
  const used = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const [name, args] of Object.entries(commands)) {
      rmSync(output, { recursive: true, force: true });
      const { cpuSeconds } = await runMeasured(args, { cwd: root });
      used[name].push(1000 * cpuSeconds);
    }
  }
  printMachine(`ms of processor time beyond an empty Node, ${rows} rows, ${runs} runs`);
  const printRow = openTable(["command", "median:", "best run:", "bound:"]);
  const beyond = (name, choose) => choose(used[name]) - choose(used.empty);
  const best = (values) => Math.min(...values);
  for (const [name, boundMs] of Object.entries(boundsMs)) {
    printRow([name, whole(beyond(name, median)), whole(beyond(name, best)), whole(boundMs)]);
  }
  const slow = Object.keys(boundsMs).filter((name) => beyond(name, median) > boundsMs[name]);
  if (guard && slow.length > 0) throw new Error(`above the bound: ${slow.join(", ")}`);
}

/** Runs a command in a directory without a configuration file. */
async function run(args) {
  const startedMs = performance.timeOrigin + performance.now();
  const child = spawn(process.execPath, args.map(String), {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise((done, fail) => {
    child.on("error", fail);
    child.on("exit", done);
  });
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
  return { startedMs, durationMs: performance.timeOrigin + performance.now() - startedMs };
}

function filesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)));
}
