import { expect, test } from "vitest";
import type { Answer } from "../../src/webhook/post.js";
import { Sender } from "../../src/webhook/sender.js";
import { JumpingClock } from "../support/jumping-clock.js";

const accepted: Answer = { status: 202, headers: {}, text: "" };
const busyFor = (seconds: number): Answer => ({
  status: 429,
  headers: { "retry-after": String(seconds) },
  text: "",
});

/** Delivers events side by side; returns the milliseconds after which each request began. */
async function deliver(
  count: number,
  respond: (index: number) => Answer,
  awaitRate: () => Promise<void>,
): Promise<readonly number[]> {
  const clock = new JumpingClock();
  const startMs = clock.now();
  const times: number[] = [];
  const sender = new Sender({
    body: "object",
    giveUpAfterMs: 900_000,
    isReached: true,
    clock,
    random: () => 1,
    awaitRate,
    post: async () => respond(times.push(clock.now() - startMs) - 1),
  });
  const notes = { pending: () => undefined, tooLarge: () => undefined };
  const text = Buffer.from("{}");
  const batches = Array.from({ length: count }, (_, index) => ({ key: `${index}`, texts: [text] }));
  await Promise.all(batches.map((batch) => sender.deliver(batch, notes)));
  return times;
}

test("nothing is sent before the longest pause has ended that the service asked for, though the rate allows it", async () => {
  let taken = 0;
  const pauses = [60, 5, 1];
  const times = await deliver(
    3,
    (index) => (index < 3 ? busyFor(pauses[index] ?? 0) : accepted),
    async () => void taken++,
  );
  expect(times).toEqual([0, 0, 0, 60_000, 60_000, 60_000]);
  expect(taken).toBe(6);
});

test("a request that has waited for the rate waits for a pause that has begun meanwhile", async () => {
  let allow: () => void = () => undefined;
  const allowed = new Promise<void>((resolve) => {
    allow = resolve;
  });
  let taken = 0;
  const times = await deliver(
    3,
    (index) => {
      if (index > 0) return accepted;
      // After this answer.
      setImmediate(allow);
      return busyFor(60);
    },
    () => (taken++ === 0 ? Promise.resolve() : allowed),
  );
  expect(times).toEqual([0, 60_000, 60_000, 60_000]);
});
