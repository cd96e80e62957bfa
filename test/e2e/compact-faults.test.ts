import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type CommandResult, runInProcess } from "../support/command-line.js";
import { liveFiles } from "../support/delta-table.js";
import { digestExport } from "../support/directory-digest.js";
// @ts-expect-error A plain script, because it is also loaded into processes.
import { armFault } from "../support/file-faults.mjs";
import { isCi, someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const DAYS = 3;
/** Of each input. */
const ROWS = 5 * DAYS;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
const scratch = scratchDirectory("compact-faults");
const codes = ["EIO", "EMFILE", "EACCES", "ENOENT", "ENOSPC"];
const delta = ["parquet", "--table-log", "delta", "--layout", "day={day}"];

/** An export of three epochs, and what an undisturbed `compact` makes of it. */
interface Sample {
  readonly name: string;
  readonly before: string;
  readonly exportArgs: readonly string[];
  readonly digests: Record<string, string>;
  /** Calls below the output that `compact` makes. */
  readonly calls: number;
}

async function succeed(...words: string[]): Promise<CommandResult> {
  const result = await runInProcess(words);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return result;
}

async function prepare(name: string, format: readonly string[]): Promise<Sample> {
  const [input, before] = [join(scratch, name, "in"), join(scratch, name, "before")];
  const exportArgs = ["export", input, "--format", ...format];
  mkdirSync(input, { recursive: true });
  for (const mark of ["a", "b", "c"]) {
    const lines = Array.from({ length: ROWS }, (_, row) => {
      const event_time = `2026-01-0${1 + (row % DAYS)} 08:00:0${row % 7}.000000`;
      const id = `${mark}-${row}`;
      return JSON.stringify({ event_type: mark, event_time, user_id: id, $insert_id: id });
    });
    writeFileSync(join(input, `${mark}.jsonl`), `${lines.join("\n")}\n`);
    await succeed(...exportArgs, "--to", before);
  }
  const output = copyOf(before, name, "quiet");
  const { result, calls } = await disturbed(["compact", output], output, 0, "EIO");
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return { name, before, exportArgs, digests: digestOf(output), calls };
}

function copyOf(before: string, name: string, kind: string): string {
  const output = join(scratch, name, kind);
  rmSync(output, { recursive: true, force: true });
  cpSync(before, output, { recursive: true, preserveTimestamps: true });
  return output;
}

/** Runs a command while a call of the file system below `output` fails. */
async function disturbed(words: readonly string[], output: string, at: number, code: string) {
  const disarm = armFault({ under: output, at, code }) as () => number;
  const result = await runInProcess([...words, "--quiet"]);
  const calls = disarm();
  // The lock of a process that is not dead.
  rmSync(join(output, "_switchyard/lock"), { force: true });
  return { result, calls };
}

/** Commits of a Delta log have random ids and times. */
function digestOf(output: string): Record<string, string> {
  const entries = Object.entries(digestExport(output));
  return Object.fromEntries(entries.filter(([name]) => !name.includes("_delta_log")));
}

/** Returns calls that are equally far apart, more of them in CI, in no fixed places. */
function callsOf({ calls }: Sample, random: () => number, few: number): readonly number[] {
  const step = isCi ? 40 : Math.ceil(calls / few);
  const first = 1 + Math.floor(random() * step);
  return Array.from({ length: Math.ceil((calls - first + 1) / step) }, (_, n) => first + n * step);
}

it.each(someOf([["parquet"], ["jsonl"], ["jsonl.gz"], ["csv"], ["arrow"], delta], 6))(
  `leaves a true manifest if a call of compact fails, and ends as undisturbed the next time: %s, seed ${seed}`,
  async (...format) => {
    const sample = await prepare(`fail-${format.slice(0, 2).join("")}`, format);
    const random = createRandom(seed);
    for (const at of callsOf(sample, random, 5)) {
      const code = codes[Math.floor(random() * codes.length)] ?? "EIO";
      const where = `${code} at call ${at} of ${sample.calls}`;
      const output = copyOf(sample.before, sample.name, "failed");
      const { result } = await disturbed(["compact", output], output, at, code);
      expect([0, 1], `${where}: ${result.stderr}`).toContain(result.exitCode);
      const verified = await runInProcess(["verify", output]);
      expect(verified.exitCode, `${where}: ${result.stderr}\n${verified.stdout}`).toBe(0);
      await succeed("compact", output);
      expect(digestOf(output), where).toEqual(sample.digests);
    }
  },
);

it(`does not take records for missing that one call of the last thirty does not find, seed ${seed}`, async () => {
  const sample = await prepare("missing", ["jsonl"]);
  for (let at = sample.calls - 30 + (seed % 3); at <= sample.calls; at += 3) {
    const output = copyOf(sample.before, sample.name, "failed");
    const { result } = await disturbed(["compact", output], output, at, "ENOENT");
    const verified = await runInProcess(["verify", output]);
    expect(verified.exitCode, `call ${at}: ${result.stderr}\n${verified.stdout}`).toBe(0);
  }
});

/** The rows of each day that a reader finds who looks for files; and whether it finds all of the Delta log. */
function rowsByDay(output: string): Readonly<Record<string, number>> {
  const days: Record<string, number> = {};
  for (const day of readdirSync(join(output, "events")).filter((name) => !/^[_.]/.test(name))) {
    const files = readdirSync(join(output, "events", day));
    const lines = files.map((name) => readFileSync(join(output, "events", day, name), "utf8"));
    days[day] = lines.join("").split("\n").length - 1;
  }
  return days;
}

function expectTable(output: string, where: string): void {
  const files = liveFiles(join(output, "events"));
  for (const { path, size } of files)
    expect(statSync(join(output, "events", path)).size, `${path} ${where}`).toBe(size);
  const rows = files.map(({ stats }) => JSON.parse(stats).numRecords as number);
  expect(
    rows.reduce((sum, count) => sum + count, 0),
    where,
  ).toBe(3 * ROWS);
}

describe.each([
  ["day by day", ["jsonl"]],
  ["with a Delta log", delta],
] as const)(`compact that is killed at any call, %s, seed ${seed}`, (kind, format) => {
  let sample: Sample;
  beforeAll(async () => {
    sample = await prepare(`killed-${kind.length}`, format);
  });

  it("leaves whole days, and the next command finishes the rest", async () => {
    const random = createRandom(seed);
    const hasLog = format !== undefined && format.length > 1;
    const next = [
      (output: string) => succeed("verify", output),
      (output: string) => succeed("runs", output),
      (output: string) => succeed("load-sql", "duckdb", output),
      (output: string) => succeed(...sample.exportArgs, "--to", output),
      (output: string) => succeed("compact", output),
    ];
    const missing: number[] = [];
    for (const [index, at] of callsOf(sample, random, 6).entries()) {
      const where = `after a kill at call ${at} of ${sample.calls}, command ${index % next.length}`;
      const output = copyOf(sample.before, sample.name, "killed");
      await disturbed(["compact", output], output, at, "kill");
      if (hasLog) expectTable(output, where);
      else {
        const days = Object.values(rowsByDay(output));
        expect(new Set(days), where).toEqual(new Set([3 * 5]));
        if (days.length < DAYS) missing.push(DAYS - days.length);
      }
      await next[index % next.length]?.(output);
      expect(existsSync(join(output, "_switchyard/compacting")), where).toBe(false);
      if (hasLog) expectTable(output, where);
      else expect(Object.keys(rowsByDay(output)), where).toHaveLength(DAYS);
      expect((await runInProcess(["verify", output])).exitCode, where).toBe(0);
      await succeed("compact", output);
      expect(digestOf(output), where).toEqual(sample.digests);
    }
    // One day at a time.
    expect(missing.filter((count) => count > 1)).toEqual([]);
  });
});

it.each(someOf(["jsonl", "parquet", "jsonl.gz", "csv", "arrow"], 5))(
  "joins no bytes of a day whose part was missing once: %s",
  async (format) => {
    const { name, before, digests } = await prepare(`once-${format}`, [format]);
    const output = copyOf(before, name, "moved");
    for (const day of readdirSync(join(output, "events"))) {
      const [, part = ""] = readdirSync(join(output, "events", day)).sort();
      const [from, away] = [join(output, "events", day, part), join(scratch, "away")];
      renameSync(from, away);
      const result = await runInProcess(["compact", output]);
      expect(result.exitCode).toBe(1);
      expect(result.stderr).toContain(`${from} does not exist any more; its day was not changed`);
      renameSync(away, from);
    }
    await succeed("compact", output);
    expect(digestOf(output)).toEqual(digests);
    await succeed("verify", output);
  },
);
