import type { EventCommit } from "./event-store.js";
import type { PackedIntake } from "./packed-events.js";

/** Brings events to disk, one batch at a time. */
export interface EventWriter {
  /**
   * Resolves when all of the batch is durable. Rejects when that is not certain: then either all of it
   * was stored or nothing, and the next call may succeed. Calls do not overlap.
   */
  write(batch: readonly PackedIntake[]): Promise<EventCommit>;
  /** Lets go of the database. Called once, after the last `write` has ended. */
  close(): Promise<void>;
}
