import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { isCi, someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const KILLS = isCi ? 5 : 1;
const ROWS = isCi ? 40_000 : 16_000;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

const scratch = scratchDirectory("kill");
const inOrder = join(scratch, "rows-45.jsonl");

/** `options` is a value of `--compact`, or of it and `--layout`. */
function exportTo(output: string, input: string, format: string, options: string): string[] {
  const [compact = "", layout = "{day}"] = options.split(" ");
  return [
    "export",
    input,
    "--to",
    output,
    "--format",
    format,
    "--split-size",
    // Some days in a split, and as many splits of fewer rows.
    splitSize(input === inOrder ? 1_024 : 256),
    "--compact",
    compact,
    "--layout",
    layout,
    "--threads",
    "2",
    "--max-rejects",
    "1%",
    "--quiet",
  ];
}

function splitSize(kib: number): string {
  return `${isCi ? kib : kib / 2}KiB`;
}

/** An input, and the output of an undisturbed run. */
async function prepare(days: number, format: string, compact: string) {
  const input = join(scratch, `rows-${days}.jsonl`);
  writeAmplitudeRows(input, ROWS, days);
  if (input === inOrder) sortByTime(input);
  const output = join(scratch, `undisturbed-${format}-${days}-${compact}`);
  const start = performance.now();
  const result = await runSwitchyard(exportTo(output, input, format, compact));
  const undisturbedMs = performance.now() - start;
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return { input, undisturbedMs, undisturbed: digestExport(output) };
}

// Unsorted rows of 40 days are spilled and then merged; small parts are joined with `auto`. Many
// of 45 days in order have one small part, which is not joined but moved.
const shapes = [
  { days: 5, format: "jsonl", compact: "never", filesMin: 100, killsMin: Math.round(KILLS / 2) },
  { days: 5, format: "parquet", compact: "auto", filesMin: 40, killsMin: KILLS },
  { days: 45, format: "parquet", compact: "auto", filesMin: 45, killsMin: KILLS },
  { days: 40, format: "jsonl", compact: "auto", filesMin: 50, killsMin: KILLS },
  { days: 40, format: "arrow", compact: "always", filesMin: 50, killsMin: Math.ceil(KILLS / 3) },
  // Parts of 13 events are staged; those of 65 directories are spilled.
  { days: 1, format: "csv", compact: "auto {day}/event={event}", filesMin: 13, killsMin: KILLS },
  { days: 5, format: "jsonl", compact: "auto {day}/event={event}", filesMin: 65, killsMin: KILLS },
];

it.each(someOf(shapes, 7))(
  `survives $killsMin kills at random moments over $days days of $format with --compact $compact, seed ${seed}, with the bytes of an undisturbed run`,
  async ({ days, format, compact, filesMin, killsMin }) => {
    console.info(`KILL_SEED=${seed} repeats these kills as far as the machine's timing allows`);
    const { input, undisturbedMs, undisturbed } = await prepare(days, format, compact);
    expect(Object.keys(undisturbed).length).toBeGreaterThan(filesMin);
    const random = createRandom(seed);
    const output = join(scratch, `killed-${format}-${days}-${compact}`);
    let kills = 0;
    let rounds = 0;
    while (kills < killsMin) {
      rmSync(output, { recursive: true, force: true });
      let finished = false;
      while (!finished) {
        // The run after the last kill comes to its end.
        const afterMs = kills < killsMin ? random() * undisturbedMs : undefined;
        finished = await runOrKill(exportTo(output, input, format, compact), afterMs);
        if (!finished) kills++;
      }
      rounds++;
      expect(digestExport(output), `round ${rounds}, after ${kills} kills`).toEqual(undisturbed);
    }
  },
  600_000,
);

it("removes what killed runs left in the temporary directory", async () => {
  const temporary = join(scratch, "temporary");
  mkdirSync(temporary);
  const input = join(scratch, "rows.jsonl");
  writeAmplitudeRows(input, ROWS, 5);
  const env = { TMPDIR: temporary };
  const own = () => readdirSync(temporary).filter((name) => name.startsWith("switchyard-"));
  const args = ["validate", input, "--report", join(scratch, "report"), "--quiet"];
  const { signal } = await runSwitchyard(args, {
    env,
    started: (child) => {
      const watch = setInterval(() => own().length > 0 && child.kill("SIGKILL"), 1);
      child.once("exit", () => clearInterval(watch));
    },
  });
  expect([signal, own().length]).toEqual(["SIGKILL", 1]);
  await runSwitchyard(args, { env });
  expect(own()).toEqual([]);
});

function sortByTime(file: string): void {
  const timeOf = (line: string) => /"event_time":"([^"]*)"/.exec(line)?.[1] ?? "";
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const timed = lines.map((line) => [timeOf(line), line] as const);
  timed.sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(file, `${timed.map(([, line]) => line).join("\n")}\n`);
}

/** True when the run came to its end before the kill did. */
async function runOrKill(args: readonly string[], afterMs?: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const result = await runSwitchyard(args, {
    started: (child) => {
      if (afterMs !== undefined) timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
    },
  });
  clearTimeout(timer);
  if (result.signal === "SIGKILL") return false;
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return true;
}
