import type { Split } from "../plan.js";
import type { ThreadCounters } from "./thread-counters.js";

/** How much of splits is done. */
export interface Work {
  /** On disk. */
  readonly bytes: number;
  readonly rows: number;
  readonly rejects: number;
  /** Events that a service has taken; 0 where events go to files. */
  readonly delivered: number;
}

export const noWork: Work = { bytes: 0, rows: 0, rejects: 0, delivered: 0 };

/** What a thread has counted for the split that it reads, or has just written. */
export function workOf(counters: ThreadCounters, split: Split): Work {
  const { rows, rejects, delivered } = counters;
  return { bytes: Math.min(counters.bytes, split.bytes), rows, rejects, delivered };
}

export function addWork(one: Work, other: Work): Work {
  return {
    bytes: one.bytes + other.bytes,
    rows: one.rows + other.rows,
    rejects: one.rejects + other.rejects,
    delivered: one.delivered + other.delivered,
  };
}
