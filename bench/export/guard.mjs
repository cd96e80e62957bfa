// Guards against losing speed: this build against another one, in turns.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { benchDirectory, openTable, printMachine } from "../command.mjs";
import { figures, median, whole } from "../figures.mjs";
import { mainOf } from "./builds.mjs";
import { kinds, runContender } from "./contenders.mjs";
import { bytesIn, makeInputs } from "./inputs.mjs";

/** More processor time than this, times that of the other build, is a loss. */
const RATIO_MAX = 1.05;

/**
 * Prints seconds, processor time and memory of both. Sets exit code 1 if a line takes more than
 * `RATIO_MAX` of the other's processor time, in the median and in the best run: a busy machine spoils one of
 * them, seldom both.
 */
export async function guardSpeed({ guard, rows, runs, threads, kinds: wanted }) {
  const other = mainOf(guard);
  const shapes = wanted.map((kind) => kinds[kind].shape);
  const inputs = await makeInputs(benchDirectory, rows, shapes);
  printMachine(`against ${guard}: ${whole(rows)} rows, medians of ${runs} runs in turns`);
  const names = ["s", "CPU s", "peak MB"].flatMap((name) => [`${name} before:`, `${name} after:`]);
  const printRow = openTable(["line", "MB:", ...names, "CPU ratio:", "of best runs:"]);
  const losses = [];
  for (const kind of wanted) {
    const input = inputs[kinds[kind].shape];
    const { before, after } = await runInTurns(other, { kind, input, threads, runs });
    const pair = (key, choose) => [before, after].map((list) => choose(figures(list, key)));
    const best = (list) => Math.min(...list);
    const cells = [
      ...pair("seconds", median).map((value) => value.toFixed(2)),
      ...pair("cpuSeconds", median).map((value) => value.toFixed(2)),
      ...pair("peakMb", median).map(whole),
    ];
    const ratios = [median, best].map((choose) => {
      const [old, ours] = pair("cpuSeconds", choose);
      return ours / old;
    });
    printRow([kind, whole(bytesIn(input) / 1e6), ...cells, ...ratios.map((r) => r.toFixed(3))]);
    if (best(ratios) > RATIO_MAX) losses.push(kind);
  }
  if (losses.length === 0) return;
  console.error(`\nslower by more than 5 %: ${losses.join(", ")}`);
  process.exitCode = 1;
}

async function runInTurns(other, { kind, input, threads, runs }) {
  const output = join(benchDirectory, "out-guard");
  const results = { before: [], after: [] };
  for (let run = 0; run < runs; run++) {
    const sides = ["before", "after"];
    for (const side of run % 2 === 0 ? sides : sides.toReversed()) {
      const main = side === "before" ? other : undefined;
      results[side].push(await runContender("switchyard", { kind, input, output, threads, main }));
    }
  }
  rmSync(output, { recursive: true, force: true });
  return results;
}
