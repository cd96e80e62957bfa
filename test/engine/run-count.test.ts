import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type CountResult, runCount } from "../../src/engine/run-count.js";
import type { ExportOptions } from "../../src/options/options.js";
import { type FakeExport, fakeExport } from "../run/kit/fake-export.js";

const quiet = new AbortController().signal;

function scratchOf(run: FakeExport): string {
  const scratch = join(run.root, "scratch");
  mkdirSync(scratch, { recursive: true });
  return scratch;
}

function count(
  run: FakeExport,
  changes: Partial<ExportOptions> = {},
  signal = quiet,
): Promise<CountResult> {
  const options = { ...run.options(), ...changes };
  return runCount(options, { signal, observer: {} }, toolsOf(run, scratchOf(run)));
}

function toolsOf(run: FakeExport, scratchDirectory: string) {
  return { read: run.reading(), entry: run.entry, scratchDirectory };
}

it("accounts for rows and events like the manifest of an export, and leaves no files", async () => {
  const run = fakeExport();
  const lines = Array.from(
    { length: 30 },
    (_, index) => `2026-01-0${(index % 3) + 1} e${index % 7}`,
  );
  run.input("a.txt", ...lines, "2026-01-01 bad", "2026-01-01 skip");
  run.input("b.txt", "2026-01-05 e1", "2026-01-05 bad", "2026-01-05 break");
  run.input("c.txt", "unreadable");
  const counted = await count(run, { threads: 3 });
  const exported = await run.run();
  expect(counted.outcome).toBe("failed");
  expect(counted.tooManyRejects).toBe(true);
  for (const part of ["rows", "events", "rejects", "notices", "failures", "inputs"] as const) {
    expect(counted.manifest[part]).toEqual(exported.manifest[part]);
  }
  expect(counted.manifest.complete).toBe(false);
  expect(counted.manifest.events).toHaveLength(7);
  expect(readdirSync(scratchOf(run))).toEqual([]);
});

it("leaves no files when it is interrupted", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 e1", "2026-01-01 wait");
  const interruption = new AbortController();
  const counting = runCount(
    run.options(),
    {
      signal: interruption.signal,
      observer: { started: () => setImmediate(() => interruption.abort()) },
    },
    toolsOf(run, scratchOf(run)),
  );
  expect((await counting).outcome).toBe("interrupted");
  expect(readdirSync(scratchOf(run))).toEqual([]);
});

it.each([
  ["cannot begin", { preset: "impossible" }, {}],
  ["has too little memory", { memoryBytes: 1 }, { code: "memory_too_small" }],
])("leaves no files when it %s", async (_, changes, error) => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 e1");
  await expect(count(run, changes)).rejects.toMatchObject(error);
  expect(readdirSync(scratchOf(run))).toEqual([]);
});

it("names the directory that has no room", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 e1");
  const nowhere = join(run.root, "nowhere");
  const context = { signal: quiet, observer: {} };
  const counting = runCount(run.options(), context, toolsOf(run, nowhere));
  await expect(counting).rejects.toThrow(nowhere);
});
