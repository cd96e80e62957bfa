import { SourceError } from "../base/errors.js";
import { SURVEY_ROWS_MAX } from "../base/limits.js";
import type { Batch, FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { OpenReader, Reader, ReaderOptions } from "../readers/reader.js";
import type { Source } from "../readers/source.js";

/** A JSON value in a row. Numbers are doubles, which is precise enough for a sample. */
export type RowValue = string | number | boolean | null | readonly RowValue[] | Row;

export interface Row {
  readonly [name: string]: RowValue;
}

/** The first rows of a source. */
export interface SampledSource {
  readonly source: Source;
  readonly rows: readonly Row[];
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

/** Reads the first rows of a source: its first batch, up to SURVEY_ROWS_MAX. Throws `SourceError`. */
export async function sampleRows(source: Source, tools: SampleTools): Promise<SampledSource> {
  return withFirstBatch(source, wholeRow, tools, (batch) => {
    const rows: Row[] = [];
    let faults = 0;
    const end = Math.min(batch?.rows ?? 0, SURVEY_ROWS_MAX);
    for (let row = 0; batch !== null && row < end; row++) {
      const parsed = rowOf(batch, row);
      if (parsed === undefined) faults++;
      else rows.push(parsed);
    }
    return { source, rows, faults };
  });
}

/** Passes the first batch of a source to `look`, or null if the source has no rows. */
export async function withFirstBatch<T>(
  source: Source,
  fields: readonly FieldRequest[],
  { kernel, open, readerOptions }: SampleTools,
  look: (batch: Batch | null) => T,
): Promise<T> {
  let reader: Reader | undefined;
  try {
    reader = await open(kernel, { source, start: 0, end: null }, fields, readerOptions);
    return look(await reader.next());
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
