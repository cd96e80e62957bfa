import { UsageError } from "../base/errors.js";
import type { MappingSkeleton } from "./propose-mapping.js";

/** The facts of rows for which no mapping was found. */
export interface SkeletonFacts {
  readonly mapping: MappingSkeleton;
  /** The parts of an event that no field has, in words. */
  readonly missing: readonly string[];
  /** Names of fields, in words. */
  readonly columns: string;
}

/** No preset fits, and the fields lack a part of an event. */
export class MappingUnknown extends UsageError {
  constructor(
    readonly reason: string,
    /** Undefined if no part of an event was found. */
    readonly skeleton: SkeletonFacts | undefined,
    advice = "Pass --preset, or write a mapping (docs/mapping.md).",
  ) {
    super("mapping_unknown", `${reason} ${advice}`);
  }
}
