import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunDispatch } from "../../../src/distributed/run-dispatch.js";
import { WorkQueue } from "../../../src/distributed/work-queue.js";
import type { Split } from "../../../src/plan/plan.js";
import { type Claim, type Dispatch, dispatchHere } from "../../../src/run/pool/dispatch.js";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis-server.js";
import { scratchDirectory } from "../../support/scratch.js";

const splits = ["000000", "000001", "000002", "000003"].map(
  (id, index): Split => ({ id, ranges: [], bytes: 100 - index }),
);

/** Dispatches of the same splits; the second one is another process, if there can be one. */
interface Dispatches {
  readonly one: Dispatch;
  readonly other: Dispatch;
  close(): Promise<void>;
}

/** The promises of every dispatch. */
function describeDispatch(name: string, open: () => Promise<Dispatches>): void {
  describe(name, () => {
    test("each split is claimed once, the largest first", async () => {
      const { one, other, close } = await open();
      const ids: (string | undefined)[] = [];
      for (const dispatch of [one, other, one, other])
        ids.push((await dispatch.claim(false))?.split.id);
      expect(ids).toEqual(splits.map(({ id }) => id));
      expect(await one.claim(false)).toBeUndefined();
      await close();
    });

    test("a split that was not read is claimed again, one that is done never", async () => {
      const { one, other, close } = await open();
      const claims: Claim[] = [];
      for (let claim = await one.claim(false); claim; claim = await one.claim(false))
        claims.push(claim);
      const [first, ...rest] = claims;
      for (const claim of rest) {
        expect(await claim.isWanted()).toBe(true);
        await claim.done();
      }
      await first?.failed();
      const again = await other.claim(false);
      expect(again?.split).toEqual(splits[0]);
      await again?.done();
      expect(await one.claim(false)).toBeUndefined();
      await close();
    });

    test("a waiting caller gets undefined when nothing is left", async () => {
      const { one, close } = await open();
      for (let left = splits.length; left > 0; left--) await (await one.claim(true))?.done();
      expect(await one.claim(true)).toBeUndefined();
      expect(one.isEmpty).toBe(true);
      await close();
    });
  });
}

describeDispatch("in this process", async () => {
  const one = dispatchHere(splits);
  return { one, other: one, close: async () => undefined };
});

describe.skipIf(!hasRedis())("with Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis(join(scratchDirectory("dispatch"), "redis"));
  });
  afterAll(async () => {
    redis.client.disconnect();
    await redis.stop();
  });

  let runs = 0;
  describeDispatch("a queue", async () => {
    const run = `run${runs++}`;
    const recorded = new Set<string>();
    const signal = new AbortController().signal;
    const queues = await Promise.all(
      [1, 2].map(() => WorkQueue.open({ url: redis.url, signal, note: () => undefined })),
    );
    const [one, other] = queues.map((queue) => {
      const dispatch = new RunDispatch(undefined, {
        queue,
        output: { isRecorded: async ({ id }) => recorded.has(id) },
        run,
        kind: "split",
        epoch: 0,
        works: new Map(splits.map((split) => [split.id, { split }])),
        stop: signal,
        now: () => performance.now(),
      });
      return recording(dispatch, recorded);
    });
    await queues[0]?.add(
      splits.map(({ id }) => ({ run, output: "/out", kind: "split", epoch: 0, id })),
    );
    await queues[0]?.markEnded(run);
    return {
      one: one as Dispatch,
      other: other as Dispatch,
      close: async () => {
        for (const queue of queues) await queue.close();
        await redis.client.flushall();
      },
    };
  });
});

/** Records splits that are done, as their output does. */
function recording(dispatch: Dispatch, recorded: Set<string>): Dispatch {
  return {
    threadsMax: dispatch.threadsMax,
    allowsReserve: dispatch.allowsReserve,
    get isEmpty() {
      return dispatch.isEmpty;
    },
    async claim(waits) {
      const claim = await dispatch.claim(waits);
      if (claim === undefined) return undefined;
      const done = async () => {
        recorded.add(claim.split.id);
        await claim.done();
      };
      return { ...claim, done };
    },
  };
}
