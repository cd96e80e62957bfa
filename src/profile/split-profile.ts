import type { RejectCodeName } from "../base/reject-codes.js";
import type { RowPlace } from "../batch/batch.js";
import type { TraceStep } from "../batch/row-trace.js";
import type { SplitEvents } from "./event-counts.js";
import type { FieldCounts } from "./field-counts.js";
import type { LargerRows } from "./hash-counts.js";
import type { OddForm } from "./report-identity.js";

/**
 * The profile of one split: a function of its rows in their order. Plain JSON data but for the bytes of
 * `ids`; registers of HyperLogLog sketches are base64. `ProfileFold` adds up profiles.
 */
export interface SplitProfile {
  readonly events: SplitEvents;
  /** One for each of `events.names`, in the same order. */
  readonly names: readonly SplitName[];
  /** Hours since 1970 in the zone of the days, in order, with their events. */
  readonly hours: readonly (readonly [hour: number, rows: number])[];
  /** Events of hours beyond the limit. */
  readonly leftOutOfHours: number;
  /** Events on another day in the zone of the target; absent without one. */
  readonly shifted?: number;
  /** Days since 1970, with the rows rejected for another reason than their time. */
  readonly rejectedDays: readonly (readonly [day: number, rows: number])[];
  /** Events of a day (since 1970) without a value for the targets of these bits. */
  readonly emptyTargets: readonly (readonly [day: number, bits: number, rows: number])[];
  readonly figures: SplitFigures;
  readonly users: string;
  readonly devices: string;
  /** Absent if the events' duplicates are counted exactly. */
  readonly insertIDs?: SplitInsertIds;
  /** Usually one. If a table was full, one more for the rows after that. */
  readonly ids: readonly SplitIds[];
  readonly junkIDs: readonly SplitJunkId[];
  /** Classes of `sizeOfClass` with their events; empty classes are left out. */
  readonly sizes: readonly (readonly [sizeClass: number, rows: number])[];
  /** Largest first. */
  readonly largest: readonly SplitLargest[];
  readonly userProperties: SplitProperties;
  readonly samples: readonly SplitSample[];
  readonly rejectSamples: readonly SplitRejectSample[];
  /** Absent if no row lacks a mapped target. */
  readonly fields?: FieldCounts;
  /** Bytes of some events as JSON lines and as a part of the output format, fewest events first. */
  readonly partSizes?: readonly (readonly [jsonBytes: number, partBytes: number])[];
}

/** Targets whose empty values are counted: the bits in src/kernels/profile/profile-rows.ts. */
export const profiledTargets = [
  "userID",
  "stableID",
  "value",
  "user",
  "metadata",
  "insertID",
] as const;

/** Numbers of events. The order is that of `figures` in src/kernels/profile/profile-rows.ts. */
export const figureNames = [
  "both",
  "userOnly",
  "deviceOnly",
  "future",
  "suspicious",
  "midnight",
  // Bytes of all events as JSON, without line ends.
  "bytes",
  "withInsertID",
  // Events with neither id.
  "none",
  // Events whose user id is their device id.
  "same",
  // Events whose user id begins with `$device:`.
  "devicePrefixes",
  // Events whose user id looks generated, without a device id, and beside a different one.
  "generatedAlone",
  "generatedBeside",
  // Events whose user id, or device id, contains an email address.
  "emailUsers",
  "emailDevices",
] as const;

export type SplitFigures = Readonly<Record<(typeof figureNames)[number], number>>;

export interface SplitName {
  readonly bytes: number;
  readonly bytesMax: number;
  /** Absent for names beyond the cap. */
  readonly properties?: SplitProperties;
}

export interface SplitProperties {
  readonly rows: number;
  /** Values of keys beyond the limit. */
  readonly otherValues: number;
  /** In the order of their first rows. */
  readonly keys: readonly SplitKey[];
}

export interface SplitKey {
  readonly key: string;
  readonly rows: number;
  /** Rows by type, in the order of `valueTypes`. */
  readonly types: readonly number[];
  /** Bytes of values other than null. */
  readonly bytes: { readonly min: number; readonly max: number; readonly sum: number } | null;
  readonly numbers: { readonly min: number; readonly max: number } | null;
  readonly values: SplitFrequent;
  /** Days of the first and the last value; null if there is none up to the start of the run. */
  readonly days: readonly [first: number, last: number] | null;
  /** Absent if no value has personal contents. */
  readonly personal?: PersonalRows;
}

/** Rows of values with personal contents, as `personal` of a report's property. */
export interface PersonalRows {
  readonly rows: number;
  readonly emails: number;
  readonly secrets: number;
  readonly beyondQuery: number;
}

/**
 * The most frequent texts. A text has at most `taken` rows more than its count, and a missing text has
 * at most `taken` rows. If `taken` is 0, all texts are present and exact.
 */
export interface SplitFrequent {
  readonly entries: readonly FrequentText[];
  readonly taken: number;
  /** Registers for all distinct texts, if `taken` is not 0. */
  readonly registers?: string;
}

export interface FrequentText {
  /** 53 bits of the hash of the whole text, which identifies it. */
  readonly hash: number;
  readonly rows: number;
  /** Its first bytes. */
  readonly text: string;
  /** Bytes of the whole text. */
  readonly length: number;
}

/**
 * Exact counts of the users, devices and pairs of both in some rows. `bytes` are, one after the other: the
 * hashes and rows of the users and of the devices, then the pairs (src/kernels/profile/taken-ids.ts), and the
 * users of each name as u16 indexes.
 */
export interface SplitIds {
  readonly users: SplitIdKind;
  readonly devices: SplitIdKind;
  /** The number of pairs. */
  readonly pairs: number;
  /** Indexes of event names, with the number of their users. */
  readonly names: readonly (readonly [name: number, users: number])[];
  readonly bytes: Uint8Array;
}

export interface SplitIdKind {
  /** The number of ids. */
  readonly count: number;
  /** Ids with more rows than fit beside their hash. */
  readonly larger: readonly LargerRows[];
  /** Texts of the ids with the most rows or other ids. */
  readonly texts: readonly SplitIdText[];
  /** Absent if there are none. */
  readonly odd?: readonly SplitOddIds[];
}

/** The ids of one odd form. */
export interface SplitOddIds {
  readonly form: OddForm;
  /** Base64 of each id: its index in 2 bytes, and 6 bytes of the hash of its usual form. */
  readonly ids: string;
  /** First bytes of the first of them. */
  readonly examples: readonly string[];
}

/** Index of an id, its first bytes, and the bytes of the whole id. */
export type SplitIdText = readonly [index: number, text: string, length: number];

interface SplitInsertIds {
  readonly registers: string;
  readonly repeated: number;
  /** Events that were not compared. */
  readonly unknown: number;
}

export interface SplitJunkId {
  readonly field: "userID" | "stableID";
  readonly value: string;
  readonly rows: number;
}

export interface SplitLargest extends RowPlace {
  readonly event: string;
  readonly bytes: number;
}

/** A sample. If there are too many, those with the smallest `order` are kept. */
export interface SplitSample extends RowPlace {
  readonly order: number;
  readonly event: string;
  readonly raw: string;
  readonly result: string;
  readonly trace: readonly TraceStep[];
}

export interface SplitRejectSample extends RowPlace {
  readonly order: number;
  readonly code: RejectCodeName;
  readonly message: string;
  readonly raw: string;
  readonly isBase64: boolean;
}
