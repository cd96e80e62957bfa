import { SourceError, throwIfInterrupted } from "../base/errors.js";
import { Kernel } from "../batch/kernel.js";
import type { RunOptions } from "../options/options.js";
import type { CountRows } from "../plan/change-plan.js";
import type { Reader } from "../readers/reader.js";
import type { ReaderOptions } from "../sources/read-options.js";
import { openSources } from "./run-tools.js";

/** Opens what counts the rows of ranges as the workers of a run read them. */
export function openCounter(options: RunOptions, readerOptions: ReaderOptions): CountRows {
  let kernel = new Kernel();
  const open = openSources(options);
  return async (range, rowsMax) => {
    let reader: Reader | undefined;
    let rows = 0;
    try {
      reader = await open(kernel, range, [], readerOptions);
      while (rows < rowsMax) {
        throwIfInterrupted(readerOptions.signal);
        const batch = await reader.next();
        if (batch === null) break;
        rows += batch.rows;
      }
    } catch (error) {
      // The worker that reads the range gets the same error after the same rows.
      throwIfInterrupted(readerOptions.signal);
      // After a crash, the state of the kernel is unknown.
      if (!(error instanceof SourceError)) kernel = new Kernel();
    } finally {
      await reader?.close();
    }
    return { rows: Math.min(rows, rowsMax), bytes: reader?.consumed ?? 0 };
  };
}
