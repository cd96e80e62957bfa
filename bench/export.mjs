// npm run bench: our export against DuckDB doing the same work, in turns, each in its own process.
// Prints numbers and judges none.
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generate, kinds } from "./generate.mjs";
import { contenders, measure, median } from "./measure.mjs";

const usage = `npm run bench -- [options]
  --rows <n>         rows to generate (default 1000000)
  --runs <n>         runs of each, of which the median counts (default 3)
  --kinds <list>     of ${kinds.join(",")} (default all)
  --threads <n>      threads of each (default 2)
  --only <name>      ${Object.keys(contenders).join(" or ")}: leave the other out
  --size <size>      memory instead of speed: our export of 200MB and of this much NDJSON, as 2GB`;

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    runs: { type: "string", default: "3" },
    kinds: { type: "string", default: kinds.join(",") },
    threads: { type: "string", default: "2" },
    only: { type: "string" },
    size: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const root = fileURLToPath(new URL("../.bench", import.meta.url));
const log = (text) => process.stderr.write(`${text}\n`);
const names = values.only === undefined ? Object.keys(contenders) : [values.only];

if (values.help) console.log(usage);
else if (values.size !== undefined) await compareMemory(parseSize(values.size));
else await compareSpeed(Number(values.rows), Number(values.runs), values.kinds.split(","));

async function compareSpeed(rows, runs, wanted) {
  const unknown = wanted.filter((kind) => !kinds.includes(kind));
  if (unknown.length > 0) throw new Error(`unknown kinds: ${unknown.join(", ")}\n${usage}`);
  mkdirSync(root, { recursive: true });
  const inputs = await generate(root, rows, wanted, log);
  printMachine(`${rows} rows, ${values.threads} threads, median of ${runs} runs`);
  console.log("| input | MB | contender | rows/s | best run | MB/s | peak MB | ratio |");
  console.log("|---|---:|---|---:|---:|---:|---:|---:|");
  for (const kind of wanted) {
    const megabytes = bytesIn(inputs[kind]) / 1e6;
    const results = await runInTurns(kind, inputs[kind], runs);
    const [ours, theirs] = [results.switchyard, results.duckdb];
    for (const [name, { seconds, bestSeconds, peakMb }] of Object.entries(results)) {
      const ratio =
        name === "switchyard" && theirs ? (theirs.seconds / ours.seconds).toFixed(2) : "";
      const speeds = [seconds, bestSeconds].map((time) => Math.round(rows / time));
      const cells = [kind, megabytes.toFixed(0), name, ...speeds];
      console.log(
        `| ${[...cells, (megabytes / seconds).toFixed(0), peakMb.toFixed(0), ratio].join(" | ")} |`,
      );
    }
  }
}

/** The contenders alternate, so that a slow minute of the machine hits both. */
async function runInTurns(kind, input, runs) {
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const name of names) {
      const output = join(root, `out-${name}`);
      const args = contenders[name](kind, input, output, values.threads);
      samples[name].push(await measure(args, output, join(root, "peak")));
      log(`${kind} ${name}: ${samples[name].at(-1).seconds.toFixed(2)} s`);
    }
  }
  return Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      {
        seconds: median(list.map((sample) => sample.seconds)),
        bestSeconds: Math.min(...list.map((sample) => sample.seconds)),
        peakMb: Math.max(...list.map((sample) => sample.peakMb)),
      },
    ]),
  );
}

async function compareMemory(bytes) {
  mkdirSync(root, { recursive: true });
  const rowBytes = await measureRowBytes();
  printMachine(`peak memory of our export from NDJSON, ${values.threads} threads`);
  console.log("| input MB | peak MB | of the first |");
  console.log("|---:|---:|---:|");
  let first;
  for (const size of [200e6, bytes]) {
    const inputs = await generate(root, Math.round(size / rowBytes), ["ndjson"], log);
    const output = join(root, "out-switchyard");
    const args = contenders.switchyard("ndjson", inputs.ndjson, output, values.threads);
    const { peakMb } = await measure(args, output, join(root, "peak"));
    first ??= peakMb;
    const share = `${((100 * peakMb) / first).toFixed(0)} %`;
    console.log(
      `| ${(bytesIn(inputs.ndjson) / 1e6).toFixed(0)} | ${peakMb.toFixed(0)} | ${share} |`,
    );
  }
}

async function measureRowBytes() {
  const rows = 10_000;
  const inputs = await generate(root, rows, ["ndjson"], log);
  return bytesIn(inputs.ndjson) / rows;
}

function bytesIn(directory) {
  return readdirSync(directory).reduce(
    (sum, name) => sum + statSync(join(directory, name)).size,
    0,
  );
}

function parseSize(text) {
  const match = /^(\d+(?:\.\d+)?)(MB|GB)$/i.exec(text);
  if (match === null) throw new Error(`not a size: ${text}\n${usage}`);
  return Number(match[1]) * (match[2].toUpperCase() === "GB" ? 1e9 : 1e6);
}

function printMachine(what) {
  const require = createRequire(import.meta.url);
  const own = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;
  const rival = require("@duckdb/node-api/package.json").version;
  const [processor] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  console.log(`${what}; ${new Date().toISOString().slice(0, 10)}`);
  console.log(
    `${cpus().length} × ${processor?.model ?? "unknown"}, ${memory}, ${type()} ${release()}`,
  );
  console.log(`Node ${process.versions.node}, Switchyard ${own}, DuckDB ${rival}\n`);
}
