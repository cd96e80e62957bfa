import { SourceError, throwIfInterrupted } from "../base/errors.js";
import { Kernel } from "../batch/kernel.js";
import type { RunOptions } from "../options/options.js";
import type { CountRows } from "../plan/change-plan.js";
import type { Reader } from "../readers/reader.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { FirstRows } from "../sources/source.js";
import { openSources } from "./run-tools.js";

/** Opens what counts the rows of ranges as the workers of a run read them. */
export function openCounter(options: RunOptions, readerOptions: ReaderOptions): CountRows {
  let kernel = new Kernel();
  const open = openSources(options);
  return async (range, rowsMax) => {
    let reader: Reader | undefined;
    const read = { rows: 0, bytes: 0 };
    try {
      reader = await open(kernel, range, [], readerOptions);
      await countRows(reader, rowsMax, read, readerOptions.signal);
    } catch (error) {
      // The worker that reads the range gets the same error after the same rows.
      throwIfInterrupted(readerOptions.signal);
      // After a crash, the state of the kernel is unknown.
      if (!(error instanceof SourceError)) kernel = new Kernel();
      read.bytes = reader?.consumed ?? 0;
    } finally {
      await reader?.close();
    }
    const rows = Math.min(read.rows, rowsMax);
    const bytes = read.rows === 0 ? read.bytes : Math.round((read.bytes * rows) / read.rows);
    return { rows, bytes };
  };
}

/**
 * Counts at least `rowsMax` rows, if there are as many, and then all others in the bytes that were read
 * with them: a reader reads far ahead of its first rows.
 */
async function countRows(
  reader: Reader,
  rowsMax: number,
  read: { -readonly [Key in keyof FirstRows]: FirstRows[Key] },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    throwIfInterrupted(signal);
    const batch = await reader.next();
    if (read.rows >= rowsMax && reader.consumed !== read.bytes) return;
    read.bytes = reader.consumed;
    if (batch === null) return;
    read.rows += batch.rows;
  }
}
