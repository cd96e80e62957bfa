import { expect, it } from "vitest";
import { RunningClock } from "../../src/base/running-clock.js";

it("goes on while ticks arrive, and stands still while the process is stopped", () => {
  let nowMs = 1_000;
  let tick = () => {};
  const clock = new RunningClock({
    now: () => nowMs,
    every: (work) => {
      tick = work;
    },
  });
  const start = clock.ms;
  for (let second = 0; second < 120; second++) {
    nowMs += 1_000;
    tick();
  }
  expect(clock.ms - start).toBe(120_000);
  nowMs += 600_000;
  expect(clock.ms - start).toBe(121_000);
  nowMs += 500;
  expect(clock.ms - start).toBe(121_500);
});
