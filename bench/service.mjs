// npm run bench:service: the service under load from another process, each figure beside its goal.
// Prints numbers and judges none.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "./measure.mjs";
import {
  makeGates,
  memoryOverEvents,
  patchGates,
  postArrays,
  postNothing,
  postSingle,
  readGates,
  startToReady,
} from "./service/measures.mjs";
import { gatesPath } from "./service/requests.mjs";

const usage = `npm run bench:service -- [options]
  --runs <n>         runs of each measure, of which the median counts (default 3)
  --seconds <n>      seconds of load in each run, after two to warm up (default 5)
  --connections <n>  connections of single posts and of patches (default 64)
  --gates <n>        gates to read among (default 100000)
  --events <n>       events of the memory measure; the first figure is at a tenth (default 1000000)
  --only <list>      of single,arrays,patch,read,memory,start (default all)`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
    gates: { type: "string", default: "100000" },
    events: { type: "string", default: "1000000" },
    only: { type: "string", default: "single,arrays,patch,read,memory,start" },
    help: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
const options = { seconds: Number(values.seconds), connections: Number(values.connections) };
const bench = fileURLToPath(new URL("../.bench", import.meta.url));
const log = (text) => process.stderr.write(`${text}\n`);

const measures = {
  single: compareSingle,
  arrays: measureArrays,
  patch: measurePatches,
  read: measureReads,
  memory: measureMemory,
  start: measureStart,
};

if (values.help) {
  console.log(usage);
} else {
  const wanted = values.only.split(",");
  const unknown = wanted.filter((name) => !(name in measures));
  if (unknown.length > 0) throw new Error(`unknown measures: ${unknown.join(", ")}\n${usage}`);
  await measureAll(wanted);
}

async function measureAll(wanted) {
  mkdirSync(bench, { recursive: true });
  const root = mkdtempSync(join(bench, "service-"));
  try {
    printMachine();
    console.log("| measure | median | best run | p50 ms | p99 ms | goal |");
    console.log("|---|---:|---:|---:|---:|---|");
    for (const name of wanted) {
      log(name);
      for (const row of await measures[name](join(root, name))) printRow(row);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** In turns, so that a slow minute of the machine hits both. */
async function compareSingle(directory) {
  const [ours, empty] = [[], []];
  for (let run = 0; run < runs; run++) {
    empty.push(await postNothing(options));
    ours.push(await postSingle(`${directory}-${run}`, options));
  }
  const ratios = ours.map(({ perSecond }, run) => perSecond / empty[run].perSecond);
  return [
    rateRow("single events, posts/s", ours, ""),
    rateRow("the same app, empty handler, posts/s", empty, ""),
    {
      name: "single events, of the empty handler",
      median: `${(100 * median(ratios)).toFixed(0)} %`,
      best: `${(100 * Math.max(...ratios)).toFixed(0)} %`,
      goal: "≥ 50 %",
    },
  ];
}

async function measureArrays(directory) {
  const rows = [];
  for (const [count, goal] of [
    [1_000, "≥ 100000"],
    [100, ""],
  ]) {
    const results = await repeat((run) =>
      postArrays(`${directory}-${count}-${run}`, count, options),
    );
    rows.push(rateRow(`arrays of ${count}, events/s`, results, goal));
  }
  return rows;
}

async function measurePatches(directory) {
  const rows = [];
  for (const gates of [options.connections, 1]) {
    const results = await repeat((run) =>
      patchGates(`${directory}-${gates}-${run}`, gates, options),
    );
    const what = gates === 1 ? "one gate" : `${gates} gates`;
    rows.push(rateRow(`patches of ${what}, patches/s`, results, "≥ 2000"));
  }
  return rows;
}

async function measureReads(directory) {
  const count = Number(values.gates);
  const id = await makeGates(directory, count);
  const middle = Math.ceil(count / 200);
  const times = await readGates(directory, {
    [`100 of ${count} gates, first page`]: `${gatesPath}?limit=100`,
    [`100 of ${count} gates, page ${middle}`]: `${gatesPath}?limit=100&page=${middle}`,
    [`references of one of ${count} gates`]: `${gatesPath}/${id}/gate_references`,
  });
  return Object.entries(times).map(([name, list]) => {
    const sorted = list.sort((left, right) => left - right);
    const milliseconds = (part) => sorted[Math.floor(sorted.length * part)].toFixed(1);
    return {
      name: `${name}, ms`,
      median: milliseconds(0.5),
      best: milliseconds(0),
      p50: milliseconds(0.5),
      p99: milliseconds(0.99),
      goal: "< 10",
    };
  });
}

async function measureMemory(directory) {
  const totals = [Number(values.events) / 10, Number(values.events)];
  const peaks = await memoryOverEvents(directory, totals);
  if (peaks.includes(undefined)) return [{ name: "peak memory", median: "no /proc here" }];
  return totals.map((total, index) => ({
    name: `peak memory over ${total} events, MB`,
    median: peaks[index].toFixed(0),
    goal: index === 0 ? "" : "as before",
  }));
}

async function measureStart(directory) {
  const empty = await repeat((run) => startToReady(`${directory}-${run}`));
  const again = await repeat((run) => startToReady(`${directory}-${run}`));
  return [
    ["start to ready, empty directory, ms", empty],
    ["start to ready, again, ms", again],
  ].map(([name, list]) => ({
    name,
    median: median(list).toFixed(0),
    best: Math.min(...list).toFixed(0),
    goal: "< 500",
  }));
}

async function repeat(measure) {
  const results = [];
  for (let run = 0; run < runs; run++) results.push(await measure(run));
  return results;
}

function rateRow(name, results, goal) {
  const figures = (key) => results.map((result) => result[key]);
  return {
    name,
    median: Math.round(median(figures("perSecond"))),
    best: Math.round(Math.max(...figures("perSecond"))),
    p50: median(figures("p50")),
    p99: median(figures("p99")),
    goal,
  };
}

function printRow({ name, median: middle, best = "", p50 = "", p99 = "", goal = "" }) {
  console.log(`| ${[name, middle, best, p50, p99, goal].join(" | ")} |`);
}

function printMachine() {
  const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
  const [processor] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const what = `median of ${runs} runs of ${options.seconds} s, ${options.connections} connections`;
  console.log(`${what}; ${new Date().toISOString().slice(0, 10)}`);
  console.log(
    `${cpus().length} × ${processor?.model ?? "unknown"}, ${memory}, ${type()} ${release()}`,
  );
  console.log(`Node ${process.versions.node}, Switchyard ${own}`);
  console.log(`Load of the machine at the start: ${loadavg()[0].toFixed(1)}\n`);
}
