import { availableParallelism, totalmem } from "node:os";
import { MIB } from "../../base/limits.js";

/** Share of the machine's memory that an export takes where nobody says how much. */
const MEMORY_SHARE = 0.5;

/** Below it no default goes, however small the machine. */
const MEMORY_BYTES_MIN = 512 * MIB;

/** What defaults depend on. */
export interface Machine {
  readonly threads: number;
  readonly memoryBytes: number;
}

export function thisMachine(): Machine {
  // A container's limit; 0 or more than there is where there is none.
  const limit = process.constrainedMemory() ?? 0;
  const memoryBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { threads: availableParallelism(), memoryBytes };
}

/** What a run may take where nobody says how much, in bytes. */
export function defaultMemory({ memoryBytes }: Machine): number {
  return Math.max(MEMORY_BYTES_MIN, Math.floor(memoryBytes * MEMORY_SHARE));
}
