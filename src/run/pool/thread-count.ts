import { UsageError } from "../../base/errors.js";
import {
  EVENT_COUNTS_BYTES,
  MAIN_THREAD_BYTES,
  MIB,
  ROW_BUFFER_BYTES,
  SPILL_BYTES,
  THREADS_MAX,
  WINDOW_BYTES,
  WORKER_HEAP_BYTES_MIN,
} from "../../base/limits.js";
import { option } from "../../base/option-text.js";
import type { RunOptions } from "../../options/options.js";

interface ThreadBudget {
  readonly threads: number;
  /** JavaScript heap of one worker. */
  readonly heapBytes: number;
}

/**
 * Returns the number of workers that fit into `memoryBytes`, up to the number requested. Throws
 * `UsageError` if none fits. The output does not depend on it.
 */
export function budgetThreads(
  options: Pick<RunOptions, "threads" | "memoryBytes" | "rowBytesMax">,
): ThreadBudget {
  const outsideHeap = bytesOutsideHeap(options.rowBytesMax);
  const perThread = outsideHeap + WORKER_HEAP_BYTES_MIN;
  const affordable = Math.floor((options.memoryBytes - MAIN_THREAD_BYTES) / perThread);
  if (affordable < 1) {
    const { memoryBytes } = options;
    const given =
      memoryBytes % MIB === 0
        ? `${memoryBytes / MIB}MiB`
        : `of ${memoryBytes} ${memoryBytes === 1 ? "byte" : "bytes"}`;
    const least = Math.ceil((MAIN_THREAD_BYTES + perThread) / MIB);
    throw new UsageError(
      "memory_too_small",
      `${option("memory")} ${given} is too small: one thread needs at least ${least}MiB for rows of up to ${Math.ceil(options.rowBytesMax / MIB)}MiB; raise ${option("memory")}, or lower ${option("maxRowSize")}`,
    );
  }
  const threads = Math.min(options.threads, affordable, THREADS_MAX);
  const share = Math.floor((options.memoryBytes - MAIN_THREAD_BYTES) / threads);
  return { threads, heapBytes: share - outsideHeap };
}

/**
 * Returns the bytes of a worker's kernel memory and buffers. The window doubles until it holds the
 * longest row; old and new window exist at once. The mapper holds that row twice more, because JSON
 * that becomes text can double in size. The sink holds its row buffer and a sorted and encoded
 * copy. Spilling and event counts are added.
 */
function bytesOutsideHeap(rowBytesMax: number): number {
  return (
    2 * WINDOW_BYTES + 4 * rowBytesMax + 2 * ROW_BUFFER_BYTES + SPILL_BYTES + EVENT_COUNTS_BYTES
  );
}
