// Measures exports that leave repeated events out, beside a rival that does the same, and increments.
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, log, openTable, printMachine } from "../command.mjs";
import { figures, median, whole } from "../figures.mjs";
import { expectSame, summarize } from "./agreement.mjs";
import { dedupeContenders, kinds, runContender } from "./contenders.mjs";
import { makeInputs } from "./inputs.mjs";

const names = ["switchyard", ...Object.keys(dedupeContenders)];
const parquetKinds = ["ndjson", "ndjson-gz", "csv", "parquet"];
const outputOf = (name) => join(benchDirectory, `out-${name.replace(/\W+/g, "-")}`);

/** Exports rows of which one in twenty is repeated: all of them, each once, and with DuckDB's `QUALIFY`. */
export async function compareDedupe({ rows, runs, threads }) {
  const shapes = parquetKinds.map((kind) => kinds[kind].shape);
  const inputs = await makeInputs(benchDirectory, rows, shapes, { repeats: true });
  printMachine(
    `each event once, ${whole(rows)} rows, ${threads} threads, medians of ${runs} runs`,
    {
      DuckDB: "@duckdb/node-api",
    },
  );
  const printRow = openTable([
    "input",
    "contender",
    "s:",
    "CPU s:",
    "peak MB:",
    "of all rows:",
    "ratio:",
  ]);
  for (const kind of parquetKinds) {
    const results = Object.fromEntries(names.map((name) => [name, []]));
    for (let run = 0; run < runs; run++) {
      for (const name of names) {
        const input = inputs[kinds[kind].shape];
        results[name].push(
          await runContender(name, { kind, input, output: outputOf(name), threads }),
        );
        log(`${kind} ${name}: ${results[name].at(-1).seconds.toFixed(2)} s`);
      }
    }
    const seconds = (name) => median(figures(results[name], "seconds"));
    for (const name of names) {
      const isOurs = name === "switchyard --dedupe";
      printRow([
        kind,
        name,
        seconds(name).toFixed(2),
        median(figures(results[name], "cpuSeconds")).toFixed(2),
        whole(Math.max(...figures(results[name], "peakMb"))),
        isOurs ? (seconds(name) / seconds("switchyard")).toFixed(2) : "",
        isOurs ? (seconds("duckdb qualify") / seconds(name)).toFixed(2) : "",
      ]);
    }
    const [ours, theirs] = await Promise.all(
      Object.keys(dedupeContenders).map((name) => summarize(kind, outputOf(name))),
    );
    expectSame(kind, ours, theirs);
    for (const name of names) rmSync(outputOf(name), { recursive: true, force: true });
  }
}

/** An export of all hourly files but the last hundredth, then with them, then with nothing new. */
export async function compareIncrement({ rows, threads, runs }) {
  const { "ndjson-hourly-gz": all } = await makeInputs(benchDirectory, rows, ["ndjson-hourly-gz"]);
  const files = readdirSync(all).sort();
  const late = Math.ceil(files.length / 100);
  printMachine(
    `an increment, ${whole(rows)} rows in ${files.length} files, ${threads} threads, medians of ${runs} runs`,
  );
  const printRow = openTable(["run", "files:", "s:", "CPU s:", "peak MB:"]);
  const steps = {
    "all but one hundredth": -late,
    "the last hundredth": files.length,
    "nothing new": files.length,
  };
  const results = Object.fromEntries(Object.keys(steps).map((step) => [step, []]));
  const input = join(benchDirectory, "growing");
  const output = outputOf("switchyard");
  for (let run = 0; run < runs; run++) {
    rmSync(input, { recursive: true, force: true });
    mkdirSync(input, { recursive: true });
    rmSync(output, { recursive: true, force: true });
    for (const [step, end] of Object.entries(steps)) {
      for (const name of files.slice(0, end)) {
        if (!existsSync(join(input, name))) linkSync(join(all, name), join(input, name));
      }
      const kind = "ndjson-hourly-gz";
      results[step].push(
        await runContender("switchyard", { kind, input, output, threads, keeps: true }),
      );
    }
  }
  for (const [step, list] of Object.entries(results)) {
    printRow([
      step,
      whole(
        step === "all but one hundredth" ? files.length - late : step === "nothing new" ? 0 : late,
      ),
      median(figures(list, "seconds")).toFixed(2),
      median(figures(list, "cpuSeconds")).toFixed(2),
      whole(Math.max(...figures(list, "peakMb"))),
    ]);
  }
  for (const path of [input, output]) rmSync(path, { recursive: true, force: true });
}
