import type { FieldRequest } from "./batch.js";
import type { Column } from "./column.js";
import type { Kernel } from "./kernel.js";

/**
 * Extracts fields from columns whose cells hold JSON objects, or text that is a JSON object: what
 * tabular readers need for a path that goes on inside a cell. Cells that hold no object give null.
 */
export interface ObjectFields {
  /** One column for each request; valid until the next call. */
  extract(cells: Column, rows: number): readonly Column[];
}

/** `requests` have paths relative to the cell; a `rest` with path `[]` is the cell's own object. */
export type CreateObjectFields = (
  kernel: Kernel,
  requests: readonly FieldRequest[],
) => ObjectFields;
