import type { RowPlace } from "../batch/batch.js";
import type { EventBatch } from "../batch/event-batch.js";

/**
 * A destination of events. One per worker; one `SplitSink` at a time, until it is finished or
 * aborted.
 */
export interface Sink {
  openSplit(splitId: string): SplitSink;
}

/**
 * Takes the events of one split. Nothing is visible outside before the commit. After `abort`, or a
 * kill at any moment, opening the same split again starts it from nothing.
 */
export interface SplitSink {
  /**
   * Takes the rows whose outcome is `deliver`. The batch may be reused once this resolves. Batches
   * of one origin follow each other.
   */
  write(events: EventBatch, origin: Origin): Promise<void>;
  /**
   * Ends the events. When it resolves, everything that splits share is free: the next split may be
   * opened and written before this one is committed.
   */
  finish(): Promise<WrittenEvents>;
  /** Call it instead of `finish`, or after `finish` failed. */
  abort(): Promise<void>;
}

/** The written events of a split. No other split changes them. */
export interface WrittenEvents {
  /** Number of events that were written. */
  readonly rows: number;
  /** Makes everything durable and visible, and returns its facts. */
  commit(): Promise<Commitment>;
  /**
   * Call it instead of `commit`, or after `commit` failed. Does nothing after a successful commit.
   */
  abort(): Promise<void>;
}

/** The range of a source that events come from. */
export interface Origin {
  /**
   * Digest of the range and its content. With an equal fingerprint, the same options give the same
   * events in the same order.
   */
  readonly fingerprint: string;
  /**
   * Keeps what is needed to reject a row of the current batch later. Calling the result with a
   * message moves the row from the delivered rows to the rejects; call it before the split is
   * finished.
   */
  keep(events: EventBatch, row: number): (message: string) => void;
  /** Returns the position of a row of the current batch in its source. */
  place(events: EventBatch, row: number): RowPlace;
}

/** The facts of a committed split. */
export interface Commitment {
  /** Empty for sinks that write no files. */
  readonly parts: readonly PartFile[];
  /** Small parts that wait to be joined with others of their days; absent if there are none. */
  readonly staged?: readonly PartFile[];
  /** Absent if all rows are in parts. */
  readonly spill?: SpillFile;
  /** Further counts of the sink, by name; they are added up over splits. */
  readonly counts: Readonly<Record<string, number>>;
}

/** A file of rows that wait to be merged with those of other splits. */
export interface SpillFile {
  readonly rows: number;
  readonly bytes: number;
  readonly packs: number;
  /** SHA-256 of the index beside the file, in lower-case hexadecimal. */
  readonly indexSha256: string;
}

/** A file in a day directory. */
export interface PartFile {
  /** Relative to the output directory, with `/`. */
  readonly path: string;
  /** YYYY-MM-DD in the zone of the days. */
  readonly day: string;
  /** Name of its events, if each event has a directory. */
  readonly event?: string;
  readonly rows: number;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Milliseconds since 1970 UTC. */
  readonly firstTimestamp: number;
  readonly lastTimestamp: number;
}
