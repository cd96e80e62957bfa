import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ExportResult } from "../../../src/pipeline/export-result.js";
import type { ExportOptions } from "../../../src/pipeline/options.js";
import { runExport } from "../../../src/pipeline/run-export.js";
import type { RunOutside } from "../../../src/pipeline/run-splits.js";
import { budgetThreads } from "../../../src/pipeline/worker/thread-count.js";
import { ThreadsAhead } from "../../../src/pipeline/worker/threads-ahead.js";
import { type FakeExport, fakeExport } from "../kit/fake-export.js";

/** Threads that this process has started, and those that have ended. */
let started = 0;
let ended = 0;

function countWorker(worker: Worker): void {
  started++;
  worker.once("exit", () => ended++);
}

beforeEach(() => {
  [started, ended] = [0, 0];
  process.on("worker", countWorker);
});

afterEach(() => {
  process.off("worker", countWorker);
});

function runWith(
  run: FakeExport,
  outside: Partial<RunOutside>,
  options: Partial<ExportOptions> = {},
): Promise<ExportResult> {
  const { signal } = new AbortController();
  return runExport(
    { ...run.options(), ...options },
    { signal, observer: {} },
    { ...run.outside(), ...outside },
  );
}

it("starts the first thread before inputs are looked at, and no more threads than splits", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a");
  const { discover } = run.outside();
  let startedBefore = -1;
  const result = await runWith(run, {
    async discover(...given) {
      // The process tells of a new thread a moment after its start.
      await setImmediate();
      startedBefore = started;
      return discover(...given);
    },
  });
  expect(result.outcome).toBe("done");
  expect(startedBefore).toBe(1);
  expect([started, ended]).toEqual([1, 1]);
});

it("starts further threads as soon as the inputs are known to be enough for them", async () => {
  const run = fakeExport();
  for (const name of ["a.txt", "b.txt", "c.txt"]) run.input(name, "2026-01-01 a");
  const { planRanges } = run.outside();
  const startedBefore: number[] = [];
  const result = await runWith(
    run,
    {
      async planRanges(...given) {
        await setImmediate();
        startedBefore.push(started);
        return planRanges(...given);
      },
    },
    { threads: 2, splitBytes: 12 },
  );
  expect(result.outcome).toBe("done");
  expect(startedBefore).toEqual([2, 2, 2]);
  expect([started, ended]).toEqual([2, 2]);
});

it("has ended the thread when a run fails before it needs one", async () => {
  const run = fakeExport();
  const discover = () => Promise.reject(new Error("no inputs"));
  await expect(runWith(run, { discover })).rejects.toThrow("no inputs");
  expect([started, ended]).toEqual([1, 1]);
});

it("starts no thread where the same command has finished, unless it starts over", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a");
  await run.run();
  started = 0;
  expect(await run.run()).toMatchObject({ alreadyDone: true });
  expect(started).toBe(0);
  expect(await run.run({ fresh: true })).toMatchObject({ alreadyDone: false });
  expect(started).toBe(1);
});

it("fails with what ended a thread that had not been asked for anything yet", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a");
  const workerEntry = new URL("./no-such-worker.mjs", import.meta.url);
  await expect(runWith(run, { workerEntry })).rejects.toMatchObject({ code: "worker_died" });
  expect(started).toBe(ended);
});

it("takes a thread that was started before the run, and starts none in its place", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a");
  const threadsAhead = new ThreadsAhead(threadOf(run));
  threadsAhead.start(1);
  expect(await runWith(run, { threadsAhead })).toMatchObject({ outcome: "done" });
  expect([started, ended]).toEqual([1, 1]);
});

it("ends a thread that was started with another limit of memory, and starts its own", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a");
  const thread = threadOf(run);
  const threadsAhead = new ThreadsAhead({ ...thread, heapBytes: 2 * thread.heapBytes });
  threadsAhead.start(1);
  expect(await runWith(run, { threadsAhead })).toMatchObject({ outcome: "done" });
  expect([started, ended]).toEqual([2, 2]);
});

it("ends a thread that was started for a run that has nothing to do", async () => {
  const run = fakeExport();
  run.input("a.txt", "2026-01-01 a");
  await run.run();
  [started, ended] = [0, 0];
  const threadsAhead = new ThreadsAhead(threadOf(run));
  threadsAhead.start(1);
  expect(await runWith(run, { threadsAhead })).toMatchObject({ alreadyDone: true });
  expect([started, ended]).toEqual([1, 1]);
});

function threadOf(run: FakeExport) {
  return {
    entry: run.outside().workerEntry,
    heapBytes: budgetThreads(run.options()).heapBytes,
  };
}
