import type { ChildProcess } from "node:child_process";
import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { amplitudeLines, writeAmplitudeRows } from "../support/generated-input.js";
import { isCi, someOf } from "../support/property-runs.js";
import { firstSplitFinished, scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("resume");
const largeInput = join(scratch, "large.jsonl");
let undisturbed: Record<string, string>;

function exportArgs(input: string, output: string, ...more: string[]): string[] {
  return [
    "export",
    input,
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

async function exportQuietly(input: string, output: string, ...more: string[]): Promise<void> {
  const result = await runInProcess(exportArgs(input, output, ...more));
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
}

beforeAll(async () => {
  writeAmplitudeRows(largeInput, isCi ? 100_000 : 30_000, 6);
  const output = join(scratch, "undisturbed");
  await exportQuietly(largeInput, output);
  undisturbed = digestExport(output);
});

describe("an interrupted export", () => {
  it.each(someOf(["SIGINT", "SIGTERM"] as const, 2))(
    "ends with 130 within two seconds of %s and resumes to the bytes of an undisturbed run",
    async (signal) => {
      const output = join(scratch, signal);
      let signalledAt = 0;
      const result = await runSwitchyard(exportArgs(largeInput, output), {
        started: (child) => {
          void firstSplitFinished(output).then(() => {
            signalledAt = performance.now();
            child.kill(signal);
          });
        },
      });
      // This is not a measure of speed but a guarantee to users who press ^C.
      expect(performance.now() - signalledAt).toBeLessThan(2_000);
      expect(result, result.stderr).toMatchObject({ exitCode: 130, signal: null });
      expect(result.stderr).toContain("again");
      await exportQuietly(largeInput, output);
      expect(digestExport(output)).toEqual(undisturbed);
    },
  );
});

it("refuses a second run into the same directory while the first one is active", async () => {
  const output = join(scratch, "two-runs");
  let first: ChildProcess | undefined;
  const firstRun = runSwitchyard(exportArgs(largeInput, output), {
    started: (child) => {
      first = child;
    },
  });
  await firstSplitFinished(output);
  first?.kill("SIGSTOP");
  const second = await runInProcess(exportArgs(largeInput, output));
  first?.kill("SIGCONT");
  expect(second.exitCode).toBe(4);
  expect(second.stderr).toContain(String(first?.pid));
  expect(await firstRun).toMatchObject({ exitCode: 0 });
  expect(digestExport(output)).toEqual(undisturbed);
});

it("does nothing when the same command has already finished", async () => {
  const output = join(scratch, "undisturbed");
  const before = readFileSync(join(output, "manifest.json"), "utf8");
  await exportQuietly(largeInput, output);
  expect(readFileSync(join(output, "manifest.json"), "utf8")).toBe(before);
});

describe("an export that was begun from other inputs or options", () => {
  it("is refused when an input has changed, and starts over with --fresh", async () => {
    const input = join(scratch, "changing.jsonl");
    const output = join(scratch, "changed-input");
    writeFileSync(input, amplitudeLines(0, 500, 2));
    await exportQuietly(input, output);
    appendFileSync(input, amplitudeLines(500, 100, 2));

    const refused = await runInProcess(exportArgs(input, output));
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain("changing.jsonl");
    expect(refused.stderr).toContain("--fresh");

    await exportQuietly(input, output, "--fresh");
    const elsewhere = join(scratch, "changed-input-elsewhere");
    await exportQuietly(input, elsewhere);
    expect(digestExport(output)).toEqual(digestExport(elsewhere));
  });

  it("is refused when the mapping has changed", async () => {
    const input = join(scratch, "mapped.jsonl");
    const output = join(scratch, "changed-mapping");
    writeFileSync(input, amplitudeLines(0, 500, 2));
    await exportQuietly(input, output);
    const refused = await runInProcess(exportArgs(input, output, "--exclude-event", "event_1"));
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain(`--exclude-event: was ["qa_*"], is ["event_1"]`);
    expect(refused.stderr).toContain("--fresh");
  });
});

it("delivers the rows before a break, and the rest after the source is repaired", async () => {
  const whole = join(scratch, "whole.jsonl.gz");
  writeFileSync(whole, gzipSync(amplitudeLines(0, 4_000, 3)));
  const other = join(scratch, "other.jsonl");
  writeFileSync(other, amplitudeLines(4_000, 300, 3));
  const input = join(scratch, "repaired.jsonl.gz");
  const output = join(scratch, "repaired");
  const quiet = join(scratch, "repaired-quiet");

  copyFileSync(whole, input);
  truncateSync(input, 40_000);
  const broken = await runInProcess(exportArgs(input, output, other));
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout).toContain("repaired.jsonl.gz");
  const partial = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  expect(partial).toMatchObject({ complete: false });
  expect(partial.rows.delivered).toBeGreaterThan(300);

  copyFileSync(whole, input);
  await exportQuietly(input, output, other);
  await exportQuietly(input, quiet, other);
  expect(digestExport(output)).toEqual(digestExport(quiet));
});
