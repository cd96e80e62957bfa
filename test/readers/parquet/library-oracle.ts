import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { expect } from "vitest";
import { SourceError } from "../../../src/base/errors.js";
import type { FieldRequest } from "../../../src/batch/batch.js";
import { openFlatRows, openLibraryRows } from "../../../src/readers/parquet/columns/flat-rows.js";
import {
  openNestedLibraryRows,
  openNestedRows,
} from "../../../src/readers/parquet/columns/nested-column.js";
import { openReaderWith } from "../../../src/readers/parquet/parquet-reader.js";
import { createRandom } from "../../support/random.js";
import { kernel, readerOptions, sourceOf, temporaryFile } from "./parquet-files.js";

// The library as the oracle of the kernels.

export const withKernels = openReaderWith({ flat: openFlatRows, nested: openNestedRows });
const withLibrary = openReaderWith({
  flat: openLibraryRows,
  nested: openNestedLibraryRows,
});

export interface Outcome {
  /** Each with its fault, and kind and text of each cell. */
  readonly rows: readonly string[];
  readonly error: unknown;
}

async function readWith(
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
const stricter = new RegExp(
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

/**
 * Of files in which up to `bitsMax` bits before the footer were flipped, the kernels read what the
 * library reads, or they end in an error of the source; both are seen.
 */
export async function expectSameOfChanged(
  files: readonly Uint8Array[],
  fields: readonly FieldRequest[],
  { bitsMax, runs }: { readonly bitsMax: number; readonly runs: number },
) {
  const path = temporaryFile();
  const seen = { errors: 0, rows: 0 };
  const property = fc.asyncProperty(
    fc.nat(files.length - 1),
    // A seed, as numbers that fast-check draws itself are mostly small.
    fc.nat().map(createRandom),
    fc.integer({ min: 1, max: bitsMax }),
    async (index, random, bits) => {
      const content = Buffer.from(files[index] ?? []);
      const pages = content.length - 8 - content.readUInt32LE(content.length - 8);
      for (let bit = 0; bit < bits; bit++) {
        const position = 4 + Math.floor(random() * (pages - 4));
        content[position] = (content[position] ?? 0) ^ (1 << Math.floor(random() * 8));
      }
      writeFileSync(path, content);
      const found = await readWith(withKernels, path, fields);
      if (found.error !== undefined) {
        seen.errors++;
        expect(found.error).toBeInstanceOf(SourceError);
        return;
      }
      const expected = await readWith(withLibrary, path, fields);
      if (expected.error !== undefined) expect(String(expected.error)).toMatch(stricter);
      else expect(found.rows).toEqual(expected.rows);
      seen.rows++;
    },
  );
  await fc.assert(property, { numRuns: runs });
  expect(seen.errors).toBeGreaterThan(runs / 30);
  expect(seen.rows).toBeGreaterThan(runs / 30);
}
