import { expect, test } from "vitest";
import { ThreadCounters } from "../../../src/run/thread/thread-counters.js";

function seen(worker: ThreadCounters): readonly number[] {
  const { rows, rejects, bytes, delivered } = new ThreadCounters(worker.buffer);
  return [rows, rejects, bytes, delivered];
}

test("a batch that finishes as a whole counts when it is finished", () => {
  const counters = new ThreadCounters();
  counters.begin(100, 5_000, 90);
  expect(seen(counters)).toEqual([0, 0, 0, 0]);
  counters.set(100, 10, 5_000);
  expect(seen(counters)).toEqual([100, 10, 5_000, 0]);
});

test("a batch that finishes event by event counts by its finished share", () => {
  const counters = new ThreadCounters();
  counters.set(100, 0, 5_000);
  counters.begin(200, 8_000, 160);
  counters.settle(38, 2);
  expect(seen(counters)).toEqual([150, 2, 7_000, 38]);
  counters.settle(120, 0);
  expect(seen(counters)).toEqual([300, 2, 13_000, 158]);
});

test("late answers for the previous batch do not push a batch beyond its end", () => {
  const counters = new ThreadCounters();
  counters.begin(10, 1_000, 10);
  counters.set(10, 0, 1_000);
  counters.begin(5, 500, 5);
  counters.settle(10, 0);
  expect(seen(counters)).toEqual([15, 0, 1_500, 10]);
});
