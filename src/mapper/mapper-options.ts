import type { Mapping } from "./mapping.js";
import type { Transform } from "./transform.js";

/** What a mapper does, as plain data but for the loaded transform. Times are ms since 1970 UTC. */
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
  /** Names with `*` and `?`; none means all. */
  readonly includeEvents?: readonly string[];
  /** Names with `*` and `?`; wins over `includeEvents`. */
  readonly excludeEvents?: readonly string[];
  readonly privacy?: PrivacyPaths;
  readonly transform?: Transform;
  /** Whether event batches say the insert ids of their rows. */
  readonly withInsertID?: boolean;
}

/**
 * Paths of the resulting event: `userID`, `stableID`, `value`, and `user.…` and `metadata.…` of any
 * depth (arrays are passed through: the path goes on in each element). `user.userID` is `userID`.
 */
export interface PrivacyPaths {
  readonly drop: readonly string[];
  /** The value becomes the hexadecimal SHA-256 of the salt and its text. */
  readonly hash: readonly string[];
  /** Needed where something is hashed. A secret. */
  readonly salt?: string;
}
