import type { Split } from "../plan.js";

/** Work of this process. Others do not do it as long as it is claimed. */
export interface WorkClaim {
  /** Asked before it is committed: false if another process has recorded it. */
  isWanted(): Promise<boolean>;
  /** It is recorded, and its output is where it belongs. */
  done(): Promise<void>;
  /** It is not recorded, so it has to be done again, here or elsewhere. */
  failed(): Promise<void>;
}

/** A split that this process reads. */
export type Claim = { readonly split: Split } & WorkClaim;

/** Decides which process does which work, and when: reads a split, or makes a merge. */
export interface Dispatch<Work extends object = { readonly split: Split }> {
  /** No work is left for this process. */
  readonly isEmpty: boolean;
  /** More threads than this have nothing to do. */
  readonly threadsMax: number;
  /** A thread may claim the split after its own, so that its objects are asked for early. */
  readonly allowsReserve: boolean;
  /**
   * Claims the next work, until it ends. Returns undefined if there is none: with `waits` only when none
   * will come for this process, without it at once.
   */
  claim(waits: boolean): Promise<(Work & WorkClaim) | undefined>;
}

/** Dispatches splits that no other process reads, the largest first. */
export function dispatchHere(splits: readonly Split[]): Dispatch {
  return dispatchAll(
    splits.map((split) => ({ split })),
    ({ split }) => split.bytes,
  );
}

/** Dispatches work that no other process does, the largest first. */
export function dispatchAll<Work extends object>(
  works: readonly Work[],
  bytesOf: (work: Work) => number,
): Dispatch<Work> {
  const queue = [...works].sort((one, other) => bytesOf(other) - bytesOf(one));
  const claimOf = (work: Work): Work & WorkClaim => ({
    ...work,
    isWanted: async () => true,
    done: async () => undefined,
    failed: async () => void queue.unshift(work),
  });
  return {
    threadsMax: works.length,
    allowsReserve: true,
    get isEmpty() {
      return queue.length === 0;
    },
    async claim() {
      const work = queue.shift();
      return work && claimOf(work);
    },
  };
}
