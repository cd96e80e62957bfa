import type { RowLimit, RunResult } from "./results.js";

/** A problem that a dry run found. */
export interface ReportFinding {
  /** Stable code: see docs/findings.md. */
  readonly code: string;
  readonly severity: "error" | "warning" | "info";
  readonly title: string;
  readonly detail: string;
  /** Rows or events that are affected. */
  readonly rows: number;
  readonly event?: string;
  readonly property?: string;
  /** YYYY-MM-DD. */
  readonly day?: string;
  /** The option that accepts the finding: it then does not count in the verdict. */
  readonly acceptedBecause?: "acceptFindings" | "maxRejects";
  /** The change of the options that fixes it. */
  readonly fix?: {
    /** Path in `pipeline.config.json`. */
    readonly path: readonly string[];
    /** New value of that path. */
    readonly value?: unknown;
    /** The fix needs no decision. */
    readonly isSafe: boolean;
  };
}

/**
 * The main parts of `report.json`: the object has all parts that docs/report.md lists. Counts are
 * of the rows that were read; only `estimates` are for all rows.
 */
export interface ValidationReport {
  /** Version of Switchyard. */
  readonly version: string;
  /** Share of the bytes of the inputs that was read. */
  readonly sample: {
    readonly share: number;
    /** Estimates for all inputs, with `quick`. */
    readonly quick?: QuickEstimates;
  };
  /** Absent without `limit`. */
  readonly limit?: RowLimit;
  /** read + added = mapped + rejected + filtered. */
  readonly rows: {
    readonly read: number;
    readonly added: number;
    /** Events that an export would write. */
    readonly mapped: number;
    readonly rejected: number;
    readonly filtered: number;
  };
  /** The most severe first, then by rows. */
  readonly findings: readonly ReportFinding[];
  readonly verdict: {
    /** `error` if the export is not ready. */
    readonly tone: "error" | "warning" | "good";
    readonly sentence: string;
  };
  /** The most frequent first. */
  readonly events: readonly {
    readonly event: string;
    readonly rows: number;
    readonly firstTimestamp: string;
    readonly lastTimestamp: string;
  }[];
  readonly days: readonly { readonly day: string; readonly events: number }[];
  /** Changes since the report of `compare`; absent without it. See docs/report.md. */
  readonly comparison?: ReportComparison;
  readonly estimates: {
    readonly export: { readonly bytes: number; readonly durationMs: number };
    readonly send: { readonly eventsPerSecond: number; readonly durationMs: number };
  };
}

/** A number of rows or events in all inputs. */
export interface EstimatedRows {
  readonly count: number;
  /** Half of the confidence interval; 0 means exact, null that it is not known. */
  readonly error: number | null;
}

/** Estimates for all inputs from a sample: see docs/validating.md. */
export interface QuickEstimates {
  /** All rows were read, because the inputs are small. */
  readonly isExact: boolean;
  readonly confidence: number;
  /** Pieces of files, row groups and inputs that were drawn. */
  readonly units: number;
  /** Inputs and row groups of which only the beginning was read. */
  readonly beginnings: number;
  readonly rows: Readonly<
    Record<"read" | "added" | "mapped" | "rejected" | "filtered", EstimatedRows>
  >;
  readonly rejects: readonly { readonly code: string; readonly rows: EstimatedRows }[];
  /** The most frequent names that were found. */
  readonly events: readonly { readonly event: string; readonly rows: EstimatedRows }[];
  readonly days: readonly { readonly day: string; readonly events: EstimatedRows }[];
  /** Sentences about the limits of the sample. */
  readonly unknown: readonly string[];
}

/** Differences of two reports; all members are in docs/report.md. */
export interface ReportComparison {
  readonly earlier: {
    readonly file: string;
    readonly version: string;
    /** Null for a result of `--json`. */
    readonly startedAt: string | null;
  };
  /** Counts of rows that differ. */
  readonly rows: readonly (Volume & { readonly figure: string })[];
  /** Reasons whose rejected rows differ. */
  readonly rejects: readonly (Volume & { readonly code: string })[];
  readonly events: {
    readonly came: Listed<{ readonly event: string; readonly rows: number }>;
    readonly went: Listed<{ readonly event: string; readonly rows: number }>;
    readonly changed: Listed<Volume & { readonly event: string }>;
  };
  /** Keys of `user`, and of `metadata` of names in both reports. */
  readonly fields: {
    readonly came: Listed<ReportField>;
    readonly went: Listed<ReportField>;
    /** Shares of the events that have a value. */
    readonly changed: Listed<
      Volume & Pick<ReportField, "of" | "key"> & { readonly event?: string }
    >;
  };
  readonly days: {
    readonly came: Listed<{ readonly day: string; readonly events: number }>;
    readonly went: Listed<{ readonly day: string; readonly events: number }>;
    readonly changed: Listed<Volume & { readonly day: string }>;
  };
  /** Sentences about facts that the two reports lack. */
  readonly unknown: readonly string[];
}

/** A number in the earlier report and in this one. */
interface Volume {
  readonly before: number;
  readonly after: number;
}

/** The first items of a list, and the number of all. */
interface Listed<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** A key of `user`, or of the `metadata` of some event names. */
interface ReportField {
  readonly of: "metadata" | "user";
  readonly key: string;
  /** The first names whose events have the key. */
  readonly events: readonly string[];
  readonly eventsTotal: number;
  readonly rows: number;
}

/** Result of `validateExport`. */
export interface ValidateExportResult extends RunResult {
  readonly report: ValidationReport;
  /** Bytes on disk that were read. */
  readonly bytesRead: number;
  /** Absolute; absent if no files were written. */
  readonly reportPath?: string;
  readonly htmlPath?: string;
  /** The transform module that findings suggest; absent if they suggest none. */
  readonly modulePath?: string;
}
