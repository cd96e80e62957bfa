import type { TextColumn } from "../segment.js";

/** A column of the event files: texts, JSON texts, and the timestamp (INT64, epoch milliseconds). */
export type ParquetColumn =
  | { readonly name: "timestamp"; readonly kind: "timestamp" }
  | {
      readonly name: TextColumn;
      readonly kind: "text" | "json";
      readonly nullable: boolean;
      /** Whether a dictionary is tried: for columns whose values come back. */
      readonly dictionary: boolean;
    };

/**
 * The columns in their order. `timestamp` has no logical type: it is the number of the event. JSON
 * texts have the logical type STRING, not JSON: DuckDB checks the latter more strictly than RFC 8259
 * asks, and one escaped lone surrogate in one file then breaks every query over all of them.
 */
export const eventColumns: readonly ParquetColumn[] = [
  { name: "event", kind: "text", nullable: false, dictionary: true },
  { name: "timestamp", kind: "timestamp" },
  { name: "userID", kind: "text", nullable: true, dictionary: true },
  { name: "stableID", kind: "text", nullable: true, dictionary: true },
  { name: "value", kind: "text", nullable: true, dictionary: false },
  { name: "user", kind: "json", nullable: false, dictionary: false },
  { name: "metadata", kind: "json", nullable: false, dictionary: false },
];
