import { expect, it } from "vitest";
import type { Experiment } from "../../src/contract/experiment.js";
import { allocatedBuckets } from "../../src/evaluation/layer-spec.js";

function experiment(id: string, rest: Partial<Experiment>): Experiment {
  const facts = { status: "active", userBuckets: [], allocation: 10, createdTime: 0, startTime: 0 };
  return { ...facts, ...rest, id } as unknown as Experiment;
}

it("gives the experiments of a layer buckets that no other has, the first that started first", () => {
  const buckets = allocatedBuckets([
    experiment("late", { startTime: 9, allocation: 99 }),
    experiment("named", { startTime: 5, userBuckets: [0, "2"] }),
    experiment("early", { startTime: 1, allocation: 0.3 }),
    experiment("ended", { startTime: 0, status: "abandoned", allocation: 100 }),
  ]);
  expect(buckets.get("named")).toEqual([0, 2]);
  expect(buckets.get("early")).toEqual([1, 3, 4]);
  expect(buckets.get("late")?.slice(0, 2)).toEqual([5, 6]);
  expect(buckets.get("late")).toHaveLength(990);
  expect(buckets.get("ended")).toBeUndefined();
});

it("gives a lone experiment all units without a list of buckets", () => {
  expect(allocatedBuckets([experiment("alone", { allocation: 100 })]).get("alone")).toBeUndefined();
});
