import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { MIB } from "../../../src/base/limits.js";
import type { SplitRecord } from "../../../src/pipeline/ledger/ledger-records.js";
import type { Split } from "../../../src/pipeline/plan.js";
import { SplitRunner } from "../../../src/pipeline/worker/split-runner.js";
import { WorkerPool, type WorkerPoolOptions } from "../../../src/pipeline/worker/worker-pool.js";
import { processScript } from "../../support/process-scripts.js";

/** Runs splits; returns the ids of their records and the number of threads. */
async function runWith(threads: number, splits: number) {
  const records: SplitRecord[] = [];
  const pool = new WorkerPool({
    entry: pathToFileURL(processScript("bare-worker")),
    heapBytes: 64 * MIB,
    setup: {} as WorkerPoolOptions["setup"],
    threads,
    signal: new AbortController().signal,
  });
  let started = 0;
  const countThread = () => started++;
  process.on("worker", countThread);
  const ids = Array.from({ length: splits }, (_, index) => `${index}`);
  const all = ids.map((id): Split => ({ id, ranges: [], bytes: 1 }));
  expect(await new SplitRunner(all, pool, (record) => records.push(record)).run()).toBe("done");
  process.off("worker", countThread);
  await pool.end();
  return { started, ids: records.map(({ id }) => id).sort() };
}

it("runs every split once, on no more threads than there are splits", async () => {
  expect(await runWith(1, 3)).toEqual({ started: 1, ids: ["0", "1", "2"] });
  expect(await runWith(2, 1)).toEqual({ started: 1, ids: ["0"] });
  expect(await runWith(4, 3)).toEqual({ started: 3, ids: ["0", "1", "2"] });
});
