// npm run bench:queue: many machines, simulated. Coordinator and workers are real, on this machine; the workers'
// transform module waits as long as a split takes. And the overhead of a queue on real splits.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { benchDirectory, log, openTable, printMachine, readOptions } from "./command.mjs";
import { makeInputs } from "./export/inputs.mjs";
import { figures, median, percent, whole } from "./figures.mjs";
import { runMeasured } from "./measured-process.mjs";
import {
  SPLIT_BYTES,
  startRedis,
  startWorker,
  writeObjects,
  writeTimedRows,
} from "./queue/parts.mjs";

const SLOW_MACHINE = 2;

const main = fileURLToPath(new URL("../dist/switchyard.js", import.meta.url));
const transform = fileURLToPath(new URL("queue/wait-in-split.mjs", import.meta.url));

const options = readOptions("npm run bench:queue", {
  measures: {
    type: "list",
    choices: ["schedule", "objects", "overhead"],
    default: "schedule,objects,overhead",
    help: "what to measure",
  },
  machines: { type: "count", default: "20", help: "machines; the first is half as fast" },
  threads: { type: "count", default: "16", help: "threads of each machine" },
  splits: { type: "count", default: "4096", help: "splits" },
  milliseconds: { type: "count", default: "56000", help: "time of a split" },
  speedup: { type: "count", default: "10", help: "simulated seconds in a second" },
  objects: { type: "count", default: "1000000", help: "small objects to plan and read" },
  rows: { type: "count", default: "500000", help: "rows of NDJSON for the overhead" },
  runs: { type: "count", default: "3", help: "runs for the overhead, of which the median counts" },
});

mkdirSync(benchDirectory, { recursive: true });
const root = mkdtempSync(join(benchDirectory, "queue-"));
const measures = { schedule: measureSchedule, objects: measureObjects, overhead: measureOverhead };
try {
  printMachine("a queue, simulated");
  for (const measure of options.measures) await measures[measure]();
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measureSchedule() {
  const { machines, threads, splits, milliseconds, speedup } = options;
  const [input, logFile] = [join(root, "timed.jsonl"), join(root, "log")];
  writeTimedRows(input, splits, milliseconds / speedup);
  const slowdowns = Array.from({ length: machines }, (_, index) =>
    index === 0 ? SLOW_MACHINE : 1,
  );
  const envs = slowdowns.map((slowdown) => ({ BENCH_LOG: logFile, BENCH_SLOWDOWN: `${slowdown}` }));
  const words = ["--split-size", `${SPLIT_BYTES}`, "--transform", transform];
  const cost = await coordinate(input, words, { envs, threads });
  const read = readFileSync(logFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const facts = scheduleOf(read);
  const times = (ms) => `${((ms * speedup) / 1000).toFixed(1)} s`;
  const printRow = openTable(["schedule", "value:"]);
  printRow(["machines × threads, splits", `${machines} × ${threads}, ${read.length}`]);
  printRow(["threads that read at the same time", facts.threads]);
  printRow(["simulated seconds in a second", speedup]);
  printRow(["start of the threads, not simulated", `${(facts.startMs / 1000).toFixed(1)} s`]);
  printRow(["from the start of the last thread to the last split", times(facts.readMs)]);
  printRow(["of that, after the first thread had no more work", times(facts.tailMs)]);
  printRow(["threads at work until then", percent(facts.busyShare)]);
  printRow(["between two splits of a thread, not simulated, median", `${whole(facts.gapMs)} ms`]);
  printCost(printRow, cost);
}

/** Figures of what threads read. Before the last of them has begun, this machine starts threads. */
function scheduleOf(read) {
  const byThread = new Map(read.map(({ thread }) => [thread, []]));
  for (const one of read) byThread.get(one.thread).push(one);
  const threads = [...byThread.values()];
  const firstMs = Math.min(...read.map(({ startMs }) => startMs));
  const begunMs = Math.max(...threads.map(([first]) => first.startMs));
  const endMs = Math.max(...read.map(({ endMs }) => endMs));
  const freeMs = Math.min(...threads.map((all) => all.at(-1).endMs));
  const gaps = threads.flatMap((all) =>
    all.slice(1).map(({ startMs }, index) => startMs - all[index].endMs),
  );
  const busyMs = read.reduce(
    (sum, one) => sum + Math.max(0, Math.min(one.endMs, freeMs) - Math.max(one.startMs, begunMs)),
    0,
  );
  return {
    threads: threads.length,
    startMs: begunMs - firstMs,
    readMs: endMs - begunMs,
    tailMs: endMs - freeMs,
    busyShare: busyMs / (threads.length * (freeMs - begunMs)),
    gapMs: median(gaps),
  };
}

async function measureObjects() {
  const { objects } = options;
  log(`writing ${whole(objects)} objects, once`);
  const input = join(benchDirectory, `objects-${objects}`);
  writeObjects(input, objects);
  const cost = await coordinate(input, ["--split-size", `${SPLIT_BYTES}`], {
    envs: [{}, {}],
    threads: 1,
  });
  const printRow = openTable(["objects", "value:"]);
  printRow(["objects", whole(objects)]);
  printCost(printRow, cost);
}

async function measureOverhead() {
  const { rows, runs } = options;
  const { ndjson: input } = await makeInputs(benchDirectory, rows, ["ndjson"]);
  const printRow = openTable(["split size", "splits:", "one process s:", "queue s:"]);
  const more = [];
  for (const size of ["1MiB", "16MiB"]) {
    const words = ["--split-size", size];
    const results = [];
    for (let run = 0; run < runs; run++) {
      const { seconds } = await runMeasured([...exportWords(input), ...words, "--threads", "2"]);
      const queue = await coordinate(input, words, { envs: [{}, {}], threads: 1 });
      results.push({ one: seconds, queue: queue.seconds, splits: queue.splits });
    }
    const [one, queue] = ["one", "queue"].map((key) => median(figures(results, key)));
    const [{ splits }] = results;
    printRow([size, splits, one.toFixed(2), queue.toFixed(2)]);
    more.push({ splits, seconds: queue - one });
  }
  const [many, few] = more;
  const split = (many.seconds - few.seconds) / (many.splits - few.splits);
  const run = few.seconds - split * few.splits;
  console.log(
    `\nA queue costs ${(2_000 * split).toFixed(1)} ms of a thread for each split, and ${run.toFixed(2)} s for a run.`,
  );
}

/** Exports with a worker for each environment; what it cost, once all workers wait. */
async function coordinate(input, words, { envs, threads }) {
  const redis = await startRedis(join(root, "redis"));
  const start = (env) => startWorker(main, redis.url, { threads, env, cwd: root });
  const stops = await Promise.all(envs.map(start));
  const cost = await runMeasured([...exportWords(input), ...words, "--queue", redis.url]);
  await Promise.all(stops.map((stop) => stop()));
  const records = readdirSync(join(root, "out", "_switchyard", "splits"));
  const splits = records.filter((name) => /^\d+\.json$/.test(name)).length;
  return { ...cost, splits, redisMb: await redis.stop() };
}

function exportWords(input) {
  const output = join(root, "out");
  rmSync(output, { recursive: true, force: true });
  return [main, "export", input, "--to", output, "--quiet"];
}

function printCost(printRow, { seconds, cpuSeconds, peakMb, redisMb }) {
  printRow(["coordinator, from start to end", `${seconds.toFixed(1)} s`]);
  printRow(["coordinator, CPU", `${cpuSeconds.toFixed(1)} s`]);
  printRow(["coordinator, peak memory", `${whole(peakMb)} MB`]);
  printRow(["Redis, peak memory above an empty one", `${redisMb.toFixed(1)} MB`]);
  console.log("");
}
