import { dayOf } from "../base/day.js";
import type { Zone } from "../base/zone.js";
import { outcomes } from "./event-batch.js";
import type { Kernel } from "./kernel.js";

interface TimedRows {
  readonly rows: number;
  /** Address of one double each: milliseconds since 1970 UTC. */
  readonly timestamps: number;
  /** Address of one u8 each; absent if all rows are delivered. Other rows can have any time. */
  readonly outcomes?: number;
}

/** Writes the day of each delivered row in the zone, in days since 1970, as i32 to `days`. */
export function fillDays(kernel: Kernel, at: TimedRows, zone: Zone, days: number): void {
  const { rows, timestamps, outcomes: marks = 0 } = at;
  if (zone.fixedOffsetMs !== undefined) {
    kernel.run.fillDays(timestamps, marks, rows, zone.fixedOffsetMs, days);
    return;
  }
  const { bytes, doubles, u32 } = kernel;
  for (let row = 0; row < rows; row++) {
    if (marks !== 0 && bytes[marks + row] !== outcomes.deliver) continue;
    u32[days / 4 + row] = dayOf(doubles[timestamps / 8 + row]!, zone);
  }
}
