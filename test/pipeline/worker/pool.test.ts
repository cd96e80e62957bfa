import { expect, it } from "vitest";
import { MIB } from "../../../src/base/limits.js";
import type { SplitRecord } from "../../../src/pipeline/ledger/ledger.js";
import type { Split } from "../../../src/pipeline/plan.js";
import { type PoolOptions, SplitPool } from "../../../src/pipeline/worker/pool.js";

/** Reads nothing, and tells in its record how it was asked to inflate. */
const worker = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ kind, task }) => {
    if (kind === "setup") parentPort.postMessage({ kind: "ready" });
    if (kind !== "run") return;
    const record = {
      id: task.split.id,
      rows: { read: 1, rejected: 0 },
      notices: { beside: Number(task.decodesBeside) },
    };
    parentPort.postMessage({ kind: "written", splitId: record.id });
    parentPort.postMessage({ kind: "done", splitId: record.id, record });
  });`;

/** Of each split in the order in which they ended: whether its sources were inflated beside. */
async function runWith(threads: number, splits: number): Promise<(number | undefined)[]> {
  const records: SplitRecord[] = [];
  const options = {
    entry: new URL(`data:text/javascript,${encodeURIComponent(worker)}`),
    heapBytes: 64 * MIB,
    setup: {} as PoolOptions["setup"],
    threads,
    ahead: undefined,
    idle: [] as PoolOptions["idle"],
    signal: new AbortController().signal,
    onRecord: (record: SplitRecord) => records.push(record),
  };
  const ids = Array.from({ length: splits }, (_, index) => `${index}`);
  const all = ids.map((id): Split => ({ id, ranges: [], bytes: 1 }));
  expect(await new SplitPool(all, options).run()).toBe("done");
  expect(options.idle.length).toBe(Math.min(threads, splits));
  for (const thread of options.idle) await thread.terminate();
  return records.map(({ notices }) => notices["beside"]);
}

it("has sources inflated beside the reader only where a thread has no split", async () => {
  expect(await runWith(1, 3)).toEqual([0, 0, 0]);
  expect(await runWith(2, 1)).toEqual([1]);
  expect(await runWith(4, 3)).toEqual([1, 1, 1]);
  // Whichever begins second may do so when the first one has ended.
  expect(await runWith(2, 2)).toContain(0);
});
