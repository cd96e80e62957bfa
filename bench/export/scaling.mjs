// Two threads against one: of the whole process, and without the start-up that no thread shortens.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, log, openTable, printMachine } from "../command.mjs";
import { figures, median, whole } from "../figures.mjs";
import { kinds, runContender } from "./contenders.mjs";
import { makeInputs } from "./inputs.mjs";

/** An export of this few rows consists of start-up and end only. */
const FEW_ROWS = 250;

const columns = ["input", "threads:", "rows/s:", "seconds:", "CPU s:", "start-up s:", "peak MB:"];

/** Medians in turns, so that a slow minute of the machine hits all. */
export async function compareThreads({ rows, runs, threads, kinds: wanted }) {
  const shapes = wanted.map((kind) => kinds[kind].shape);
  const inputs = await makeInputs(benchDirectory, rows, shapes);
  const few = await makeInputs(benchDirectory, FEW_ROWS, shapes);
  const counts = [1, threads];
  printMachine(`${whole(rows)} rows, medians of ${runs} runs; start-up: ${FEW_ROWS} rows`);
  const printRow = openTable([...columns, "whole:", "without start-up:"]);
  for (const kind of wanted) {
    const { shape } = kinds[kind];
    const results = counts.map(() => ({ whole: [], start: [] }));
    for (let run = 0; run < runs; run++) {
      for (const [index, count] of counts.entries()) {
        results[index].start.push(await exportOnce(kind, few[shape], count));
        results[index].whole.push(await exportOnce(kind, inputs[shape], count));
      }
    }
    const [one] = results;
    for (const [index, result] of results.entries()) {
      const ratios = index === 0 ? ["", ""] : speedups(one, result);
      printRow([kind, counts[index], ...cellsOf(result, rows), ...ratios]);
    }
  }
}

function cellsOf({ whole: runs, start }, rows) {
  const seconds = middle(runs, "seconds");
  return [
    whole(rows / seconds),
    seconds.toFixed(2),
    middle(runs, "cpuSeconds").toFixed(2),
    middle(start, "seconds").toFixed(2),
    whole(Math.max(...figures(runs, "peakMb"))),
  ];
}

/** Rates of the whole process, and without start-up. */
function speedups(one, several) {
  const seconds = ({ whole: runs }) => middle(runs, "seconds");
  const working = (result) => seconds(result) - middle(result.start, "seconds");
  return [seconds(one) / seconds(several), working(one) / working(several)].map((ratio) =>
    ratio.toFixed(2),
  );
}

function middle(results, key) {
  return median(figures(results, key));
}

async function exportOnce(kind, input, threads) {
  const output = join(benchDirectory, "out-switchyard");
  const result = await runContender("switchyard", { kind, input, output, threads });
  rmSync(output, { recursive: true, force: true });
  log(`${kind}, ${threads} threads: ${result.seconds.toFixed(2)} s`);
  return result;
}
