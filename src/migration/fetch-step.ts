import {
  exportAskedFor,
  fetchExitCode,
  jsonOfFetch,
  summarizeFetch,
} from "../commands/run-fetch.js";
import { fetchExport } from "../fetch/fetch-export.js";
import type { FetchObserver } from "../fetch/fetch-observer.js";
import { bytesOf, rowsOf } from "../fetch/run-fetch.js";
import type { RunObserver, RunProgress } from "../ledger/run-observer.js";
import type { Configuration } from "../options/configuration.js";
import type { StepContext, StepReport } from "./step.js";

/** Fetches what the vendor has since the last time. */
export async function runFetchStep(
  configuration: Configuration,
  { signal, observer, environment }: StepContext,
): Promise<StepReport> {
  const asked = await exportAskedFor(configuration, environment);
  const started = performance.now();
  const result = await fetchExport(asked, { signal, observer: observing(observer) });
  const fetched = { ...result, asked, durationMs: Math.round(performance.now() - started) };
  return {
    exitCode: fetchExitCode(fetched),
    summary: summarizeFetch(fetched),
    json: jsonOfFetch(fetched),
    results: { fetch: fetched },
    isIdle: result.fetched === 0 && result.failed.length === 0,
  };
}

/**
 * Tells an observer of runs how a fetch goes on. How many bytes will come is not known: it is estimated by
 * the time that was asked for.
 */
function observing(observer: RunObserver): FetchObserver {
  let rows = 0;
  let bytesDone = 0;
  let windows = 0;
  /** The time that was missing when the first window was done. */
  let missingMs: number | undefined;
  let bytesTotal = 0;
  const progress = (): RunProgress => {
    const splits = { splitsDone: windows, splitsTotal: windows };
    return { threads: [], bytesTotal, bytesDone, rows, rejects: 0, ...splits };
  };
  return {
    note: (text) => observer.note?.(text),
    done: (record, { unaskedMs: leftMs }) => {
      windows += 1;
      rows += rowsOf([record]);
      bytesDone += bytesOf([record]);
      if (missingMs === undefined) {
        missingMs = leftMs + record.end - record.start;
        observer.started?.(progress);
      }
      const doneMs = missingMs - leftMs;
      bytesTotal = doneMs > 0 ? (bytesDone * missingMs) / doneMs : bytesDone;
    },
  };
}
