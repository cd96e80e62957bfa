import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { amplitudeLines } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { isCi } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const BATCHES = 3;
const ROWS = 12_000;
const DAYS = 40;
const KILLS = isCi ? 6 : 1;
/** A slow machine would never reach the end of a run. */
const STOPS_OF_BATCH_MAX = 2;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

const scratch = scratchDirectory("epochs");

/** Adds a file whose rows are in no order, so that they are spilled and merged. */
function addBatch(inputs: string, batch: number): void {
  mkdirSync(inputs, { recursive: true });
  const name = `${String(batch).padStart(4, "0")}.jsonl`;
  const path = join(inputs, name);
  writeFileSync(path, amplitudeLines(batch * ROWS, ROWS, DAYS));
  // The manifest has it.
  utimesSync(path, batch, batch);
}

function exportArgs(inputs: string, output: string): string[] {
  const sizes = ["--split-size", "256KiB", "--threads", "2", "--max-rejects", "1%"];
  return ["export", inputs, "--to", output, "--format", "jsonl", ...sizes, "--quiet"];
}

async function exportQuietly(inputs: string, output: string): Promise<number> {
  const startedMs = performance.now();
  const result = await runInProcess(exportArgs(inputs, output));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return performance.now() - startedMs;
}

/** Returns the milliseconds after which a process of its own has worked for so long. */
function afterStart(workMs: number): number {
  return 150 + workMs;
}

/** Returns false if the signal ended the run before its end. */
async function runOrSignal(args: readonly string[], signal: NodeJS.Signals, afterMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const result = await runSwitchyard(args, {
    started: (child) => {
      timer = setTimeout(() => child.kill(signal), afterMs);
    },
  });
  clearTimeout(timer);
  return result.exitCode === 0;
}

/** Returns the rows of each day, sorted. */
function rowsByDay(output: string): Record<string, readonly string[]> {
  const days = readdirSync(join(output, "events")).sort();
  const rowsOf = (day: string) =>
    readdirSync(join(output, "events", day))
      .flatMap((name) => readFileSync(join(output, "events", day, name), "utf8").split("\n"))
      .filter((row) => row !== "")
      .sort();
  return Object.fromEntries(days.map((day) => [day, rowsOf(day)]));
}

longTest(
  `epochs that are stopped at random moments have the bytes of undisturbed ones, and the rows of one run (KILL_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const [inputs, quiet] = [join(scratch, "in"), join(scratch, "quiet")];
    const expected: Record<string, string>[] = [];
    let quietMs = 0;
    for (let batch = 0; batch < BATCHES; batch++) {
      addBatch(inputs, batch);
      quietMs = await exportQuietly(inputs, quiet);
      expected.push(digestExport(quiet));
    }
    const names = Object.keys(expected.at(-1) ?? {});
    expect(names.filter((name) => name.includes("part-e00002-merged"))).toHaveLength(DAYS);
    const once = join(scratch, "once");
    await exportQuietly(inputs, once);
    expect(rowsByDay(quiet)).toEqual(rowsByDay(once));
    expect(await runInProcess(["verify", quiet])).toMatchObject({ exitCode: 0 });

    for (let stops = 0; stops < KILLS; ) {
      const output = join(scratch, "stopped");
      for (const path of [inputs, output]) rmSync(path, { recursive: true, force: true });
      for (let batch = 0; batch < BATCHES; batch++) {
        addBatch(inputs, batch);
        const signal = random() < 0.3 ? "SIGINT" : "SIGKILL";
        for (let left = STOPS_OF_BATCH_MAX; left > 0; left--) {
          const stopMs = afterStart(random() * quietMs);
          if (await runOrSignal(exportArgs(inputs, output), signal, stopMs)) break;
          stops++;
        }
        await exportQuietly(inputs, output);
        expect(digestExport(output), `batch ${batch} after ${stops} stops`).toEqual(
          expected[batch],
        );
      }
    }
  },
  300_000,
);

it("inputs that come while an epoch is unfinished are read after it, each row once", async () => {
  const [inputs, output, once] = ["late-in", "late", "late-once"].map((name) =>
    join(scratch, name),
  ) as [string, string, string];
  const random = createRandom(seed);
  let batches = 0;
  for (let stops = 0; stops < KILLS; stops++) {
    addBatch(inputs, batches++);
    const signal = stops % 2 === 0 ? "SIGKILL" : "SIGINT";
    await runOrSignal(exportArgs(inputs, output), signal, afterStart(random() * 300));
  }
  await exportQuietly(inputs, output);
  await exportQuietly(inputs, once);
  expect(rowsByDay(output)).toEqual(rowsByDay(once));
  const manifest = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  expect(manifest).toMatchObject({ complete: true, totals: { rows: manifest.rows.delivered } });
  expect(await runInProcess(["verify", output])).toMatchObject({ exitCode: 0 });
  const writtenMs = statSync(join(output, "manifest.json")).mtimeMs;
  await exportQuietly(inputs, output);
  expect(statSync(join(output, "manifest.json")).mtimeMs).toBe(writtenMs);
}, 300_000);

it("an export whose inputs are all gone has nothing to do; inputs it never read are an error", async () => {
  const [inputs, output] = [join(scratch, "gone-in"), join(scratch, "gone")];
  addBatch(inputs, 0);
  await exportQuietly(inputs, output);
  const before = digestExport(output);
  const file = join(inputs, "0000.jsonl");
  rmSync(file);
  for (const input of [inputs, file]) {
    expect(await runInProcess(exportArgs(input, output))).toMatchObject({ exitCode: 0 });
  }
  for (const input of [`${inputs}-other`, join(inputs, "0001.jsonl")]) {
    const refused = await runInProcess(exportArgs(input, output));
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("input_not_found");
  }
  const fresh = await runInProcess([...exportArgs(inputs, output), "--fresh"]);
  expect(fresh.stderr).toContain("input_not_found");
  expect(digestExport(output)).toEqual(before);
});
