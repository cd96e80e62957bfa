// npm run bench:service: the service under load from another process, each figure beside its goal.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundleScripts } from "../scripts/bundle-scripts.mjs";
import { benchDirectory, log, openTable, printMachine, readOptions } from "./command.mjs";
import { figures, median, percent } from "./figures.mjs";
import { listGates, lists } from "./service/lists.mjs";
import {
  evaluateGates,
  makeGates,
  memoryOverEvents,
  patchGates,
  postArrays,
  postNothing,
  postSingle,
  readGates,
  startToReady,
} from "./service/measures.mjs";
import { loadMixed } from "./service/mixed.mjs";
import { gatesPath } from "./service/requests.mjs";
import { compareGroups } from "./service/results.mjs";

const options = readOptions("npm run bench:service", {
  runs: { type: "count", default: "3", help: "runs of each, of which the median counts" },
  seconds: {
    type: "count",
    default: "5",
    help: "seconds of load in each run, after two to warm up",
  },
  connections: { type: "count", default: "64", help: "connections of single posts and of patches" },
  gates: { type: "count", default: "100000", help: "gates to read among" },
  events: {
    type: "count",
    default: "1000000",
    help: "events of the memory measure; the first figure is at a tenth",
  },
  only: {
    type: "list",
    choices: [
      "single",
      "arrays",
      "patch",
      "evaluate",
      "read",
      "lists",
      "results",
      "mixed",
      "memory",
      "start",
    ],
    default: "single,arrays,patch,evaluate,read,lists,results,mixed,memory,start",
    help: "what to measure",
  },
});
const { runs } = options;

/** Gates that are evaluated, as many as a team has. */
const EVALUATED_GATES = 200;

const measures = {
  single: compareSingle,
  arrays: measureArrays,
  patch: measurePatches,
  evaluate: measureEvaluations,
  read: measureReads,
  lists: measureLists,
  results: measureResults,
  mixed: measureMixed,
  memory: measureMemory,
  start: measureStart,
};

const scripts = {
  empty: "bench/service/empty.mjs",
  "in-process": "bench/service/in-process.mjs",
  seed: "bench/service/seed.mjs",
};
await bundleScripts(scripts, "dist/.bench");
mkdirSync(benchDirectory, { recursive: true });
const root = mkdtempSync(join(benchDirectory, "service-"));
try {
  await measureAll(root);
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measureAll(root) {
  const { seconds, connections } = options;
  printMachine(`medians of ${runs} runs of ${seconds} s, ${connections} connections`);
  const printRow = openTable(["measure", "median:", "best run:", "p50 ms:", "p99 ms:", "goal"]);
  for (const name of options.only) {
    log(name);
    for (const row of await measures[name](join(root, name))) printRow(cellsOf(row));
  }
}

/** Runs both in turns, so that a slow minute of the machine hits both. */
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
      median: percent(median(ratios)),
      best: percent(Math.max(...ratios)),
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

async function measureEvaluations(directory) {
  const user = { userID: "u-1", email: "ann@example.com", custom: { plan: "pro" } };
  const questions = [
    {
      name: "one gate in a request, evaluations/s",
      path: "/v1/check_gate",
      each: 1,
      body: ([gateName]) => ({ gateName, user }),
    },
    {
      name: "ten gates in a request, evaluations/s",
      path: "/v1/check_gate",
      each: 10,
      body: (ids) => ({ gateNames: ids.slice(0, 10), user }),
    },
    {
      name: `all ${EVALUATED_GATES} gates in a request, evaluations/s`,
      path: "/ofrep/v1/evaluate/flags",
      each: EVALUATED_GATES,
      body: () => ({ context: { targetingKey: user.userID, email: user.email } }),
    },
  ];
  const { evaluateInProcess } = await import("../dist/.bench/in-process.js");
  // The first run warms up.
  evaluateInProcess(EVALUATED_GATES);
  const inProcess = await repeat(async () => evaluateInProcess(EVALUATED_GATES));
  const rows = [rateRow("in the process, evaluations/s of one core", inProcess, "≥ 500000")];
  for (const [index, question] of questions.entries()) {
    const results = await repeat((run) =>
      evaluateGates(`${directory}-${index}-${run}`, EVALUATED_GATES, question, options),
    );
    rows.push(rateRow(question.name, results, "≥ 20000"));
  }
  return rows;
}

async function measureReads(directory) {
  const count = options.gates;
  const id = await makeGates(directory, count);
  const middle = Math.ceil(count / 200);
  const times = await readGates(directory, {
    [`100 of ${count} gates, first page`]: `${gatesPath}?limit=100`,
    [`100 of ${count} gates, page ${middle}`]: `${gatesPath}?limit=100&page=${middle}`,
    [`references of one of ${count} gates`]: `${gatesPath}/${id}/gate_references`,
  });
  return Object.entries(times).map(([name, list]) => timeRow(`${name}, ms`, list, "< 10"));
}

/** The time of a list, and what a request to /healthz waits meanwhile. */
async function measureLists(directory) {
  const count = options.gates;
  await makeGates(directory, count);
  const rows = [];
  for (const { name, times, waits } of await listGates(directory, lists)) {
    rows.push(timeRow(`${name} of ${count} gates, ms`, times, ""));
    rows.push(timeRow("  others wait meanwhile, ms", waits, "p99 < 20"));
  }
  return rows;
}

async function measureResults(directory) {
  const { times, waits, addedMb } = await compareGroups(directory, options.events);
  return [
    timeRow(`results of an experiment over ${options.events} events, ms`, times, ""),
    timeRow("  others wait meanwhile, ms", waits, "p99 < 20"),
    { name: "  memory that it adds, MB", median: addedMb.toFixed(0) },
  ];
}

/** Rates are fixed, so only the latencies are figures. */
async function measureMixed(directory) {
  const results = await repeat((run) => loadMixed(`${directory}-${run}`, options));
  return results[0].map(({ name }, index) =>
    rateRow(
      `mixed: ${name}`,
      results.map((one) => one[index]),
      "",
    ),
  );
}

function timeRow(name, list, goal) {
  const sorted = list.toSorted((left, right) => left - right);
  const milliseconds = (part) => sorted[Math.floor((sorted.length - 1) * part)].toFixed(1);
  const best = milliseconds(0);
  return {
    name,
    median: milliseconds(0.5),
    best,
    p50: milliseconds(0.5),
    p99: milliseconds(0.99),
    goal,
  };
}

async function measureMemory(directory) {
  const totals = [options.events / 10, options.events];
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
  return {
    name,
    median: Math.round(median(figures(results, "perSecond"))),
    best: Math.round(Math.max(...figures(results, "perSecond"))),
    ...(results[0].p50 !== undefined && {
      p50: median(figures(results, "p50")),
      p99: median(figures(results, "p99")),
    }),
    goal,
  };
}

function cellsOf({ name, median: middle, best = "", p50 = "", p99 = "", goal = "" }) {
  return [name, middle, best, p50, p99, goal];
}
