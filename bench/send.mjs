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
  --events <n>       events of a run with one per request; arrays: five times as many (default 100000)
  --runs <n>         runs of each measure, of which the median counts (default 3)
  --connections <n>  requests under way (default 32)
  --batch-size <n>   events of an array (default 500)
  --only <list>      of instant,instant-arrays,service,service-arrays,memory (default all)`;

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "100000" },
    runs: { type: "string", default: "3" },
    connections: { type: "string", default: "32" },
    "batch-size": { type: "string", default: "500" },
    only: { type: "string", default: "instant,instant-arrays,service,service-arrays,memory" },
    help: { type: "boolean", default: false },
  },
});
const ARRAY_FACTOR = 5;
const events = Number(values.events);
const runs = Number(values.runs);
const connections = Number(values.connections);
const single = { events, batchSize: 1, connections };
const arrays = {
  events: events * ARRAY_FACTOR,
  batchSize: Number(values["batch-size"]),
  connections,
};
const log = (text) => process.stderr.write(`${text}\n`);

const measures = {
  instant: (root) => compare(root, startInstant, single, "≥ 70 %"),
  "instant-arrays": (root) => compare(root, startInstant, arrays, ""),
  service: (root) => compare(root, startService, single, "≥ 80 %"),
  "service-arrays": (root) => compare(root, startService, arrays, "≥ 80 %"),
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
      "| measure | events/s | best run | of autocannon | CPU per event | peak MB | goal |",
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

/** In turns, each on a server of its own, so that a slow minute of the machine hits both. */
async function compare(root, start, options, goal) {
  const rows = join(root, "rows.jsonl");
  writeRows(rows, options.events);
  const [ours, theirs] = [[], []];
  for (let run = 0; run < runs; run++) {
    theirs.push(await during(root, start, (url) => runAutocannon(url, options)));
    ours.push(await during(root, start, (url) => runSend(url, rows, options)));
  }
  const rates = ours.map(({ perSecond }) => perSecond);
  const shares = rates.map((rate, run) => rate / theirs[run]);
  const microseconds = median(ours.map(({ cpuMicroseconds }) => cpuMicroseconds));
  return [
    [": autocannon", show(median(theirs)), show(Math.max(...theirs)), "", "", "", ""],
    [
      ": send",
      show(median(rates)),
      show(Math.max(...rates)),
      `${show(100 * median(shares))} %`,
      `${microseconds.toFixed(1)} µs`,
      show(median(ours.map(({ peakMb }) => peakMb))),
      goal,
    ],
  ];
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
