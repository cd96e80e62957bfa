import type { RowPlace } from "../batch/batch.js";
import type { EventBatch } from "../batch/event-batch.js";

/** Where events go. One per worker; one `SplitSink` at a time, until it is finished or aborted. */
export interface Sink {
  openSplit(splitId: string): SplitSink;
}

/**
 * Takes the events of one split. Nothing is visible outside before what is written is committed;
 * after `abort`, and after a kill at any moment, opening the same split again starts it from
 * nothing.
 */
export interface SplitSink {
  /**
   * Takes the rows whose outcome is `deliver`. The batch may be reused once this resolves. Batches
   * of one origin follow each other.
   */
  write(events: EventBatch, origin: Origin): Promise<void>;
  /**
   * No more events come. Once this resolves, whatever splits share is free: the next one may be
   * opened and written before this one is committed.
   */
  finish(): Promise<WrittenEvents>;
  /** Instead of `finish`, or after it has failed. */
  abort(): Promise<void>;
}

/** The events of a split, all of them written, and on their own: no other split changes them. */
export interface WrittenEvents {
  /** Events that are where they should be. */
  readonly rows: number;
  /** Makes everything written durable and visible, and says what that is. */
  commit(): Promise<Commitment>;
  /** Instead of `commit`, or after it has failed. Does nothing once it has succeeded. */
  abort(): Promise<void>;
}

/** The range of a source that events come from. */
export interface Origin {
  /**
   * Of the range and its content: where it is equal, the same options give the same events in the
   * same order.
   */
  readonly fingerprint: string;
  /**
   * Keeps what is needed to reject a row of the batch that is being written after the batch is
   * gone: the result, called with the words of who refused it, moves the row from the delivered
   * ones to the rejects. To be called before the split is finished.
   */
  keep(events: EventBatch, row: number): (message: string) => void;
  /** Where a row of the batch that is being written stands in its source. */
  place(events: EventBatch, row: number): RowPlace;
}

/** What a sink has made of the events of a split. */
export interface Commitment {
  /** Empty for sinks that write no files. */
  readonly parts: readonly PartFile[];
  /** Absent where all rows are in parts. */
  readonly spill?: SpillFile;
  /** What else the sink has counted, by name, to be added up over splits. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Rows of a split that wait to be merged with those of other splits, in a file beside the ledger.
 */
export interface SpillFile {
  readonly rows: number;
  readonly bytes: number;
  readonly packs: number;
  /** Of the index at the end of the file, lower-case hexadecimal. */
  readonly indexSha256: string;
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
