import type { Column } from "../batch/column.js";

/** A target that is a JSON object: after `take`, its column holds checked objects and nulls. */
export interface ObjectTarget {
  readonly column: Column;
  /** Rows in which a value gave way to one of the same name; undefined unless parts are merged. */
  readonly collisions?: number;
  /** Fills the column, and marks rows with `code` if the value is not an object. */
  take(columns: readonly Column[], rows: number, outcomes: number, code: number): void;
}
