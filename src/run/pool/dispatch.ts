import type { Split } from "../../plan/plan.js";

/** Work of this process. Other processes do not do it while it is claimed. */
export interface WorkClaim {
  /** Call it before the commit: returns false if another process has recorded the work. */
  isWanted(): Promise<boolean>;
  /** Call it when the work is recorded and its output is stored. */
  done(): Promise<void>;
  /** Call it if the work was not recorded: it is done again, by this process or another. */
  failed(): Promise<void>;
}

/** A split that this process reads. */
export type Claim = { readonly split: Split } & WorkClaim;

/** Decides which process reads which split or makes which merge, and when. */
export interface Dispatch<Work extends object = { readonly split: Split }> {
  /** True if no work is left for this process. */
  readonly isEmpty: boolean;
  /** Number of threads that can have work. */
  readonly threadsMax: number;
  /** True if a thread may claim its next split early, to request the objects of that split. */
  readonly allowsReserve: boolean;
  /**
   * Claims the next work. Returns undefined if there is none: with `waits` only once no work can
   * come for this process, without it at once.
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
