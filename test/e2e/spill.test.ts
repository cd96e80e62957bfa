import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { amplitudeLines, writeAmplitudeRows } from "../support/generated-input.js";
import { interruptWhileMerging } from "../support/interrupted-merge.js";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";
import { firstSplitFinished, scratchDirectory } from "../support/scratch.js";

const DAYS = 40;
const scratch = scratchDirectory("spill");
const input = join(scratch, "rows.jsonl");
let undisturbed: Record<string, string>;

function exportArgs(from: string, output: string, ...more: string[]): string[] {
  return [
    "export",
    from,
    "--to",
    output,
    "--format",
    "jsonl",
    "--split-size",
    "256KiB",
    "--threads",
    "2",
    "--max-rejects",
    "1%",
    "--quiet",
    ...more,
  ];
}

async function exportQuietly(from: string, output: string, ...more: string[]): Promise<void> {
  const result = await runInProcess(exportArgs(from, output, ...more));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
}

/** Exports, and ends the process with a signal as soon as there is output. */
async function signalOnce(
  output: string,
  has: (output: string) => Promise<unknown>,
  signal: NodeJS.Signals = "SIGINT",
) {
  return runSwitchyard(exportArgs(input, output), {
    started: (child) => void has(output).then(() => child.kill(signal)),
  });
}

/** Returns the names of the records of finished merges. */
function mergesIn(output: string): readonly string[] {
  const directory = join(output, "_switchyard/merges");
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((name) => /^\d{6}\.json$/.test(name));
}

async function firstMergeDone(output: string): Promise<void> {
  await vi.waitFor(() => expect(mergesIn(output)).not.toEqual([]), {
    interval: 1,
    timeout: 90_000,
  });
}

function manifestOf(output: string) {
  return JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
}

function partsIn(output: string, pattern: RegExp): readonly string[] {
  if (!existsSync(join(output, "events"))) return [];
  const names = readdirSync(join(output, "events"), { recursive: true, encoding: "utf8" });
  return names.filter((name) => pattern.test(name));
}

/** Copies an export with all splits finished, but not all merges. */
function interruptedWhileMerging(name: string): string {
  const output = join(scratch, name);
  cpSync(join(scratch, "interrupted"), output, { recursive: true, preserveTimestamps: true });
  return output;
}

beforeAll(async () => {
  writeAmplitudeRows(input, isCi ? 40_000 : 20_000, DAYS);
  const output = join(scratch, "undisturbed");
  await exportQuietly(input, output);
  undisturbed = digestExport(output);
  const interrupted = join(scratch, "interrupted");
  await interruptWhileMerging(exportArgs(input, interrupted), interrupted);
});

describe("an export of many unsorted days", () => {
  it.each(someOf(["parquet", "jsonl", "jsonl.gz", "csv"], 4))(
    "has one %s file for each day, the same with one thread and with three",
    async (format) => {
      const outputs = [1, 3].map((threads) => join(scratch, `${format}-${threads}`));
      const [one, three] = outputs as [string, string];
      await exportQuietly(input, one, "--format", format, "--threads", "1");
      await exportQuietly(input, three, "--format", format, "--threads", "3");
      expect(digestExport(three)).toEqual(digestExport(one));
      expect(partsIn(one, /part-/)).toHaveLength(DAYS);
      expect(existsSync(join(one, "_switchyard/spill"))).toBe(false);
      expect((await runInProcess(["verify", one, "--quiet"])).exitCode).toBe(0);
    },
  );

  it("has the rows of an export with one split, which spills nothing", async () => {
    const whole = join(scratch, "whole");
    await exportQuietly(input, whole, "--split-size", "1GiB");
    expect(partsIn(whole, /part-merged/)).toEqual([]);
    const linesOf = (output: string, day: string) =>
      readdirSync(join(output, "events", day))
        .flatMap((name) => readFileSync(join(output, "events", day, name), "utf8").split("\n"))
        .sort();
    const days = readdirSync(join(whole, "events"));
    expect(readdirSync(join(scratch, "undisturbed/events"))).toEqual(days);
    for (const day of days) {
      expect(linesOf(join(scratch, "undisturbed"), day)).toEqual(linesOf(whole, day));
    }
  });
});

describe("an interrupted export", () => {
  it.each(someOf(["days are merged", "splits are read"], 2))(
    "reports the pending rows while %s, and can be resumed",
    async (when) => {
      const output = join(scratch, `interrupted-${when.slice(0, 4)}`);
      if (when === "splits are read") {
        const result = await signalOnce(output, firstSplitFinished);
        expect(result, result.stderr).toMatchObject({ exitCode: 130, signal: null });
      } else interruptedWhileMerging(`interrupted-${when.slice(0, 4)}`);
      const { complete, pending, totals, rows, days } = manifestOf(output);
      expect(complete).toBe(false);
      expect(pending).toBeGreaterThan(0);
      expect(totals.rows + pending).toBe(rows.delivered);
      const listed = days.flatMap(({ files }: { files: { path: string }[] }) => files);
      expect(partsIn(output, /part-/)).toHaveLength(listed.length);
      if (when === "splits are read") expect(partsIn(output, /part-merged/)).toEqual([]);
      const verified = await runInProcess(["verify", output, "--json", "--quiet"]);
      const { differences } = JSON.parse(verified.stdout);
      expect(differences.map(({ code }: { code: string }) => code)).toEqual(["export_incomplete"]);
      await exportQuietly(input, output);
      expect(digestExport(output)).toEqual(undisturbed);
    },
  );

  longTest("keeps finished merges", async () => {
    const output = join(scratch, "kept");
    await signalOnce(output, firstMergeDone, "SIGKILL");
    const [first = ""] = mergesIn(output);
    const { parts } = JSON.parse(readFileSync(join(output, "_switchyard/merges", first), "utf8"));
    // The content does not matter, only its size: a finished merge is not repeated.
    const path = join(output, parts[0].path);
    writeFileSync(path, readFileSync(path, "utf8").replace("{", "["));
    await exportQuietly(input, output);
    const changed = Object.entries(digestExport(output)).filter(
      ([name, digest]) => undisturbed[name] !== digest,
    );
    expect(changed.map(([name]) => name)).toEqual([parts[0].path]);
  });

  it.each(someOf(["missing", "cut off", "changed in its index", "without its index"], 4))(
    "reads a split again if its spill file is %s",
    async (damage) => {
      const output = interruptedWhileMerging(`damaged-${damage}`);
      const path = join(output, "_switchyard/spill/000003");
      if (damage === "missing") rmSync(path);
      else if (damage === "cut off") truncateSync(path, 1000);
      else if (damage === "without its index") rmSync(`${path}.index`);
      else changeByte(`${path}.index`, -20);
      const result = await runInProcess(exportArgs(input, output).filter((a) => a !== "--quiet"));
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      expect(result.stderr).toContain("1 split is read again");
      expect(digestExport(output)).toEqual(undisturbed);
    },
  );

  it("names a spill file with damaged content, and resumes after it is deleted", async () => {
    const output = interruptedWhileMerging("damaged-within");
    const path = join(output, "_switchyard/spill/000003");
    // In the last pack: merges begin with the first days.
    changeByte(path, -5);
    const failed = await runInProcess(exportArgs(input, output));
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(path);
    expect(failed.stderr).toContain("spill_damaged");
    rmSync(path);
    await exportQuietly(input, output);
    expect(digestExport(output)).toEqual(undisturbed);
  });

  longTest("starts over with --fresh", async () => {
    const output = interruptedWhileMerging("fresh");
    await exportQuietly(input, output, "--fresh");
    expect(digestExport(output)).toEqual(undisturbed);
    await exportQuietly(input, output, "--fresh", "--split-size", "1GiB");
    expect(partsIn(output, /part-merged/)).toEqual([]);
    expect(existsSync(join(output, "_switchyard/merges"))).toBe(false);
  });
});

describe("an export that is done", () => {
  it("removes the leftovers of an earlier run, and does not need them", async () => {
    const output = join(scratch, "done");
    await exportQuietly(input, output);
    const spill = join(output, "_switchyard/spill");
    mkdirSync(spill);
    writeFileSync(join(spill, "000001"), "left over");
    await exportQuietly(input, output);
    expect(existsSync(spill)).toBe(false);
    rmSync(join(output, "manifest.json"));
    await exportQuietly(input, output);
    expect(digestExport(output)).toEqual(undisturbed);
  });
});

longTest(
  "merges the readable rows of a broken source, and all rows after it is repaired",
  async () => {
    const whole = join(scratch, "whole.jsonl.gz");
    writeFileSync(whole, gzipSync(amplitudeLines(0, 9_000, DAYS)));
    const other = join(scratch, "other.jsonl");
    writeFileSync(other, amplitudeLines(9_000, 9_000, DAYS));
    const broken = join(scratch, "repaired.jsonl.gz");
    const [output, quiet] = [join(scratch, "repaired"), join(scratch, "repaired-quiet")];
    copyFileSync(whole, broken);
    truncateSync(broken, 90_000);
    const failed = await runInProcess(exportArgs(broken, output, other));
    expect(failed.exitCode).toBe(1);
    const { complete, pending, totals, rows } = manifestOf(output);
    expect({ complete, pending, rows: totals.rows }).toEqual({
      complete: false,
      pending: undefined,
      rows: rows.delivered,
    });
    expect(partsIn(output, /part-merged/)).toHaveLength(DAYS);
    expect(readdirSync(join(output, "_switchyard/spill")).length).toBeGreaterThan(1);
    copyFileSync(whole, broken);
    await exportQuietly(broken, output, other);
    await exportQuietly(broken, quiet, other);
    expect(digestExport(output)).toEqual(digestExport(quiet));
    expect(existsSync(join(output, "_switchyard/spill"))).toBe(false);
  },
);

it("refuses merged parts without a ledger", async () => {
  const output = join(scratch, "foreign");
  mkdirSync(join(output, "events/2026-01-01"), { recursive: true });
  writeFileSync(join(output, "events/2026-01-01/part-merged-000.jsonl"), "theirs");
  const refused = await runInProcess(exportArgs(input, output));
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("part-merged-000.jsonl");
});

/** Changes one byte; a negative `at` counts from the end. */
function changeByte(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at < 0 ? bytes.length + at : at]! ^= 1;
  writeFileSync(path, bytes);
}
