import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { isCi } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const KILLS = isCi ? 50 : 6;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

const scratch = scratchDirectory("kill");

function exportTo(output: string, input: string, format: string): string[] {
  return [
    "export",
    input,
    "--to",
    output,
    "--format",
    format,
    "--split-size",
    "256KiB",
    "--threads",
    "2",
    "--max-rejects",
    "1%",
    "--quiet",
  ];
}

/** An input, and the output of an undisturbed run. */
async function prepare(days: number, format: string) {
  const input = join(scratch, `rows-${days}.jsonl`);
  writeAmplitudeRows(input, 40_000, days);
  const output = join(scratch, `undisturbed-${format}-${days}`);
  const start = performance.now();
  const result = await runSwitchyard(exportTo(output, input, format));
  const undisturbedMs = performance.now() - start;
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return { input, undisturbedMs, undisturbed: digestExport(output) };
}

// Unsorted rows of 40 days are spilled and then merged.
it.each([
  { days: 5, format: "jsonl", filesMin: 100, killsMin: KILLS },
  { days: 40, format: "jsonl", filesMin: 70, killsMin: KILLS },
  { days: 40, format: "arrow", filesMin: 70, killsMin: Math.round(KILLS / 3) },
])(
  `survives $killsMin kills at random moments over $days days of $format, seed ${seed}, with the bytes of an undisturbed run`,
  async ({ days, format, filesMin, killsMin }) => {
    console.info(`KILL_SEED=${seed} repeats these kills as far as the machine's timing allows`);
    const { input, undisturbedMs, undisturbed } = await prepare(days, format);
    expect(Object.keys(undisturbed).length).toBeGreaterThan(filesMin);
    const random = createRandom(seed);
    const output = join(scratch, `killed-${format}-${days}`);
    let kills = 0;
    let rounds = 0;
    while (kills < killsMin) {
      rmSync(output, { recursive: true, force: true });
      let finished = false;
      while (!finished) {
        finished = await runOrKill(exportTo(output, input, format), random() * undisturbedMs);
        if (!finished) kills++;
      }
      rounds++;
      expect(digestExport(output), `round ${rounds}, after ${kills} kills`).toEqual(undisturbed);
    }
  },
  300_000,
);

/** True when the run came to its end before the kill did. */
async function runOrKill(args: readonly string[], afterMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const result = await runSwitchyard(args, {
    started: (child) => {
      timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    },
  });
  clearTimeout(timer);
  if (result.signal === "SIGKILL") return false;
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return true;
}
