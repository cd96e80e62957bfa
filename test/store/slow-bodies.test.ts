import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RunningClock } from "../../src/base/running-clock.js";
import { retryCall, StoreCalls } from "../../src/store/store-calls.js";
import { StoreError } from "../../src/store/store-error.js";
import { storeWait } from "../../src/store/store-usage.js";

const { signal } = new AbortController();

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "setInterval", "Date"] }),
);
afterEach(() => void vi.useRealTimers());

const calls = new StoreCalls({
  scheme: "s3",
  bucket: "slow",
  requestsPerSecond: undefined,
  explain: ({ name }) => ({ known: undefined, name, status: 0, isTransient: true }),
});

/** Reads a body of which `bytes` arrive in each second. */
function read(bytes: number, seconds: number) {
  const body = new Readable({ read: () => {} });
  const answer = { status: 206, contentRange: "bytes 0-9/10", etag: "1", body };
  const outcome = { received: 0, end: "", waits: [] as (string | undefined)[] };
  const range = { etag: "1", start: 0, end: 10 ** 9, signal };
  const reading = (async () => {
    for await (const piece of calls.body("key", answer, range)) outcome.received += piece.length;
  })().catch((error: StoreError) => {
    outcome.end = `${error.isTransient} ${error.message}`;
  });
  const sending = (async () => {
    for (let second = 0; second < seconds && outcome.end === ""; second++) {
      await vi.advanceTimersByTimeAsync(1_000);
      body.push(Buffer.alloc(bytes));
      await new Promise((resolve) => setImmediate(resolve));
      outcome.waits.push(storeWait()?.reason);
    }
    body.push(null);
  })();
  return Promise.all([reading, sending]).then(() => outcome);
}

it("gives up a body that arrives at 1 kB/s, and says before that the store is slow", async () => {
  const { received, end, waits } = await read(1_000, 60);
  expect(end).toMatch(/^true s3:\/\/slow\/key: the store sends the object very slowly/);
  expect(received).toBe(20_000);
  expect(
    waits.indexOf(
      "s3://slow/key: the store sends the object very slowly. Check the network and the store.",
    ),
  ).toBe(9);
  expect(storeWait()).toBe(undefined);
});

it("reads a body that arrives at 20 kB/s to its end", async () => {
  const { received, end, waits } = await read(20_000, 60);
  expect([received, end]).toEqual([1_200_000, ""]);
  expect(waits.every((wait) => wait === undefined)).toBe(true);
});

/** A call that fails after `passMs`, in which the process was stopped or not, and then succeeds. */
function callAfter(passMs: number, isStopped: boolean): Promise<string> {
  let nowMs = 0;
  let tick = () => {};
  const clock = new RunningClock({
    now: () => nowMs,
    every: (work) => {
      tick = work;
    },
  });
  let attempts = 0;
  const options = { signal, giveUpAfterMs: 120_000, now: () => clock.ms };
  const result = retryCall(options, async () => {
    if (++attempts > 1) return "repeated";
    for (const stepMs = isStopped ? passMs : 1_000; nowMs < passMs; tick()) nowMs += stepMs;
    throw new StoreError("store_unreachable", "reset", "s3://slow", true);
  });
  result.catch(() => undefined);
  return vi.advanceTimersByTimeAsync(1_000).then(() => result);
}

it("repeats a call in which the process was stopped, however long that was", async () => {
  expect(await callAfter(600_000, true)).toBe("repeated");
  expect(await callAfter(119_000, false)).toBe("repeated");
  await expect(callAfter(600_000, false)).rejects.toMatchObject({ code: "store_unreachable" });
});
