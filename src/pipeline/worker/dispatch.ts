import type { Split } from "../plan.js";

/** Work of this process. Others do not do it as long as it is claimed. */
export interface WorkClaim {
  /** Asked before it is committed: false if another process has recorded it. */
  isWanted(): Promise<boolean>;
  /** It is recorded, and its output is where it belongs. */
  done(): Promise<void>;
  /** It is not recorded, so that somebody has to do it again. `error`: the reason, if it is the work. */
  failed(error?: unknown): Promise<void>;
}

/** A split that this process reads. */
export interface Claim extends WorkClaim {
  readonly split: Split;
}

/** Decides which process reads which split, and when. */
export interface Dispatch {
  /** No split is left for this process. */
  readonly isEmpty: boolean;
  /** More threads than this have nothing to do. */
  readonly threadsMax: number;
  /** A thread may claim the split after its own, so that its objects are asked for early. */
  readonly allowsReserve: boolean;
  /**
   * Claims the next split, until it ends. Returns undefined if there is none: with `waits` only when none
   * will come for this process, without it at once.
   */
  claim(waits: boolean): Promise<Claim | undefined>;
}

/** Dispatches splits that no other process reads, the largest first. */
export function dispatchHere(splits: readonly Split[]): Dispatch {
  const queue = [...splits].sort((one, other) => other.bytes - one.bytes);
  const claimOf = (split: Split): Claim => ({
    split,
    isWanted: async () => true,
    done: async () => undefined,
    failed: async () => void queue.unshift(split),
  });
  return {
    threadsMax: splits.length,
    allowsReserve: true,
    get isEmpty() {
      return queue.length === 0;
    },
    async claim() {
      const split = queue.shift();
      return split && claimOf(split);
    },
  };
}
