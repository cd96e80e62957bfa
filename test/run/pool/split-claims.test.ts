import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { ClaimTime } from "../../../src/base/claim-time.js";
import { MIB } from "../../../src/base/limits.js";
import type { Split } from "../../../src/plan/plan.js";
import { dispatchHere } from "../../../src/run/pool/dispatch.js";
import { SplitClaims } from "../../../src/run/pool/split-claims.js";
import { SplitRunner } from "../../../src/run/pool/split-runner.js";
import { type WorkerPhase, WorkerPool } from "../../../src/run/pool/worker-pool.js";
import { processScript } from "../../support/process-scripts.js";

const splits = ["0", "1"].map((id, index): Split => ({ id, ranges: [], bytes: 100 - index }));

/** Runs splits that other processes have claimed, or have recorded. */
function runBeside({ claimed = [] as string[], recorded = [] as string[] }) {
  const ends: string[] = [];
  const claimTime = new ClaimTime();
  const stop = new AbortController();
  const pool = new WorkerPool({
    entry: pathToFileURL(processScript("bare-worker")),
    heapBytes: 64 * MIB,
    threads: 1,
    signal: stop.signal,
  });
  pool.begin({ options: {} } as WorkerPhase);
  /** Called when a split turns out to be claimed by another process. */
  const refused = { call: (_id: string) => undefined as unknown };
  const inner = dispatchHere(splits);
  const dispatch = {
    ...inner,
    get isEmpty() {
      return inner.isEmpty;
    },
    isRecorded: async ({ id }: Split) => recorded.includes(id),
    done: async ({ id }: Split) => void ends.push(`${id} done`),
    failed: async ({ id }: Split) => void ends.push(`${id} failed`),
  };
  const claims = new SplitClaims(async (id) => {
    if (claimed.includes(id)) {
      refused.call(id);
      return undefined;
    }
    return { leftMs: 10_000, release: async () => void ends.push(`${id} released`) };
  }, claimTime);
  const onRecord = ({ id }: { readonly id: string }) =>
    void ends.push(`${id} recorded ${claimTime.isOver ? "too late" : "in time"}`);
  const runner = new SplitRunner(dispatch, pool, onRecord, claims);
  return { runner, stop, ends, claimTime, claimed, recorded, refused };
}

test("a split that another process sends waits until it is free, and is claimed until it is recorded", async () => {
  const { runner, ends, claimTime, claimed, refused } = runBeside({ claimed: ["0"] });
  let tries = 0;
  refused.call = () => ++tries === 3 && claimed.pop();
  expect(claimTime.isOver).toBe(true);
  expect(await runner.run()).toBe("done");
  const ended = (id: string) => [`${id} recorded in time`, `${id} released`, `${id} done`];
  expect(ends).toEqual([...ended("1"), ...ended("0")]);
  expect(claimTime.isOver).toBe(true);
});

test("a split that another process sends is given back if the run stops", async () => {
  const { runner, stop, ends, refused } = runBeside({ claimed: ["0"] });
  let tries = 0;
  refused.call = () => {
    // The other split is done by then.
    if (++tries === 4) stop.abort();
  };
  expect(await runner.run()).toBe("interrupted");
  expect(ends.slice(-2)).toEqual(["1 done", "0 failed"]);
});

test("a split that was recorded in the meantime is not read, with or without its claim", async () => {
  const { runner, ends } = runBeside({ claimed: ["0"], recorded: ["0", "1"] });
  expect(await runner.run()).toBe("done");
  expect(ends).toEqual(["0 done", "1 released", "1 done"]);
});
