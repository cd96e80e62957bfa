// npm run bench:send: `switchyard send` against autocannon, on a server that answers at once and on our
// own service, with one event per request and with arrays.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, log, openTable, printMachine, readOptions } from "./command.mjs";
import { figures, median, percent, whole } from "./figures.mjs";
import { runAutocannon, runSend } from "./send/contenders.mjs";
import { useProcessor } from "./send/processors.mjs";
import { writeRows } from "./send/rows.mjs";
import { startInstant, startService } from "./send/servers.mjs";

const options = readOptions("npm run bench:send", {
  events: {
    type: "count",
    default: "500000",
    help: "events with one per request; in arrays twice as many, to our service a fifth",
  },
  runs: { type: "count", default: "3", help: "runs of each, of which the median counts" },
  connections: { type: "count", default: "32", help: "requests under way" },
  "batch-size": { type: "count", default: "500", help: "events of an array" },
  only: {
    type: "list",
    choices: ["instant", "instant-arrays", "service", "service-arrays", "memory"],
    default: "instant,instant-arrays,service,service-arrays,memory",
    help: "what to measure",
  },
});
const { events, runs, connections } = options;
const single = { events, batchSize: 1, connections };
const arrays = { events: events * 2, batchSize: options["batch-size"], connections };
const slow = { ...single, events: Math.ceil(events / 5) };

const plain = { name: ": autocannon", isKeyed: false };
/** A key costs the service time; a server that answers at once ignores it. */
const keyed = { name: ": autocannon, a key in each request", isKeyed: true };
const measures = {
  instant: (root) => compare(root, startInstant, single, [plain], "≥ 70 %"),
  // No rival: sending one body again and again to a server that ignores it costs nothing.
  "instant-arrays": (root) => compare(root, startInstant, arrays, [], ""),
  service: (root) => compare(root, startService, slow, [plain, keyed], "≥ 80 %"),
  "service-arrays": (root) => compare(root, startService, arrays, [plain, keyed], "≥ 80 %"),
  memory: measureMemory,
};

mkdirSync(benchDirectory, { recursive: true });
const root = mkdtempSync(join(benchDirectory, "send-"));
try {
  await measureAll(root);
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measureAll(root) {
  const where = useProcessor(0)
    ? "server and sender on one processor each"
    : "processors not assigned";
  printMachine(`medians of ${runs} runs, ${connections} connections, ${where}`);
  const printRow = openTable([
    "measure",
    "events/s:",
    "best run:",
    "send reaches:",
    "CPU per event:",
    "peak MB:",
    "goal",
  ]);
  for (const name of options.only) {
    log(name);
    for (const [what, ...cells] of await measures[name](root)) {
      printRow([`${name}${what}`, ...cells]);
    }
  }
}

/** Runs all in turns, each with a new server, so that a slow minute of the machine hits them all. */
async function compare(root, start, options, rivals, goal) {
  const rows = join(root, "rows.jsonl");
  writeRows(rows, options.events);
  const ours = [];
  const theirs = rivals.map(() => []);
  for (let run = 0; run < runs; run++) {
    for (const [index, { isKeyed }] of rivals.entries()) {
      const work = (url) => runAutocannon(url, options, isKeyed);
      theirs[index].push(await during(root, start, work));
    }
    ours.push(await during(root, start, (url) => runSend(url, rows, options)));
  }
  const rates = figures(ours, "perSecond");
  const cells = rivals.map(({ name }, index) => {
    const list = theirs[index];
    return [name, ...rateCells(list), share(rates, list), "", "", goal];
  });
  const microseconds = median(figures(ours, "cpuMicroseconds"));
  const cost = [`${microseconds.toFixed(1)} µs`, whole(median(figures(ours, "peakMb"))), ""];
  return [...cells, [": send", ...rateCells(rates), "", ...cost]];
}

function rateCells(rates) {
  return [whole(median(rates)), whole(Math.max(...rates))];
}

/** Median of the shares within a turn. */
function share(rates, rivals) {
  return percent(median(rates.map((rate, run) => rate / rivals[run])));
}

async function measureMemory(root) {
  const lines = [];
  for (const count of [events / 10, events]) {
    const rows = join(root, "rows.jsonl");
    writeRows(rows, count);
    const { perSecond, cpuMicroseconds, peakMb } = await during(root, startInstant, (url) =>
      runSend(url, rows, { ...single, events: count }),
    );
    const cpu = `${cpuMicroseconds.toFixed(1)} µs`;
    const cells = [whole(perSecond), "", "", cpu, whole(peakMb), "as before"];
    lines.push([`: ${whole(count)} events`, ...cells]);
  }
  return lines;
}

/** Runs a function with a server from its start to its stop, with the sender on another processor. */
async function during(root, start, work) {
  const directory = mkdtempSync(join(root, "data-"));
  useProcessor(0);
  const { url, stop } = await start(directory);
  useProcessor(1);
  try {
    return await work(url);
  } finally {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
