// Transform module of bench:queue: takes as long for an event as a split takes on its machine, and logs that.
import { appendFileSync } from "node:fs";
import { threadId } from "node:worker_threads";

const { BENCH_LOG: log, BENCH_SLOWDOWN: slowdown } = process.env;
const cell = new Int32Array(new SharedArrayBuffer(4));
const now = () => performance.timeOrigin + performance.now();

export function transform(event) {
  const { ms } = event.metadata;
  if (ms === undefined) return event;
  const thread = `${process.pid}-${threadId}`;
  const startMs = now();
  Atomics.wait(cell, 0, 0, Number(ms) * Number(slowdown));
  appendFileSync(log, `${JSON.stringify({ thread, startMs, endMs: now() })}\n`);
  return event;
}
