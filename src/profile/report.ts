import type { RejectCodeName } from "../base/reject-codes.js";

/** Changes whenever a reader of older reports would misunderstand a newer one. */
export const REPORT_VERSION = 1;

/**
 * `report.json`: what a dry run has found out about an export. Times are ISO 8601 in UTC with
 * milliseconds, days `YYYY-MM-DD`, sizes bytes, shares from 0 to 1. Lists are cut at the caps of
 * `limits`, and what was cut is counted beside them: nothing is left out silently. But for `run` it is
 * a function of inputs, configuration and version.
 */
export interface Report {
  readonly reportVersion: typeof REPORT_VERSION;
  /** Version of Switchyard. */
  readonly version: string;
  readonly run: ReportRun;
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Zone that days and hours are in: that of the export's days. */
  readonly dayZone: string;
  readonly inputs: ReportInputs;
  /** Of the rows that were looked at; all of them where `share` is 1. */
  readonly sample: { readonly share: number };
  readonly rows: ReportRows;
  /** Most severe first, then by rows. */
  readonly findings: readonly Finding[];
  /** In order; days without events are in it with 0, unless that were more than `limits.days` days. */
  readonly days: readonly ReportDay[];
  /** Events of hours beyond the cap, which are in no day. */
  readonly otherDays: { readonly rows: number };
  /** Events of each hour of the day, over all days. */
  readonly hoursOfDay: readonly number[];
  /** By events, most first. */
  readonly events: readonly ReportEvent[];
  /** Names beyond the cap, counted together. */
  readonly otherEvents: { readonly names: number | null; readonly rows: number };
  readonly identity: ReportIdentity;
  readonly times: ReportTimes;
  readonly sizes: ReportSizes;
  readonly userProperties: ReportProperties;
  readonly rejects: readonly ReportReject[];
  /** Source rows beside the events that they become, spread over event names. */
  readonly samples: readonly ReportSample[];
  readonly estimates: ReportEstimates;
  readonly limits: Readonly<Record<string, number>>;
}

export interface ReportRun {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly durationMs: number;
  readonly threads: number;
}

export interface ReportInputs {
  readonly files: number;
  readonly bytes: number;
  /** The first ones, in the order of the inputs. */
  readonly sources: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly format: string;
    /** Why it could not be read to its end; absent where it could. */
    readonly failure?: { readonly code: string; readonly message: string };
  }[];
  readonly sourcesTotal: number;
}

export interface ReportRows {
  readonly read: number;
  readonly added: number;
  /** Rows, or what a transform made of them, that became events. */
  readonly mapped: number;
  readonly rejected: number;
  readonly filtered: number;
  readonly duplicates: ReportDuplicates;
}

/** Events whose insert id came before. Nothing is left out of an export for it. */
export interface ReportDuplicates {
  /** Events that have an insert id; 0 where the mapping names none. Of several of one row the first. */
  readonly withInsertID: number;
  /** Exact, of repetitions within one split. */
  readonly withinSplits: number;
  /** Events that are not looked at for that, as their splits have too many. */
  readonly unknown: number;
  /** Estimate over everything, by a sketch of distinct insert ids. */
  readonly estimated: number;
  /** Standard error of the estimate, in events. */
  readonly error: number;
}

export const severities = ["error", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

/** Something that somebody should know before anything is sent. */
export interface Finding {
  /** Stable, as `time_unit_seconds`. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence. */
  readonly title: string;
  /** What it means and how it was seen; plain text. */
  readonly detail: string;
  /** Rows or events that it touches. */
  readonly rows: number;
  /** What it is about, where that is one thing. */
  readonly event?: string;
  readonly property?: string;
  readonly day?: string;
  readonly rejectCode?: RejectCodeName;
  readonly fix?: Fix;
}

/** The change of `pipeline.config.json` that mends it. */
export interface Fix {
  /** Where in the file: `["mapping", "timestamp", "zone"]`. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** `"mapping": {"timestamp": {"zone": "America/New_York"}}`: the line as one would type it. */
  readonly line: string;
  /** Safe ones can be applied without a person who knows the data. */
  readonly isSafe: boolean;
  /** The transform module that the line names: one and the same for all findings that need one. */
  readonly module?: { readonly name: string; readonly text: string };
}

export interface ReportDay {
  readonly day: string;
  readonly events: number;
  /** Of each hour, 24 of them (the hour that daylight saving repeats counts twice). */
  readonly hours: readonly number[];
  /** Rows of the names in `Report.events`, by their place there; others are left out. */
  readonly byEvent: readonly (readonly [event: number, rows: number])[];
  readonly rejected: number;
}

export interface ReportEvent {
  readonly event: string;
  readonly rows: number;
  readonly share: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  /** Days on which it came. */
  readonly days: number;
  /** By user id, by device id where there is none; null like `properties`. */
  readonly users: Estimate | null;
  /** Bytes of the resulting event as JSON. */
  readonly bytes: { readonly mean: number; readonly max: number };
  /** Null for names beyond the cap of those whose properties are looked at. */
  readonly properties: ReportProperties | null;
}

/** A number from a sketch: exact where `error` is 0. */
export interface Estimate {
  readonly count: number;
  /** Standard error as a share of the count. */
  readonly error: number;
}

export interface ReportProperties {
  /** Events that were looked at. */
  readonly rows: number;
  /** By how many events have it, most first. */
  readonly keys: readonly ReportProperty[];
  /** Keys beyond the cap, and the values that they had. */
  readonly otherKeys: { readonly keys: number | null; readonly values: number };
}

export const valueTypes = ["string", "number", "boolean", "object", "array", "null"] as const;
export type ValueType = (typeof valueTypes)[number];

export interface ReportProperty {
  readonly key: string;
  /** Events that have it, null included. */
  readonly rows: number;
  /** Share of the events that have it with something else than null. */
  readonly fill: number;
  readonly types: Readonly<Partial<Record<ValueType, number>>>;
  /** Values that are not null. */
  readonly distinct: Estimate;
  /**
   * Most frequent first, null left out: strings as their text, everything else as JSON, cut where it is
   * long. A value has as many rows as it says, and `topValuesError` more at most.
   */
  readonly topValues: readonly { readonly value: string; readonly rows: number }[];
  /** 0 where the rows of all values are exact. */
  readonly topValuesError: number;
  /** Bytes of the value as JSON, null left out. */
  readonly bytes: { readonly min: number; readonly mean: number; readonly max: number };
  /** Of those that are numbers; null where none is. */
  readonly numbers: { readonly min: number; readonly max: number } | null;
}

export interface ReportIdentity {
  readonly both: number;
  readonly userOnly: number;
  readonly deviceOnly: number;
  /** Neither; these rows are rejects, or the mapping allows them. */
  readonly none: number;
  readonly users: Estimate;
  readonly devices: Estimate;
  /** Ids that stand for nobody (`"0"`, `"-1"`, `"null"`, `"undefined"`, zero UUID …), as they stand. */
  readonly junkIDs: readonly {
    readonly field: "userID" | "stableID";
    readonly value: string;
    readonly rows: number;
  }[];
  /** Ids with the most events, and how many ids of the other kind came with them. */
  readonly topUsers: readonly TopID[];
  readonly topDevices: readonly TopID[];
}

export interface TopID {
  /** Cut where it is long. */
  readonly id: string;
  /** Not more than it has; `limits.ids` tells of how many it was followed up. */
  readonly rows: number;
  readonly others: Estimate;
}

export interface ReportTimes {
  readonly first: string | null;
  readonly last: string | null;
  /** Events later than the start of the run. */
  readonly future: number;
  /** Events of moments that clocks make up: before 2000, exact midnight UTC of 1970, 2001, 2038 … */
  readonly suspicious: number;
  /** Events at exactly 00:00:00.000 of the zone: times that are only dates. */
  readonly midnight: number;
  /** What the hours of day suggest about the zone of times that name none. */
  readonly zoneGuess: {
    /** Hours that the quietest six hours lie from where they are with people (02:00 to 08:00). */
    readonly shiftHours: number;
    readonly confidence: "none" | "weak" | "strong";
    readonly evidence: string;
  };
}

export interface ReportSizes {
  /** Bytes of all events as JSON lines. */
  readonly total: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** The largest events. */
  readonly largest: readonly {
    readonly event: string;
    readonly bytes: number;
    readonly source: string;
    readonly row?: number;
    readonly byte?: number;
  }[];
}

export interface ReportReject {
  readonly code: RejectCodeName;
  readonly rows: number;
  readonly advice: string;
  readonly samples: readonly {
    readonly source: string;
    readonly row?: number;
    readonly byte?: number;
    readonly message: string;
    /** The row's text, cut where it is long; base64 where it is no UTF-8. */
    readonly raw: string;
    readonly isBase64: boolean;
  }[];
}

export interface ReportSample {
  readonly event: string;
  readonly source: string;
  readonly row?: number;
  readonly byte?: number;
  /** The source's own text, cut where it is long. */
  readonly raw: string;
  /** The event as JSON, as it would be delivered. */
  readonly result: string;
}

export interface ReportEstimates {
  readonly export: { readonly bytes: number; readonly durationMs: number };
  /** At the configured rate, else at one that most services take. */
  readonly send: { readonly eventsPerSecond: number; readonly durationMs: number };
  /** Qualifying events that would be created, by their names; refused ones with their reasons. */
  readonly qualifyingEvents: readonly {
    readonly name: string;
    readonly event: string;
    readonly refused?: string;
  }[];
}
