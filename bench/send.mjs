// npm run bench:send: `switchyard send` against autocannon, on a server that answers at once and on our
// own service, with one event per request and with arrays. Prints numbers and judges none.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "./measure.mjs";
import { runAutocannon, runSend } from "./send/contenders.mjs";
import { useProcessor } from "./send/processors.mjs";
import { writeRows } from "./send/rows.mjs";
import { startInstant, startService } from "./send/servers.mjs";

const usage = `npm run bench:send -- [options]
  --events <n>       events of a run with one per request; arrays: twice as many, single ones to our
                     service: a fifth of it (default 500000)
  --runs <n>         runs of each measure, of which the median counts (default 3)
  --connections <n>  requests under way (default 32)
  --batch-size <n>   events of an array (default 500)
  --only <list>      of instant,instant-arrays,service,service-arrays,memory (default all)`;

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "500000" },
    runs: { type: "string", default: "3" },
    connections: { type: "string", default: "32" },
    "batch-size": { type: "string", default: "500" },
    only: { type: "string", default: "instant,instant-arrays,service,service-arrays,memory" },
    help: { type: "boolean", default: false },
  },
});
const events = Number(values.events);
const runs = Number(values.runs);
const connections = Number(values.connections);
const single = { events, batchSize: 1, connections };
const arrays = { events: events * 2, batchSize: Number(values["batch-size"]), connections };
const slow = { ...single, events: Math.ceil(events / 5) };
const log = (text) => process.stderr.write(`${text}\n`);

const plain = { name: ": autocannon", isKeyed: false };
/** What a key costs is the service's to pay; a server that answers at once looks at none. */
const keyed = { name: ": autocannon, a key in each request", isKeyed: true };
const measures = {
  instant: (root) => compare(root, startInstant, single, [plain], "≥ 70 %"),
  // No rival: one body sent again and again, which nobody looks at, costs nothing.
  "instant-arrays": (root) => compare(root, startInstant, arrays, [], ""),
  service: (root) => compare(root, startService, slow, [plain, keyed], "≥ 80 %"),
  "service-arrays": (root) => compare(root, startService, arrays, [plain, keyed], "≥ 80 %"),
  memory: measureMemory,
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
  const bench = fileURLToPath(new URL("../.bench", import.meta.url));
  mkdirSync(bench, { recursive: true });
  const root = mkdtempSync(join(bench, "send-"));
  try {
    printMachine(useProcessor(0));
    console.log(
      "| measure | events/s | best run | send reaches | CPU per event | peak MB | goal |",
    );
    console.log("|---|---:|---:|---:|---:|---:|---|");
    for (const name of wanted) {
      log(name);
      for (const row of await measures[name](root)) {
        console.log(`| ${[`${name}${row[0]}`, ...row.slice(1)].join(" | ")} |`);
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** In turns, each on a server of its own, so that a slow minute of the machine hits them all. */
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
  const rates = ours.map(({ perSecond }) => perSecond);
  const cells = rivals.map(({ name }, index) => {
    const list = theirs[index];
    return [name, ...rateCells(list), share(rates, list), "", "", goal];
  });
  const microseconds = median(ours.map(({ cpuMicroseconds }) => cpuMicroseconds));
  const peakMb = median(ours.map((one) => one.peakMb));
  const cost = [`${microseconds.toFixed(1)} µs`, show(peakMb), ""];
  return [...cells, [": send", ...rateCells(rates), "", ...cost]];
}

function rateCells(rates) {
  return [show(median(rates)), show(Math.max(...rates))];
}

/** Median of the shares within a turn. */
function share(rates, rivals) {
  return `${show(100 * median(rates.map((rate, run) => rate / rivals[run])))} %`;
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
    lines.push([
      `: ${show(count)} events`,
      show(perSecond),
      "",
      "",
      cpu,
      show(peakMb),
      "as before",
    ]);
  }
  return lines;
}

/** One server from its start to its stop, and what is started meanwhile on another processor. */
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

function show(value) {
  return Math.round(value).toLocaleString("en-US");
}

function printMachine(isPinned) {
  const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
  const [processor] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const where = isPinned ? "server and sender on one processor each" : "processors not assigned";
  console.log(`median of ${runs} runs, ${connections} connections, ${where}`);
  console.log(
    `${new Date().toISOString().slice(0, 10)}; ${cpus().length} × ${processor?.model ?? "unknown"}, ${memory}, ${type()} ${release()}`,
  );
  console.log(`Node ${process.versions.node}, Switchyard ${own}`);
  console.log(`Load of the machine at the start: ${loadavg()[0].toFixed(1)}\n`);
}
