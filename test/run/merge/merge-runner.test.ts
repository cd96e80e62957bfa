import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { SwitchyardError } from "../../../src/base/errors.js";
import { MIB } from "../../../src/base/limits.js";
import type { MergeRecord } from "../../../src/ledger/ledger-records.js";
import { MergeRunner } from "../../../src/run/merge/merge-runner.js";
import { dispatchHere } from "../../../src/run/pool/dispatch.js";
import { type WorkerPhase, WorkerPool } from "../../../src/run/pool/worker-pool.js";
import type { MergeWork } from "../../../src/run/thread/run-merge.js";
import { processScript } from "../../support/process-scripts.js";

const pools: WorkerPool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});

function runnerOf(
  ids: readonly string[],
  threads = 1,
  gather?: (work: MergeWork) => Promise<void>,
) {
  const records: MergeRecord[] = [];
  const stop = new AbortController();
  const pool = new WorkerPool({
    entry: pathToFileURL(processScript("bare-worker")),
    heapBytes: 64 * MIB,
    threads,
    signal: stop.signal,
  });
  pool.begin({ options: {} } as WorkerPhase);
  pools.push(pool);
  const merges = ids.map((id, index) => ({
    work: () => ({ id, rows: 5, splits: [], staged: [] }),
    bytes: 100 - index,
    days: "1970-01-01 to 1970-01-02",
  }));
  const runner = new MergeRunner(
    dispatchHere(merges),
    pool,
    (record) => void records.push(record),
    gather,
  );
  return { runner, records, stop };
}

it("runs all merges and reports progress", async () => {
  const { runner, records } = runnerOf(["0", "1", "2"], 2);
  expect(await runner.run()).toBe("done");
  expect(records.map(({ id }) => id).sort()).toEqual(["0", "1", "2"]);
  expect(runner.progress()).toMatchObject({ rows: 15, bytes: 297, merges: 3 });
});

it("ends the run if a thread dies, and names what it merged", async () => {
  const { runner, records } = runnerOf(["0", "dies", "2"]);
  await expect(runner.run()).rejects.toMatchObject({
    code: "worker_died",
    exitCode: 1,
    message: expect.stringContaining("1970-01-01 to 1970-01-02"),
  });
  expect(records.map(({ id }) => id)).toEqual(["0"]);
});

it("gathers what a merge reads before it begins, and ends the run if that fails", async () => {
  const gathered: string[] = [];
  const { runner, records } = runnerOf(["0", "1", "2"], 1, async ({ id }) => {
    if (id === "2") throw new SwitchyardError("disk_full", "as if");
    gathered.push(id);
  });
  await expect(runner.run()).rejects.toMatchObject({ code: "disk_full" });
  expect(gathered).toEqual(["0", "1"]);
  expect(records.map(({ id }) => id)).toEqual(["0", "1"]);
});

it("ends the run with the error of a merge that fails", async () => {
  const { runner } = runnerOf(["0", "fails", "2"]);
  await expect(runner.run()).rejects.toMatchObject({ code: "disk_full", exitCode: 1 });
});

it("begins no merge after a stop", async () => {
  const { runner, records, stop } = runnerOf(["0", "waits", "2"]);
  const run = runner.run();
  const look = setInterval(() => records.length === 1 && stop.abort(), 1);
  expect(await run).toBe("interrupted");
  clearInterval(look);
  expect(records.map(({ id }) => id)).toEqual(["0"]);
});
