import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { RunProgress } from "../../../src/ledger/run-observer.js";
import type { ExportResult } from "../../../src/run/export-spec.js";
import { longTest } from "../../support/long-test.js";
import { someOf } from "../../support/property-runs.js";
import { type FakeExport, fakeExport } from "../kit/fake-export.js";

// Each export has one thread, which reads b.txt while the commit of a.txt, the larger split, is held.
const options = { splitBytes: 42, threads: 1 };

/** Threads that this process has started. */
let threads = 0;
const countThread = () => threads++;

beforeEach(() => {
  threads = 0;
  process.on("worker", countThread);
});

afterEach(() => {
  process.off("worker", countThread);
});

function heldRun(fate: "held" | "unsynced", ...next: readonly string[]): FakeExport {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a", "2026-01-01 a", `2026-01-01 ${fate}`);
  run.input("b.txt", ...next);
  return run;
}

/** Returns the days of the visible parts. */
function visibleDays(run: FakeExport): readonly string[] {
  const names = Object.keys(run.files());
  return names.filter((name) => name.startsWith("events/")).map((name) => name.split("/")[1] ?? "");
}

/** Stops the run when b.txt is read; returns its result and its progress before the stop. */
async function runUntilRead(
  run: FakeExport,
  isReached: () => boolean = () => true,
): Promise<{ result: ExportResult; seen: RunProgress }> {
  const stop = new AbortController();
  let seen: RunProgress | undefined;
  const result = await run.run(options, stop.signal, {
    started(progress) {
      const look = setInterval(() => {
        const now = progress();
        if (now.threads[0]?.source !== "b.txt" || !isReached()) return;
        clearInterval(look);
        seen = now;
        stop.abort();
      }, 1);
    },
  });
  return { result, seen: seen ?? expect.fail("b.txt was never read") };
}

const placings = someOf<[string, number]>(
  [
    ["in one split", 1_000_000],
    ["in a split each", 10],
  ],
  2,
);

it("reads the next split while one is committed", async () => {
  // The commit of a.txt continues only when b.txt is read.
  const run = heldRun("held", "2026-01-02 b", "2026-01-02 free");
  const { outcome, manifest } = await run.run(options);
  expect(outcome).toBe("done");
  expect(manifest.rows.delivered).toBe(5);
  expect(visibleDays(run)).toEqual(["2026-01-01", "2026-01-02"]);
  expect(manifest.events.map(({ event, rows }) => [event, rows]).sort()).toEqual([
    ["a", 2],
    ["b", 1],
    ["free", 1],
    ["held", 1],
  ]);
});

it("lets a commit proceed while a reader never waits", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a", "2026-01-01 a", "2026-01-01 a");
  run.input("b.txt", "2026-01-02 until");
  expect((await run.run(options)).manifest.rows.delivered).toBe(3);
});

it("waits for the previous commit when a reader crashes, and blames the split that it read", async () => {
  const run = heldRun("held", "2026-01-02 b", "2026-01-02 crash");
  const { outcome, failures, manifest } = await run.run(options);
  expect(outcome).toBe("failed");
  expect(failures.map(({ source }) => source)).toEqual(["b.txt"]);
  expect(manifest.rows.read).toBe(3);
  expect(visibleDays(run)).toEqual(["2026-01-01"]);
  // One thread crashed, and one skips b.txt: a.txt was done. Another one tried the codec.
  expect(threads).toBe(2 + 1);
});

it.each(someOf(["exit", "panic"], 2))(
  "runs both splits again when a thread ends by %s, and blames only the one that kills its thread alone",
  async (word) => {
    const run = heldRun("held", "2026-01-02 b", `2026-01-02 ${word}`);
    const { outcome, failures, manifest } = await run.run(options);
    expect(outcome).toBe("failed");
    expect(failures.map(({ source, code }) => [source, code])).toEqual([
      ["b.txt", "source_crashed"],
    ]);
    expect(manifest.rows).toMatchObject({ read: 3, delivered: 3 });
    expect(manifest.notices).toEqual({ seen: 3 });
    expect(visibleDays(run)).toEqual(["2026-01-01"]);
    expect(threads).toBe(3 + 1);
  },
);

it.each(placings)(
  "ends the run if thread after thread dies of sources %s and none is read",
  async (_, splitBytes) => {
    const run = fakeExport();
    for (let index = 10; index < 30; index++) run.input(`${index}.txt`, "2026-01-01 crash");
    await expect(run.run({ ...options, splitBytes })).rejects.toMatchObject({
      code: "worker_died",
      message: expect.stringContaining("17 sources"),
    });
    expect(threads).toBe(17 + 1);
  },
);

longTest.each(placings)(
  "replaces any number of threads if sources %s are read in between",
  async (_, splitBytes) => {
    const run = fakeExport();
    for (let index = 10; index < 35; index++) {
      run.input(`${index}.txt`, index % 10 === 0 ? "2026-01-01 click" : "2026-01-01 crash");
    }
    const { outcome, manifest, failures } = await run.run({ ...options, splitBytes });
    expect([outcome, manifest.rows.read, failures.length]).toEqual(["failed", 3, 22]);
  },
);

it("ends the run with the error of a commit that fails while the next split is read", async () => {
  const run = heldRun("unsynced", "2026-01-02 free", "2026-01-02 wait");
  // The reader of b.txt waits until the run is stopped, and is terminated.
  await expect(run.run(options)).rejects.toMatchObject({
    code: "disk_full",
    exitCode: 1,
    message: expect.stringContaining(run.output),
  });
  expect(run.files()).toEqual({});
  run.input("a.txt", "2026-01-01 a");
  run.input("b.txt", "2026-01-02 b");
  expect((await run.run({ ...options, fresh: true })).outcome).toBe("done");
});

it("commits the written split when the run is stopped, and nothing of the split in progress", async () => {
  const run = heldRun("held", "2026-01-02 b", "2026-01-02 wait");
  const { result } = await runUntilRead(run);
  expect(result.outcome).toBe("interrupted");
  expect(result.manifest.rows).toMatchObject({ read: 3, delivered: 3 });
  expect(visibleDays(run)).toEqual(["2026-01-01"]);
  run.input("b.txt", "2026-01-02 b");
  expect(await run.run(options)).toMatchObject({ outcome: "done", rowsRead: 1 });
});

longTest(
  "shows nothing of a split whose commit was blocked by a stuck reader until the stop",
  async () => {
    const run = heldRun("held", "2026-01-02 b", "2026-01-02 spin");
    const spinning = join(run.output, "_switchyard/tmp/spinning");
    const { result } = await runUntilRead(run, () => existsSync(spinning));
    expect(result.outcome).toBe("interrupted");
    expect(result.manifest.rows.read).toBe(0);
    expect(visibleDays(run)).toEqual([]);
    run.input("b.txt", "2026-01-02 b");
    expect(await run.run(options)).toMatchObject({ outcome: "done", rowsRead: 4 });
  },
);

it("counts the rows, but not the split, while it is being committed", async () => {
  const run = heldRun("held", "2026-01-02 b", "2026-01-02 wait");
  const { seen } = await runUntilRead(run);
  const b = "2026-01-02 b\n2026-01-02 wait\n".length;
  expect(seen.splitsDone).toBe(0);
  expect(seen.rows).toBeGreaterThanOrEqual(3);
  expect(seen.bytesDone).toBeGreaterThanOrEqual(run.inputBytes() - b);
  expect(seen.threads[0]?.rows).toBe(seen.rows);
});
