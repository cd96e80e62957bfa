import { availableParallelism, totalmem } from "node:os";
import { MIB } from "../../base/limits.js";

/** Share of the machine's memory that a run takes by default. */
const MEMORY_SHARE = 0.5;

/** Lower limit of the default. */
const MEMORY_BYTES_MIN = 512 * MIB;

/** The facts that defaults depend on. */
export interface Machine {
  readonly threads: number;
  readonly memoryBytes: number;
}

export function thisMachine(): Machine {
  // A container's limit. Without one it is 0, or more than the total memory.
  const limit = process.constrainedMemory() ?? 0;
  const memoryBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { threads: availableParallelism(), memoryBytes };
}

/** Returns the default memory of a run, in bytes. */
export function defaultMemory({ memoryBytes }: Machine): number {
  return Math.max(MEMORY_BYTES_MIN, Math.floor(memoryBytes * MEMORY_SHARE));
}
