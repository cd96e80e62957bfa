import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const KILLS = 50;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

const scratch = scratchDirectory("kill");
const input = join(scratch, "rows.jsonl");
let undisturbedMs = 0;
let undisturbed: Record<string, string>;

function exportTo(output: string): string[] {
  return [
    ...["export", input, "--to", output, "--format", "jsonl", "--split-size", "256KiB"],
    ...["--threads", "2", "--max-rejects", "1%", "--quiet"],
  ];
}

beforeAll(async () => {
  writeAmplitudeRows(input, 40_000, 5);
  const output = join(scratch, "undisturbed");
  const start = performance.now();
  const result = await runSwitchyard(exportTo(output));
  undisturbedMs = performance.now() - start;
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  undisturbed = digestExport(output);
  expect(Object.keys(undisturbed).length).toBeGreaterThan(100);
});

it(`survives ${KILLS} kills at random moments, seed ${seed}, with the bytes of a quiet run`, async () => {
  console.info(`KILL_SEED=${seed} repeats these kills as far as the machine's timing allows`);
  const random = createRandom(seed);
  const output = join(scratch, "killed");
  let kills = 0;
  let rounds = 0;
  while (kills < KILLS) {
    rmSync(output, { recursive: true, force: true });
    let finished = false;
    while (!finished) {
      finished = await runOrKill(output, random() * undisturbedMs);
      if (!finished) kills++;
    }
    rounds++;
    expect(digestExport(output), `round ${rounds}, after ${kills} kills`).toEqual(undisturbed);
  }
}, 300_000);

/** True when the run came to its end before the kill did. */
async function runOrKill(output: string, afterMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const result = await runSwitchyard(exportTo(output), {
    started: (child) => {
      timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    },
  });
  clearTimeout(timer);
  if (result.signal === "SIGKILL") return false;
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return true;
}
