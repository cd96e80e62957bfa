/**
 * Decides which process reads which split or makes which merge, and when. Work that is claimed ends
 * with `done` or `failed`.
 */
export interface Dispatch<Work> {
  /** True if no work is left for this process. */
  readonly isEmpty: boolean;
  /** Number of threads that can have work. */
  readonly threadsMax: number;
  /**
   * Claims the next work. Returns undefined if there is none: with `waits` only once no work can
   * come for this process, without it at once.
   */
  claim(waits: boolean): Promise<Work | undefined>;
  /** Returns true if a process has recorded the work; absent if no other process does any of it. */
  isRecorded?(work: Work): Promise<boolean>;
  /** Call it when the work is recorded and its output is stored. */
  done(work: Work): Promise<void>;
  /** Call it if the work was not recorded: it is done again, by this process or another. */
  failed(work: Work): Promise<void>;
}

/**
 * Dispatches work that no other process does, the largest first; of about the same size, in the given
 * order.
 */
export function dispatchHere<Work extends { readonly bytes: number }>(
  works: readonly Work[],
): Dispatch<Work> {
  // Splits of one size differ by a few lines: 0.84 to 1.19 times a power of two is the same size.
  const size = ({ bytes }: Work) => Math.round(2 * Math.log2(Math.max(1, bytes)));
  const queue = [...works].sort((one, other) => size(other) - size(one));
  return {
    threadsMax: works.length,
    get isEmpty() {
      return queue.length === 0;
    },
    claim: async () => queue.shift(),
    done: async () => undefined,
    failed: async (work) => void queue.unshift(work),
  };
}
