import type { RejectCodeName } from "../base/reject-codes.js";
import type { PartFile } from "../sinks/sink.js";

export const MANIFEST_NAME = "manifest.json";

/** Beside the manifest: how many events of each name there are on each day. */
export const EVENTS_BY_DAY_NAME = "events-by-day.jsonl";

/** Changes whenever a reader of older manifests would misunderstand a newer one. */
export const MANIFEST_VERSION = 1;

/** read + added = delivered + rejected + filtered + duplicates. */
export interface RowCounts {
  readonly read: number;
  /** Events beyond the first that a transform made of one row; 0 without a transform. */
  readonly added: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly filtered: number;
  readonly duplicates: number;
}

export interface RejectExample {
  readonly source: string;
  /** 1-based, where the reader knows it. */
  readonly row?: number;
  /** 0-based offset in the decompressed source, where there is one. */
  readonly byte?: number;
  readonly message: string;
}

export interface RejectSummary {
  readonly code: RejectCodeName;
  readonly rows: number;
  readonly example: RejectExample;
}

export interface SourceFailure {
  /** Name of the source. */
  readonly source: string;
  /** Stable code of the error. */
  readonly code: string;
  readonly message: string;
}

export interface ManifestInput {
  readonly name: string;
  readonly bytes: number;
  readonly fingerprint: string;
  readonly format: string;
  /** Why the source could not be read to its end; absent where it could. */
  readonly failure?: SourceFailure;
}

export interface ManifestFile {
  /** Relative to the output directory, with `/`. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

export interface ManifestDay {
  /** YYYY-MM-DD in the zone of the days. */
  readonly day: string;
  readonly rows: number;
  readonly bytes: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly files: readonly ManifestFile[];
}

export interface ManifestEventCount {
  readonly rows: number;
  /** ISO 8601 in UTC with milliseconds. */
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

/** Delivered events of one name. */
export interface ManifestEvent extends ManifestEventCount {
  readonly event: string;
}

/** What differs between two runs with the same result. */
export interface ManifestRun {
  /** ISO 8601; of the first run into this directory. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Time spent by this run, without those that it resumed. */
  readonly durationMs: number;
  /** How many times the run was taken up again. */
  readonly resumes: number;
}

/** What every run accounts for, whatever became of its events. */
export interface RunAccounts {
  readonly manifestVersion: number;
  /** Version of Switchyard. */
  readonly version: string;
  /**
   * False when a source failed or the run was interrupted: what is accounted for is what there is so far.
   */
  readonly complete: boolean;
  /** The options that decide what is delivered, secrets as digests. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly rows: RowCounts;
  readonly rejects: readonly RejectSummary[];
  readonly notices: Readonly<Record<string, number>>;
  readonly inputs: readonly ManifestInput[];
  readonly failures: readonly SourceFailure[];
  readonly run: ManifestRun;
}

/** `manifest.json`. All but `run` is a function of inputs, configuration and version. */
export interface Manifest extends RunAccounts {
  readonly dataset: string;
  readonly format: string;
  readonly dayZone: string;
  readonly totals: {
    readonly rows: number;
    readonly bytes: number;
    readonly files: number;
    readonly days: number;
    readonly firstTimestamp: string | null;
    readonly lastTimestamp: string | null;
  };
  /**
   * Delivered rows that are in no file of `days` yet, as the run was interrupted before it had put them
   * into their days; `events` and the counts by day have them. Absent where there are none, as always
   * when the run is complete.
   */
  readonly pending?: number;
  /** Sorted by name. Where there are `otherEvents`, further rows of a name may be among them. */
  readonly events: readonly ManifestEvent[];
  /** Events of more names than are counted one by one; absent where there are none. */
  readonly otherEvents?: ManifestEventCount;
  readonly eventsByDay: {
    readonly path: string;
    readonly bytes: number;
    readonly sha256: string;
  };
  readonly days: readonly ManifestDay[];
}

/** What a manifest is folded from: one for each split that delivered. */
export interface SplitCounts {
  readonly parts: readonly PartFile[];
  /** What the sink has counted; absent where it counts nothing. */
  readonly counts?: Readonly<Record<string, number>>;
  readonly rows: RowCounts;
  readonly rejects: readonly RejectSummary[];
  readonly notices: Readonly<Record<string, number>>;
}
