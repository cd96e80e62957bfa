import { expect } from "vitest";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { openFlatRows, openLibraryRows } from "../../../src/readers/parquet/flat-rows.js";
import {
  openNestedLibraryRows,
  openNestedRows,
} from "../../../src/readers/parquet/nested-column.js";
import { openReaderWith } from "../../../src/readers/parquet/parquet-reader.js";
import { kernel, readerOptions, sourceOf } from "./parquet-files.js";

// The library as the oracle of the kernels.

export const withKernels = openReaderWith({ flat: openFlatRows, nested: openNestedRows });
export const withLibrary = openReaderWith({
  flat: openLibraryRows,
  nested: openNestedLibraryRows,
});

export interface Outcome {
  /** Each with its fault, and kind and text of each cell. */
  readonly rows: readonly string[];
  readonly error: unknown;
}

export async function readWith(
  open: typeof withKernels,
  path: string,
  fields: readonly FieldRequest[],
): Promise<Outcome> {
  const rows: string[] = [];
  const range = { source: sourceOf(path), start: 0, end: null };
  try {
    const reader = await open(kernel, range, fields, readerOptions);
    try {
      for (let batch = await reader.next(); batch !== null; batch = await reader.next()) {
        for (let row = 0; row < batch.rows; row++) {
          const cells = batch.columns.map((column) => [column.kind(row), column.text(row)]);
          rows.push(JSON.stringify([kernel.bytes[batch.faults + row], cells]));
        }
      }
    } finally {
      await reader.close();
    }
  } catch (error) {
    return { rows, error };
  }
  return { rows, error: undefined };
}

/** Both read the same from the file, and it is not nothing. */
export async function expectSame(
  path: string,
  fields: readonly FieldRequest[],
  rows: number,
  open = withKernels,
) {
  const expected = await readWith(withLibrary, path, fields);
  expect(expected.error).toBeUndefined();
  expect(expected.rows).toHaveLength(rows);
  const found = await readWith(open, path, fields);
  expect(found.error).toBeUndefined();
  expect(found.rows).toEqual(expected.rows);
}

/** What only the library refuses, as it changes no row. */
export const stricter = new RegExp(
  [
    // Fields of a header that mean nothing here, such as a second count of rows.
    "Unexpected Encoding",
    "Required field",
    "[Ss]tatistics",
    "Integer overflow",
    // Blocks of deltas that are whole all the same.
    "'block_size' must be a multiple",
    // Bits in zstd data that its build minds, which names no reasons, and the reference does not.
    "Error strings stripped",
  ].join("|"),
);
