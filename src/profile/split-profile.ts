import type { RejectCodeName } from "../base/reject-codes.js";
import type { RowPlace } from "../batch/batch.js";
import type { SplitEvents } from "./split-events.js";

/**
 * What a dry run has found out about one split: a function of its rows in their order. Plain data as
 * JSON; registers of HyperLogLog sketches are base64. Profiles are added up by `ProfileFold`.
 */
export interface SplitProfile {
  readonly events: SplitEvents;
  /** Row by row beside `events.names`. */
  readonly names: readonly SplitName[];
  /** Hours since 1970 in the zone of the days, in order, with their events. */
  readonly hours: readonly (readonly [hour: number, rows: number])[];
  /** Events of hours for which there was no place. */
  readonly leftOutOfHours: number;
  /** Days since 1970 with rows that were rejected for something else than their time. */
  readonly rejectedDays: readonly (readonly [day: number, rows: number])[];
  /** By name of `figureNames`. */
  readonly figures: SplitFigures;
  readonly users: string;
  readonly devices: string;
  readonly insertIDs: SplitInsertIds;
  readonly topUsers: SplitFrequent;
  readonly topDevices: SplitFrequent;
  readonly junkIDs: readonly SplitJunkId[];
  /** Classes of `sizeOfClass` that are not empty, with their events. */
  readonly sizes: readonly (readonly [sizeClass: number, rows: number])[];
  /** Largest first. */
  readonly largest: readonly SplitLargest[];
  readonly userProperties: SplitProperties;
  readonly samples: readonly SplitSample[];
  readonly rejectSamples: readonly SplitRejectSample[];
}

/** The order is that of `figures` in src/kernels/profile/profile-rows.ts. */
export const figureNames = [
  ...["both", "userOnly", "deviceOnly", "future", "suspicious", "midnight"],
  ...["bytes", "withInsertID", "none"],
] as const;

export interface SplitFigures {
  readonly both: number;
  readonly userOnly: number;
  readonly deviceOnly: number;
  /** Events with neither id. */
  readonly none: number;
  readonly future: number;
  readonly suspicious: number;
  readonly midnight: number;
  /** Of all events as JSON, line ends not counted. */
  readonly bytes: number;
  readonly withInsertID: number;
}

export interface SplitName {
  readonly bytes: number;
  readonly bytesMax: number;
  /** Registers; absent with `properties` for names beyond the cap. */
  readonly users?: string;
  readonly properties?: SplitProperties;
}

export interface SplitProperties {
  readonly rows: number;
  /** Values of keys for which there was no place. */
  readonly otherValues: number;
  /** In the order in which they came. */
  readonly keys: readonly SplitKey[];
}

export interface SplitKey {
  readonly key: string;
  readonly rows: number;
  /** Rows of each of `valueTypes`. */
  readonly types: readonly number[];
  /** Of values that are not null. */
  readonly bytes: { readonly min: number; readonly max: number; readonly sum: number } | null;
  readonly numbers: { readonly min: number; readonly max: number } | null;
  readonly values: SplitFrequent;
}

/**
 * The most frequent of many texts. A text has at most `taken` rows more than it says, and one that is
 * not there at most `taken`; where that is 0, all are there and exact.
 */
export interface SplitFrequent {
  readonly entries: readonly FrequentText[];
  readonly taken: number;
  /** For all distinct texts, where `taken` is not 0. */
  readonly registers?: string;
}

export interface FrequentText {
  /** 53 bits of the whole text's hash, which is what tells texts apart. */
  readonly hash: number;
  readonly rows: number;
  /** Its first bytes. */
  readonly text: string;
  /** Bytes of the whole text. */
  readonly length: number;
  /** Registers for what came with it. */
  readonly others?: string;
}

export interface SplitInsertIds {
  readonly registers: string;
  readonly repeated: number;
  /** Events of which it is not known whether they repeat one. */
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

/** `order` decides which samples are kept when there are more than enough: the smallest. */
export interface SplitSample extends RowPlace {
  readonly order: number;
  readonly event: string;
  readonly raw: string;
  readonly result: string;
}

export interface SplitRejectSample extends RowPlace {
  readonly order: number;
  readonly code: RejectCodeName;
  readonly message: string;
  readonly raw: string;
  readonly isBase64: boolean;
}
