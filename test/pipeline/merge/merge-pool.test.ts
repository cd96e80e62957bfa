import { expect, it } from "vitest";
import { MIB } from "../../../src/base/limits.js";
import type { MergeRecord } from "../../../src/pipeline/merge/merge-ledger.js";
import { MergePool, type MergePoolOptions } from "../../../src/pipeline/merge/merge-pool.js";

/** Merges nothing: what becomes of a merge is its id. */
const worker = `
  import { parentPort } from "node:worker_threads";
  const answer = (message) => parentPort.postMessage(message);
  let waits = false;
  parentPort.on("message", ({ kind, work }) => {
    if (kind === "setup") answer({ kind: "ready" });
    if (kind === "stop" && waits) answer({ kind: "halted" });
    if (kind !== "merge") return;
    if (work.id === "dies") process.exit(7);
    if (work.id === "waits") waits = true;
    else if (work.id === "fails") answer({ kind: "unmerged", error: { code: "disk_full", message: "full", exitCode: 1 } });
    else answer({ kind: "merged", record: { id: work.id, rows: 5, parts: [] } });
  });`;

function poolOf(ids: readonly string[], threads = 1) {
  const records: MergeRecord[] = [];
  const stop = new AbortController();
  const options: MergePoolOptions = {
    entry: new URL(`data:text/javascript,${encodeURIComponent(worker)}`),
    heapBytes: 64 * MIB,
    setup: {} as MergePoolOptions["setup"],
    threads,
    idle: [],
    signal: stop.signal,
    onRecord: (record) => void records.push(record),
  };
  const merges = ids.map((id, index) => ({
    work: { id, firstDay: 0, lastDay: 1, rows: 5, splits: [] },
    bytes: 100 - index,
    days: "1970-01-01 to 1970-01-02",
  }));
  return { pool: new MergePool(merges, options), records, stop };
}

it("runs all merges, and tells how far it is", async () => {
  const { pool, records } = poolOf(["0", "1", "2"], 2);
  expect(await pool.run()).toBe("done");
  expect(records.map(({ id }) => id).sort()).toEqual(["0", "1", "2"]);
  expect(pool.progress()).toMatchObject({ rows: 15, bytes: 297, merges: 3 });
});

it("ends the run where a thread dies, and says what it merged", async () => {
  const { pool, records } = poolOf(["0", "dies", "2"]);
  await expect(pool.run()).rejects.toMatchObject({
    code: "worker_died",
    exitCode: 1,
    message: expect.stringContaining("1970-01-01 to 1970-01-02"),
  });
  expect(records.map(({ id }) => id)).toEqual(["0"]);
});

it("ends the run with the error of a merge that fails", async () => {
  const { pool } = poolOf(["0", "fails", "2"]);
  await expect(pool.run()).rejects.toMatchObject({ code: "disk_full", exitCode: 1 });
});

it("begins no merge once it is stopped", async () => {
  const { pool, records, stop } = poolOf(["0", "waits", "2"]);
  const run = pool.run();
  const look = setInterval(() => records.length === 1 && stop.abort(), 1);
  expect(await run).toBe("interrupted");
  clearInterval(look);
  expect(records.map(({ id }) => id)).toEqual(["0"]);
});
