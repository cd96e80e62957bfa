import { expect, it } from "vitest";
import { MIB } from "../../../src/base/limits.js";
import type { SplitRecord } from "../../../src/pipeline/ledger/ledger.js";
import type { Split } from "../../../src/pipeline/plan.js";
import { type PoolOptions, SplitPool } from "../../../src/pipeline/worker/pool.js";

/** Reads nothing. */
const worker = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ kind, task }) => {
    if (kind === "setup") parentPort.postMessage({ kind: "ready" });
    if (kind !== "run") return;
    const record = { id: task.split.id, rows: { read: 1, rejected: 0 } };
    parentPort.postMessage({ kind: "written", splitId: record.id });
    parentPort.postMessage({ kind: "done", splitId: record.id, record });
  });`;

/** Runs splits; returns the ids of their records and the number of threads. */
async function runWith(threads: number, splits: number) {
  const records: SplitRecord[] = [];
  const options = {
    entry: new URL(`data:text/javascript,${encodeURIComponent(worker)}`),
    heapBytes: 64 * MIB,
    setup: {} as PoolOptions["setup"],
    threads,
    idle: [] as PoolOptions["idle"],
    signal: new AbortController().signal,
    onRecord: (record: SplitRecord) => records.push(record),
  };
  const ids = Array.from({ length: splits }, (_, index) => `${index}`);
  const all = ids.map((id): Split => ({ id, ranges: [], bytes: 1 }));
  expect(await new SplitPool(all, options).run()).toBe("done");
  const started = options.idle.length;
  for (const thread of options.idle) await thread.terminate();
  return { started, ids: records.map(({ id }) => id).sort() };
}

it("runs every split once, on no more threads than there are splits", async () => {
  expect(await runWith(1, 3)).toEqual({ started: 1, ids: ["0", "1", "2"] });
  expect(await runWith(2, 1)).toEqual({ started: 1, ids: ["0"] });
  expect(await runWith(4, 3)).toEqual({ started: 3, ids: ["0", "1", "2"] });
});
