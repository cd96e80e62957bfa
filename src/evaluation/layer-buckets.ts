import type { Experiment } from "../contract/experiment.js";
import { BUCKETS } from "./buckets.js";
import { allocatedBuckets } from "./layer-spec.js";

/**
 * Returns the buckets that an experiment keeps with its next state: `userBuckets`. One that starts in a layer
 * takes the first free ones, and one whose allocation changes takes or gives up some, so that no unit of
 * another experiment moves. Buckets that a write names stay as they are; empty stands for all.
 * `members` are the other experiments of the layer.
 */
export function keptBuckets(
  next: Experiment,
  before: Experiment | undefined,
  members: readonly Experiment[],
): Experiment["userBuckets"] {
  const { layerID, status, userBuckets, allocation } = next;
  if (!layerID || status !== "active") return userBuckets;
  const isRunning = before?.status === "active" && before.layerID === layerID;
  const isNamed = isRunning
    ? String(userBuckets) !== String(before.userBuckets)
    : userBuckets.length > 0;
  if (isNamed) return userBuckets;
  const isUnchanged = isRunning && Number(before.allocation) === Number(allocation);
  if (isUnchanged && userBuckets.length > 0) return userBuckets;
  const all = Array.from({ length: BUCKETS }, (_, bucket) => bucket);
  // One that runs since before buckets were kept has those that were free when it was evaluated.
  const own = isRunning
    ? (allocatedBuckets([...members, before]).get(before.id) ?? all)
    : ([] as readonly number[]);
  const others = allocatedBuckets(members);
  const taken = new Set(
    members.flatMap(({ id, status, userBuckets }) =>
      status === "active"
        ? (others.get(id) ?? all)
        : status === "setup"
          ? userBuckets.map(Number)
          : [],
    ),
  );
  const count = Math.round((Number(allocation) / 100) * BUCKETS);
  const free = all.filter((bucket) => !taken.has(bucket) && !own.includes(bucket));
  const kept = isUnchanged ? [...own] : [...own, ...free].slice(0, count);
  return kept.length === BUCKETS && others.size === 0 ? [] : kept;
}
