import { SourceError } from "../base/errors.js";
import {
  SURVEY_LAST_ROWS_MAX,
  SURVEY_ROWS_MAX,
  SURVEY_SOURCE_BYTES_MAX,
  SURVEY_TAIL_BYTES,
} from "../base/limits.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import { planRanges } from "../formats/input-formats.js";
import type { OpenReader, Reader } from "../readers/reader.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source, SourceRange } from "../sources/source.js";

/** A JSON value in a row. Numbers are doubles, which is precise enough for a sample. */
export type RowValue = string | number | boolean | null | readonly RowValue[] | Row;

export interface Row {
  readonly [name: string]: RowValue;
}

/** Rows from both ends of a source. */
export interface SampledSource {
  readonly source: Source;
  readonly rows: readonly Row[];
  /** Numbers of the rows in the source, from 1, as far as they are known. */
  readonly numbers: readonly (number | undefined)[];
  /** Rows that could not be read, among or before them. */
  readonly faults: number;
}

/** Tools that read sources. */
export interface SampleTools {
  readonly kernel: Kernel;
  readonly open: OpenReader;
  readonly readerOptions: ReaderOptions;
}

/** Requests the whole row. */
const wholeRow: readonly FieldRequest[] = [{ path: [], form: "rest", except: [] }];

/** Reads rows from both ends of a source, as `sampleBatches` does. Throws `SourceError`. */
export async function sampleRows(source: Source, tools: SampleTools): Promise<SampledSource> {
  const rows: Row[] = [];
  const numbers: (number | undefined)[] = [];
  let faults = 0;
  await sampleBatches(source, wholeRow, tools, (batch, start, end) => {
    for (let row = start; row < end; row++) {
      const parsed = rowOf(batch, row);
      if (parsed === undefined) faults++;
      else {
        rows.push(parsed);
        numbers.push(batch.raw.number(row));
      }
    }
  });
  return { source, rows, numbers, faults };
}

/** Looks at the rows from `start` to `end` of a batch. */
type LookAtRows = (batch: Batch, start: number, end: number) => void;

/**
 * Passes the first rows of a source to `look`, and then the last rows of its batches: of all batches of a
 * small source, of those at the end of a larger one that can be cut, otherwise of the first ones.
 */
export async function sampleBatches(
  source: Source,
  fields: readonly FieldRequest[],
  tools: SampleTools,
  look: LookAtRows,
): Promise<void> {
  const tail = await tailOf(source, tools);
  let isFirst = true;
  const take = (range: SourceRange) =>
    readBatches(range, fields, tools, (batch, consumed) => {
      const headEnd = isFirst ? Math.min(batch.rows, SURVEY_ROWS_MAX) : 0;
      if (isFirst) look(batch, 0, headEnd);
      look(batch, Math.max(headEnd, batch.rows - SURVEY_LAST_ROWS_MAX), batch.rows);
      isFirst = false;
      return range.start > 0 || (tail.length === 0 && consumed < SURVEY_SOURCE_BYTES_MAX);
    });
  try {
    await take({ source, start: 0, end: null });
    for (const range of tail) await take(range);
  } catch (error) {
    // Rows in front of a damage are a sample, too; the run says what is damaged.
    if (isFirst) throw error;
    asSourceError(error);
  }
}

/** Returns the last range of a source that is large and can be cut; otherwise none. */
async function tailOf(
  source: Source,
  { readerOptions }: SampleTools,
): Promise<readonly SourceRange[]> {
  if (source.size <= SURVEY_SOURCE_BYTES_MAX || source.sampled === true) return [];
  const ranges = await planRanges(source, source.size - SURVEY_TAIL_BYTES, readerOptions);
  return ranges.length < 2 ? [] : ranges.slice(-1);
}

/** Passes batches of a range to `take` as long as it returns true. */
async function readBatches(
  range: SourceRange,
  fields: readonly FieldRequest[],
  { kernel, open, readerOptions }: SampleTools,
  take: (batch: Batch, consumed: number) => boolean,
): Promise<void> {
  let reader: Reader | undefined;
  try {
    reader = await open(kernel, range, fields, readerOptions);
    for (;;) {
      const batch = await reader.next();
      if (batch === null || !take(batch, reader.consumed)) return;
    }
  } catch (error) {
    readerOptions.signal.throwIfAborted();
    throw error;
  } finally {
    await reader?.close();
  }
}

function rowOf(batch: Batch, row: number): Row | undefined {
  if (batch.kernel.bytes[batch.faults + row] !== 0) return undefined;
  try {
    return JSON.parse(batch.columns[0]?.text(row) ?? "null") as Row;
  } catch {
    return undefined;
  }
}

/** Returns an error of the source; rethrows every other error. */
export function asSourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  throw error;
}
