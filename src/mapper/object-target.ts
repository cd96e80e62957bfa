import type { Column } from "../batch/column.js";

/** The origin of a member of an object, or with an empty `to` of all members: paths in the row and in the object. */
export interface MemberTrace {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** A target that is a JSON object: after `take`, its column holds checked objects and nulls. */
export interface ObjectTarget {
  readonly column: Column;
  /** Rows in which a value gave way to one of the same name; undefined unless parts are merged. */
  readonly collisions?: number;
  /** Fills the column, and marks rows with `code` if the value is not an object. */
  take(columns: readonly Column[], rows: number, outcomes: number, code: number): void;
  /** Returns where the object of a row is from. Valid after `take`; for samples: slow. */
  trace(columns: readonly Column[], row: number): readonly MemberTrace[];
}
