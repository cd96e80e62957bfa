import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { MIB } from "../../../src/base/limits.js";
import { Remote, RemoteDeath, startThread } from "../../../src/base/thread-call.js";
import type { SplitRecord } from "../../../src/ledger/ledger-records.js";
import type { Split } from "../../../src/plan/plan.js";
import { dispatchHere } from "../../../src/run/pool/dispatch.js";
import { SplitRunner } from "../../../src/run/pool/split-runner.js";
import {
  type WorkerPhase,
  WorkerPool,
  type WorkerPoolOptions,
} from "../../../src/run/pool/worker-pool.js";
import type { SplitServer } from "../../../src/run/thread/serve-splits.js";
import { processScript } from "../../support/process-scripts.js";

/** Runs splits; returns the ids of their records and the number of threads. */
async function runWith(
  threads: number,
  splits: number,
  options: Pick<WorkerPoolOptions, "start" | "fewer"> = {},
) {
  const records: SplitRecord[] = [];
  const pool = new WorkerPool({
    entry: pathToFileURL(processScript("bare-worker")),
    heapBytes: 64 * MIB,
    threads,
    signal: new AbortController().signal,
    ...options,
  });
  pool.begin({ options: {} } as WorkerPhase);
  let started = 0;
  const countThread = () => started++;
  process.on("worker", countThread);
  const ids = Array.from({ length: splits }, (_, index) => `${index}`);
  const all = ids.map((id): Split => ({ id, ranges: [], bytes: 1 }));
  expect(
    await new SplitRunner(dispatchHere(all), pool, (record) => records.push(record)).run(),
  ).toBe("done");
  process.off("worker", countThread);
  await pool.end();
  return { started, ids: records.map(({ id }) => id).sort() };
}

it("runs every split once, on no more threads than there are splits", async () => {
  expect(await runWith(1, 3)).toEqual({ started: 1, ids: ["0", "1", "2"] });
  expect(await runWith(2, 1)).toEqual({ started: 1, ids: ["0"] });
  expect(await runWith(4, 3)).toEqual({ started: 3, ids: ["0", "1", "2"] });
});

/** Starts threads up to a limit; the others are refused, as under `ulimit -u`. */
function startUpTo(limit: number): typeof startThread<SplitServer> {
  let starts = 0;
  return (entry, options) => {
    if (starts++ < limit) return startThread(entry, options);
    return new Remote(({ died }) => {
      died(new RemoteDeath("refused", "the system refuses it (EAGAIN)"));
      return { post() {}, kill() {}, setRef() {} };
    });
  };
}

it.each([1, 3])(
  "runs every split on the %s threads that the system does not refuse",
  async (limit) => {
    const notes: number[][] = [];
    const fewer = (...counts: number[]) => notes.push(counts);
    const { started, ids } = await runWith(8, 10, { start: startUpTo(limit), fewer });
    expect({ started, splits: ids.length }).toEqual({ started: limit, splits: 10 });
    expect(notes).toEqual([[limit, 8]]);
  },
);

it("names the limits to raise if the system refuses every thread", async () => {
  const fewer = () => expect.fail("no thread has started");
  await expect(runWith(4, 3, { start: startUpTo(0), fewer })).rejects.toMatchObject({
    code: "thread_refused",
    message: expect.stringContaining("ulimit -u"),
  });
});
