// Our export against rivals doing the same work, in turns, each in its own process.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, log, openTable, printMachine } from "../command.mjs";
import { figures, median, whole } from "../figures.mjs";
import { expectSame, summarize } from "./agreement.mjs";
import { contendersOf, kinds, runContender } from "./contenders.mjs";
import { bytesIn, makeInputs } from "./inputs.mjs";
import { printProfile } from "./profile.mjs";
import { optionalVersions } from "./rivals.mjs";

const columns = [
  "input",
  "MB:",
  "contender",
  "rows/s:",
  "best run:",
  "MB/s:",
  "CPU s:",
  "peak MB:",
  "ratio:",
  "CPU ratio:",
];

export async function compareSpeed(options) {
  const { rows, runs, threads, only, kinds: wanted } = options;
  const inputs = await makeInputs(
    benchDirectory,
    rows,
    wanted.map((kind) => kinds[kind].shape),
  );
  printMachine(`${whole(rows)} rows, ${threads} threads, medians of ${runs} runs`, {
    DuckDB: "@duckdb/node-api",
  });
  console.log(`${optionalVersions().join(", ")}\n`);
  const printRow = openTable(columns);
  for (const kind of wanted) {
    const input = inputs[kinds[kind].shape];
    const names = only === undefined ? contendersOf(kind) : [only];
    const megabytes = bytesIn(input) / 1e6;
    const results = await runInTurns(names, { kind, input, runs, threads });
    for (const row of rowsOf(results, kind, megabytes, rows)) printRow(row);
    if (names.length > 1) await expectAgreement(kind, names);
    for (const name of names) rmSync(outputOf(name), { recursive: true, force: true });
  }
  if (!options.profile) return;
  for (const kind of wanted) {
    const output = outputOf("switchyard");
    await printProfile({ kind, input: inputs[kinds[kind].shape], output, threads });
    rmSync(output, { recursive: true, force: true });
  }
}

/** The contenders alternate, so that a slow minute of the machine hits both. */
async function runInTurns(names, { kind, input, runs, threads }) {
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const name of names) {
      const result = await runContender(name, { kind, input, output: outputOf(name), threads });
      results[name].push(result);
      log(`${kind} ${name}: ${result.seconds.toFixed(2)} s, CPU ${result.cpuSeconds.toFixed(2)} s`);
    }
  }
  return results;
}

/** Ratios: what a rival took, divided by what we took. */
function rowsOf(results, kind, megabytes, rows) {
  const middle = (name, key) => median(figures(results[name], key));
  const ratio = (name, key) =>
    name === "switchyard" || results.switchyard === undefined
      ? ""
      : (middle(name, key) / middle("switchyard", key)).toFixed(2);
  return Object.entries(results).map(([name, list]) => {
    const seconds = middle(name, "seconds");
    return [
      kind,
      whole(megabytes),
      name,
      whole(rows / seconds),
      whole(rows / Math.min(...figures(list, "seconds"))),
      whole(megabytes / seconds),
      middle(name, "cpuSeconds").toFixed(2),
      whole(Math.max(...figures(list, "peakMb"))),
      ratio(name, "seconds"),
      ratio(name, "cpuSeconds"),
    ];
  });
}

/** Compares the outputs that the last runs have left. */
async function expectAgreement(kind, [first, ...rivals]) {
  const ours = await summarize(kind, outputOf(first));
  for (const rival of rivals) expectSame(kind, ours, await summarize(kind, outputOf(rival)));
  log(`${kind}: the results agree: ${ours.rows} rows, ${ours.days} days`);
}

function outputOf(name) {
  return join(benchDirectory, `out-${name}`);
}
