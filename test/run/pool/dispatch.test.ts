import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { QueueDispatch } from "../../../src/distributed/queue-dispatch.js";
import { WorkQueue } from "../../../src/distributed/work-queue.js";
import type { Split } from "../../../src/plan/plan.js";
import { type Dispatch, dispatchHere } from "../../../src/run/pool/dispatch.js";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis-server.js";
import { scratchDirectory } from "../../support/scratch.js";

const splits = ["000000", "000001", "000002", "000003"].map(
  (id, index): Split => ({ id, ranges: [], bytes: 100 - index }),
);

/** Dispatches of the same splits; the second one is another process, if there can be one. */
interface Dispatches {
  readonly one: Dispatch<Split>;
  readonly other: Dispatch<Split>;
  close(): Promise<void>;
}

/** The promises of every dispatch. */
function describeDispatch(name: string, open: () => Promise<Dispatches>): void {
  describe(name, () => {
    test("each split is claimed once, the largest first", async () => {
      const { one, other, close } = await open();
      const ids: (string | undefined)[] = [];
      for (const dispatch of [one, other, one, other]) ids.push((await dispatch.claim(false))?.id);
      expect(ids).toEqual(splits.map(({ id }) => id));
      expect(await one.claim(false)).toBeUndefined();
      await close();
    });

    test("a split that was not read is claimed again, one that is done never", async () => {
      const { one, other, close } = await open();
      const claimed: Split[] = [];
      for (let split = await one.claim(false); split; split = await one.claim(false))
        claimed.push(split);
      const [first, ...rest] = claimed as [Split, ...Split[]];
      for (const split of rest) {
        expect(await one.isRecorded?.(split)).not.toBe(true);
        await one.done(split);
      }
      await one.failed(first);
      const again = await other.claim(false);
      expect(again).toEqual(splits[0]);
      if (again !== undefined) await other.done(again);
      expect(await one.claim(false)).toBeUndefined();
      await close();
    });

    test("a waiting caller gets undefined when nothing is left", async () => {
      const { one, close } = await open();
      for (let left = splits.length; left > 0; left--) {
        const split = await one.claim(true);
        if (split !== undefined) await one.done(split);
      }
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

test("splits of about the same size are claimed in their order", async () => {
  const bytes = [80, 100, 90, 270, 90, 0, 290];
  const dispatch = dispatchHere(bytes.map((size, id) => ({ id, bytes: size })));
  const ids: (number | undefined)[] = [];
  while (!dispatch.isEmpty) ids.push((await dispatch.claim(false))?.id);
  expect(ids).toEqual([3, 6, 0, 1, 2, 4, 5]);
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
      const dispatch = new QueueDispatch(undefined, {
        queue,
        output: { isRecorded: async ({ id }) => recorded.has(id) },
        run,
        kind: "split",
        epoch: 0,
        works: new Map(splits.map((split) => [split.id, split])),
        stop: signal,
        now: () => performance.now(),
      });
      const { done } = dispatch;
      // The output has the records.
      dispatch.done = (split) => {
        recorded.add(split.id);
        return done.call(dispatch, split);
      };
      return dispatch;
    });
    await queues[0]?.add(
      splits.map(({ id }) => ({ run, output: "/out", kind: "split", epoch: 0, id })),
    );
    await queues[0]?.markEnded(run);
    return {
      one: one as Dispatch<Split>,
      other: other as Dispatch<Split>,
      close: async () => {
        for (const queue of queues) await queue.close();
        await redis.client.flushall();
      },
    };
  });
});
