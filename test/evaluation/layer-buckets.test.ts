import fc from "fast-check";
import { expect, test } from "vitest";
import type { Experiment } from "../../src/contract/experiment.js";
import { keptBuckets } from "../../src/evaluation/layer-buckets.js";
import { allocatedBuckets } from "../../src/evaluation/layer-spec.js";

function experiment(id: string, facts: Partial<Experiment> = {}): Experiment {
  const common = { status: "setup", layerID: "l", userBuckets: [], allocation: 10, createdTime: 0 };
  return { id, startTime: null, ...common, ...facts } as unknown as Experiment;
}

const range = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, index) => start + index);

/** A running experiment with the buckets that it has kept. */
function started(id: string, facts: Partial<Experiment>, members: readonly Experiment[]) {
  const next = experiment(id, { status: "active", ...facts });
  return { ...next, userBuckets: keptBuckets(next, experiment(id, facts), members) };
}

test("an experiment that starts takes the first free buckets of its layer", () => {
  const one = started("one", { allocation: 20 }, []);
  expect(one.userBuckets).toEqual(range(0, 200));
  const two = started("two", { allocation: 30 }, [one]);
  expect(two.userBuckets).toEqual(range(200, 500));
  const reserved = experiment("named", { userBuckets: range(500, 600) });
  expect(started("three", { allocation: 10 }, [one, two, reserved]).userBuckets).toEqual(
    range(600, 700),
  );
});

test("all buckets, buckets that a write names, and experiments outside layers stay", () => {
  expect(started("one", { allocation: 100 }, []).userBuckets).toEqual([]);
  expect(started("one", { userBuckets: [7, "9"] }, []).userBuckets).toEqual([7, "9"]);
  const alone = experiment("one", { status: "active", layerID: null as never });
  expect(keptBuckets(alone, experiment("one"), [])).toEqual([]);
  const one = started("one", { allocation: 20 }, []);
  expect(keptBuckets({ ...one, userBuckets: [1] }, one, [])).toEqual([1]);
});

test("another allocation takes free buckets or gives up the last ones", () => {
  const one = started("one", { allocation: 20 }, []);
  const two = started("two", { allocation: 10 }, [one]);
  const grown = { ...one, userBuckets: keptBuckets({ ...one, allocation: 25 }, one, [two]) };
  expect(grown.userBuckets).toEqual([...range(0, 200), ...range(300, 350)]);
  expect(keptBuckets({ ...grown, allocation: 5 }, { ...grown, allocation: 25 }, [two])).toEqual(
    range(0, 50),
  );
  // A full layer has no more, and free ones are not taken later by another write.
  const full = started("full", { allocation: 90 }, [one, two]);
  expect(full.userBuckets).toEqual(range(300, 1_000));
  expect(keptBuckets({ ...full, description: "x" } as Experiment, full, [])).toEqual(
    range(300, 1_000),
  );
});

test("one that runs since before buckets were kept keeps those that it was evaluated with", () => {
  const one = experiment("one", { status: "active", allocation: 20, startTime: 1 });
  const two = experiment("two", { status: "active", allocation: 10, startTime: 2 });
  const evaluated = allocatedBuckets([one, two]).get("two");
  expect(keptBuckets({ ...two, description: "x" } as Experiment, two, [one])).toEqual(evaluated);
  expect(keptBuckets({ ...two, allocation: 15 }, two, [one])).toEqual(range(200, 350));
});

test("experiments that run at the same time never share a bucket, whatever happens", () => {
  const step = fc.record({
    id: fc.constantFrom("a", "b", "c", "d"),
    act: fc.constantFrom("start", "allocate", "touch", "stop"),
    allocation: fc.integer({ min: 0, max: 100 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const layer = new Map<string, Experiment>();
      for (const { id, act, allocation } of steps) {
        const before = layer.get(id);
        const others = [...layer.values()].filter((one) => one.id !== id);
        const isRunning = before?.status === "active";
        if (act === "stop") layer.delete(id);
        else if (act === "start" && !isRunning)
          layer.set(id, started(id, { allocation, startTime: layer.size }, others));
        else if (before !== undefined && isRunning) {
          const next = act === "allocate" ? { ...before, allocation } : before;
          layer.set(id, { ...next, userBuckets: keptBuckets(next, before, others) });
        }
        const running = [...layer.values()];
        const owned = running.flatMap(({ id }) => {
          const own = allocatedBuckets(running).get(id);
          return own ?? range(0, 1_000);
        });
        expect(new Set(owned).size).toBe(owned.length);
      }
    }),
  );
});
