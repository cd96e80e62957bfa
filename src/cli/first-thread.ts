import { ROW_BYTES_MAX } from "../base/limits.js";
import type { GivenFlags } from "../pipeline/configuration/configuration.js";
import { defaultMemory, thisMachine } from "../pipeline/configuration/machine.js";
import { budgetThreads } from "../pipeline/worker/thread-count.js";
import { ThreadsAhead } from "../pipeline/worker/threads-ahead.js";

/**
 * Starts the first worker thread of a run while the command itself is still being loaded (the first
 * byte is written 30 ms earlier), on the guess that file and environment say nothing about threads
 * and memory; undefined where the flags already say that the guess would be wrong. Whoever begins
 * the run looks whether it was right; to be ended by the caller in any case.
 */
export function startFirstThread(entry: URL, flags: GivenFlags): ThreadsAhead | undefined {
  const machine = thisMachine();
  const { threads = machine.threads, memory, maxRowSize } = flags;
  const isKnown = typeof threads === "number" && threads >= 1;
  if (!isKnown || memory !== undefined || maxRowSize !== undefined) return undefined;
  const memoryBytes = defaultMemory(machine);
  const { heapBytes } = budgetThreads({ threads, memoryBytes, rowBytesMax: ROW_BYTES_MAX });
  const ahead = new ThreadsAhead({ entry, heapBytes });
  ahead.start(1);
  return ahead;
}
