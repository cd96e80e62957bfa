import type { TargetTypes } from "../batch/text-types.js";
import type { EventRules } from "../target/target.js";
import type { Repair } from "../target/target-rules.js";
import type { SharedIdentity } from "./identity-table.js";
import type { Mapping } from "./mapping.js";
import type { Transform } from "./transform.js";

/** Options of a mapper: plain data except for the loaded transform. Times are ms since 1970 UTC. */
export interface MapperOptions {
  readonly mapping: Mapping;
  /** Events before it are rejected. */
  readonly minTimeMs: number;
  /** Events at or after it are rejected. */
  readonly maxTimeMs: number;
  /** Events before it are filtered. */
  readonly fromTimeMs?: number;
  /** Events at or after it are filtered. */
  readonly toTimeMs?: number;
  /** Names with `*` and `?`; if empty or absent, all events. */
  readonly includeEvents?: readonly string[];
  /** Names with `*` and `?`; overrides `includeEvents`. */
  readonly excludeEvents?: readonly string[];
  /** Users of anonymous ids: fills a `userID` that is null. */
  readonly identity?: SharedIdentity;
  readonly privacy?: PrivacyPaths;
  readonly transform?: Transform;
  /** The rules of the platform that the events are for. */
  readonly target?: TargetOptions;
  /** Events with other texts are rejected. */
  readonly types?: TargetTypes;
  /** True if event batches carry the insert ids of their rows. */
  readonly withInsertID?: boolean;
  /** True if event batches carry the distinct ids of their rows. */
  readonly withDistinctID?: boolean;
  /** True if the column `user` is not needed: it is undefined then. */
  readonly withoutUser?: boolean;
}

/** The rules of a target, and those whose breaches are repaired. */
export interface TargetOptions {
  readonly rules: EventRules;
  readonly repair: readonly Repair[];
  /** Count what would be repaired, and reject what cannot be, but leave names and properties as they are. */
  readonly keeps?: boolean;
}

/**
 * Paths of the resulting event: `userID`, `stableID`, `value`, and `user.…` and `metadata.…` of any
 * depth. A path applies to each element of an array. `user.userID` is `userID`.
 */
export interface PrivacyPaths {
  readonly drop: readonly string[];
  /** Values at these paths become the hexadecimal SHA-256 of the salt and their text. */
  readonly hash: readonly string[];
  /** Texts at these paths, and within them, lose the query of their URL. Not for ids and `value`. */
  readonly cutQuery?: readonly string[];
  /** Required if `hash` is not empty. A secret. */
  readonly salt?: string;
}
