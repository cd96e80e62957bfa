import type { EventBatch } from "../batch/event-batch.js";

/** Where events go. One per worker; one `SplitSink` at a time. */
export interface Sink {
  openSplit(splitId: string): SplitSink;
}

/**
 * Takes the events of one split. Nothing is visible outside before `commit`; after `abort`, and
 * after a kill at any moment, opening the same split again starts it from nothing.
 */
export interface SplitSink {
  /** Takes the rows whose outcome is `deliver`. The batch may be reused once this resolves. */
  write(events: EventBatch): Promise<void>;
  /** Makes everything written durable and visible, and says what that is. */
  commit(): Promise<readonly PartFile[]>;
  abort(): Promise<void>;
}

/** A file in a day directory. */
export interface PartFile {
  /** Relative to the output directory, with `/`. */
  readonly path: string;
  /** YYYY-MM-DD in the zone of the days. */
  readonly day: string;
  readonly rows: number;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Milliseconds since 1970 UTC. */
  readonly firstTimestamp: number;
  readonly lastTimestamp: number;
}
