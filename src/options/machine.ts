import { availableParallelism, totalmem } from "node:os";
import { MIB } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";

/** Share of the machine's memory that a run takes by default. */
const MEMORY_SHARE = 0.5;

/** Lower limit of the default. */
const MEMORY_BYTES_MIN = 512 * MIB;

/** The facts that defaults depend on. */
export interface Machine {
  readonly threads: number;
  readonly memoryBytes: number;
  /** Number of this process in an array job, from 0. */
  readonly arrayIndex?: number;
}

/** Variables of Kubernetes Indexed Jobs, AWS Batch, Google Cloud Run and Slurm. */
export const arrayIndexNames = [
  "JOB_COMPLETION_INDEX",
  "AWS_BATCH_JOB_ARRAY_INDEX",
  "CLOUD_RUN_TASK_INDEX",
  "SLURM_ARRAY_TASK_ID",
] as const;

export function thisMachine(): Machine {
  // A container's limit. Without one it is 0, or more than the total memory.
  const limit = process.constrainedMemory() ?? 0;
  const memoryBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const index = arrayIndexNames.map((name) => process.env[name]).find(Boolean);
  const arrayIndex = index !== undefined && /^\d+$/.test(index) ? Number(index) : undefined;
  return { threads: availableParallelism(), memoryBytes, ...omitUndefined({ arrayIndex }) };
}

/** Returns the default memory of a run, in bytes. */
export function defaultMemory({ memoryBytes }: Machine): number {
  return Math.max(MEMORY_BYTES_MIN, Math.floor(memoryBytes * MEMORY_SHARE));
}
