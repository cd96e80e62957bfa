/** Rows in a run: read + added = delivered + rejected + filtered + duplicates. */
export interface RowCounts {
  readonly read: number;
  /** Events beyond the first that a transform made of one row. */
  readonly added: number;
  readonly delivered: number;
  readonly rejected: number;
  readonly filtered: number;
  /** Events that repeat an earlier one; absent without `dedupe`. */
  readonly duplicates?: number;
}

/** A rejected row. */
export interface RejectedRow {
  /** Name of the source. */
  readonly source: string;
  /** 1-based number of the row, where the reader knows it. */
  readonly row?: number;
  /** 0-based offset in the decompressed source, where there is one. */
  readonly byte?: number;
  /** Number of an element of the row, from 1, where the mapping has `rows`: `3`, or `2.3` in lists of lists. */
  readonly element?: string;
  /** Stable code: see docs/rejects.md. */
  readonly code: string;
  readonly message: string;
}

/** A source that could not be read to its end. */
export interface FailedSource {
  /** Name of the source. */
  readonly source: string;
  /** Stable code: see docs/errors.md. */
  readonly code: string;
  readonly message: string;
}

/** Rejected rows of one reason. */
export interface RejectSummary {
  /** Stable code: see docs/rejects.md. */
  readonly code: string;
  readonly rows: number;
  readonly example: {
    readonly source: string;
    readonly row?: number;
    readonly byte?: number;
    /** Number of an element of the row, from 1, where the mapping has `rows`. */
    readonly element?: string;
    readonly message: string;
  };
}

/** The limit of a run that reads only the first rows of its inputs. */
export interface RowLimit {
  readonly rows: number;
  /** The inputs have more rows. */
  readonly partial: boolean;
}

/** The end of a run. */
export interface RunResult {
  /** `failed`: a source could not be read to its end. `interrupted`: the signal was aborted. */
  readonly outcome: "done" | "interrupted" | "failed";
  readonly failures: readonly FailedSource[];
  /** More rows were rejected than `maxRejects` allows. */
  readonly tooManyRejects: boolean;
  /** Rows that this run has read, without those of runs that it resumed. */
  readonly rowsRead: number;
  readonly durationMs: number;
}

/** `manifest.json` of an export: see docs/day-directories.md. Times are ISO 8601 in UTC. */
export interface ExportManifest {
  readonly manifestVersion: number;
  /** Version of Switchyard. */
  readonly version: string;
  /** False if a source failed or the run was interrupted. */
  readonly complete: boolean;
  readonly dataset: string;
  readonly format: string;
  readonly dayZone: string;
  /** Options that decide what is delivered; secrets are digests. */
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly totals: {
    readonly rows: number;
    readonly bytes: number;
    readonly files: number;
    readonly days: number;
    readonly firstTimestamp: string | null;
    readonly lastTimestamp: string | null;
  };
  /** Delivered rows that are in no file yet, if the run was interrupted. */
  readonly pending?: number;
  readonly rows: RowCounts;
  /** Absent without `limit`. */
  readonly limit?: RowLimit;
  /** In order: epoch 0 is the first run into the directory, each later run with new inputs adds one. */
  readonly epochs: readonly ManifestEpoch[];
  readonly rejects: readonly RejectSummary[];
  readonly notices: Readonly<Record<string, number>>;
  /** The file that lists the sources that were read, a line each: see docs/day-directories.md. */
  readonly inputs: {
    readonly path: string;
    readonly count: number;
    readonly bytes: number;
    readonly sha256: string;
  };
  readonly failures: readonly FailedSource[];
  /** Sorted by name. */
  readonly events: readonly (ManifestEventCount & { readonly event: string })[];
  /** Rows of further names, if there are too many names to count each. */
  readonly otherEvents?: ManifestEventCount;
  readonly eventsByDay: { readonly path: string; readonly bytes: number; readonly sha256: string };
  readonly days: readonly {
    /** YYYY-MM-DD in the zone of the days. */
    readonly day: string;
    readonly rows: number;
    readonly bytes: number;
    readonly firstTimestamp: string;
    readonly lastTimestamp: string;
    readonly files: readonly {
      /** Relative to the output directory, with `/`. */
      readonly path: string;
      readonly rows: number;
      readonly bytes: number;
      /** Lower-case hexadecimal. */
      readonly sha256: string;
      readonly firstTimestamp: string;
      readonly lastTimestamp: string;
    }[];
  }[];
  readonly run: {
    readonly startedAt: string;
    readonly endedAt: string;
    readonly durationMs: number;
    readonly resumes: number;
    /** First start of each epoch. */
    readonly epochs: readonly string[];
  };
}

/** The inputs that came together. */
export interface ManifestEpoch {
  readonly number: number;
  /** Inputs that it read; the file of `inputs` has them in the order of the epochs. */
  readonly sources: number;
  readonly rows: RowCounts;
  /** The days that it added events to, in order. */
  readonly days: readonly string[];
}

/** Events of one name. */
interface ManifestEventCount {
  readonly rows: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
}

/** Result of `exportEvents`. */
export interface ExportEventsResult extends RunResult {
  readonly manifest: ExportManifest;
  /** Absolute. */
  readonly manifestPath: string;
  /** The epochs of the manifest that this run worked on; empty if nothing was done. */
  readonly epochs: readonly ManifestEpoch[];
  /** The directory held the finished result of the same options, and no input is new. */
  readonly alreadyDone: boolean;
  /** Bytes on disk that this run has read. */
  readonly bytesRead: number;
}

/** Result of `sendEvents`. */
export interface SendEventsResult extends RunResult {
  readonly runId: string;
  /** URL that the events were sent to. */
  readonly destination: string;
  /** Counts of all runs with these options. */
  readonly sent: {
    readonly delivered: number;
    readonly rejected: number;
    /** Requests that were sent again. */
    readonly retried: number;
    /** Events that may be stored twice, if the service ignores idempotency keys. */
    readonly possiblyDuplicated: number;
    /** Time in which the service took no events. */
    readonly waitedMs: number;
    readonly splitsDone: number;
    readonly splitsTotal: number;
  };
  readonly rows: RowCounts;
  /** Absent without `limit`. */
  readonly limit?: RowLimit;
  readonly rejects: readonly RejectSummary[];
  /** Absolute. */
  readonly manifestPath: string;
  /** The epochs that this run worked on; empty if nothing was done. */
  readonly epochs: readonly Omit<ManifestEpoch, "days">[];
  /** Earlier runs had sent all of it, and no input is new. */
  readonly alreadyDone: boolean;
}

/** Result of `verifyExport`. */
export interface VerifyExportResult {
  readonly outcome: "verified" | "different";
  /** Absolute. */
  readonly manifestPath: string;
  /** Counts of what was read. */
  readonly files: number;
  /** Files in a store of which only size and checksum were compared; 0 for a directory. */
  readonly filesUnread: number;
  readonly rows: number;
  readonly bytes: number;
  readonly days: number;
  /** The limit of the export; absent without one. */
  readonly limit?: RowLimit;
  readonly durationMs: number;
  /** Empty if the export is what its manifest says. */
  readonly differences: readonly {
    /** Stable code, such as `sha256_differs`. */
    readonly code: string;
    /** Relative to the directory of the export. */
    readonly path: string;
    readonly message: string;
  }[];
}

/** Result of `identities`. */
export interface IdentitiesResult extends RunResult {
  readonly rows: RowCounts;
  readonly rejects: readonly RejectSummary[];
  /** Absent if a source failed or the run was interrupted: no table is written then. */
  readonly table?: {
    /** Absolute. */
    readonly path: string;
    readonly bytes: number;
    /** Anonymous ids with a user. */
    readonly joined: number;
    /** The same by evidence. */
    readonly evidence: Readonly<Record<string, number>>;
    /** Anonymous ids of several people, which join nobody. */
    readonly shared: number;
    /** Ids of users that were seen as the device of another user, which stay apart. */
    readonly apart: number;
    /** Placeholder ids that were found, which join nobody. */
    readonly placeholders: readonly string[];
  };
}
