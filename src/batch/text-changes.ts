import type { Column } from "./column.js";
import { LOOSE_BYTES } from "./kernel.js";

/** Bits of the changes of texts; the same numbers as in src/kernels/mapping/text-forms.ts. */
export const textChanges = { fromJson: 1, trim: 2, asInteger: 4, token: 8 } as const;

/** Returns the bytes that the changed texts of a column take at most. */
export function changedBytesMax(column: Column, rows: number): number {
  return column.totalBytes(rows) * 8 + rows * 32 + LOOSE_BYTES;
}
