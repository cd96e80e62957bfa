import { sep } from "node:path";
import { DAY_MS } from "../base/day.js";
import { UsageError } from "../base/errors.js";
import { version } from "../base/package-files.js";
import type { ReaderOptions } from "../readers/reader.js";
import type { Layout } from "./ledger/layout.js";
import { readEpochs } from "./ledger/ledger.js";
import type { RunFacts } from "./ledger/resume.js";
import type { RunAccounts, SourceFailure } from "./manifest.js";
import type { RunOptions } from "./options.js";
import type { DiscoveredInputs, RunJob, RunOutside } from "./run-job.js";
import type { RunContext } from "./run-observer.js";
import { type StartedRun, startRun } from "./start-run.js";
import { budgetThreads } from "./worker/thread-count.js";
import { raiseThreadLimits, WorkerPool } from "./worker/worker-pool.js";

/** Creates the threads of a run, which start when they are needed. */
export function createPool(
  { options }: RunJob<RunAccounts>,
  { signal, observer }: RunContext,
  { workerEntry: entry }: RunOutside,
): WorkerPool {
  const budget = budgetThreads(options);
  if (budget.threads < options.threads) {
    observer.note?.(
      `threads: ${budget.threads} instead of ${options.threads}; raise --memory for more`,
    );
  }
  return new WorkerPool({
    entry,
    signal,
    ...budget,
    fewer: (started, wanted) =>
      observer.note?.(
        `threads: ${started} instead of ${wanted}, as the system refuses more; for more, ${raiseThreadLimits}`,
      ),
  });
}

/** Finds the inputs; those that an earlier run has planned may be gone. */
export async function discoverInputs(
  { options, layout }: RunJob<RunAccounts>,
  outside: RunOutside,
  signal: AbortSignal,
): Promise<DiscoveredInputs> {
  try {
    return await outside.discover(options, signal);
  } catch (error) {
    if (!(error instanceof UsageError && error.code === "input_not_found") || options.fresh)
      throw error;
    const saved = await readEpochs(layout);
    const paths = saved.flatMap(({ record }) => record.plan.sources.map((source) => source.path));
    const holds = (path: string) => paths.some((one) => one === path || one.startsWith(path + sep));
    return outside.discover(options, signal, holds);
  }
}

/** The time, the readers and the signal that planning needs. */
export interface PlanningContext {
  readonly outside: RunOutside;
  readonly signal: AbortSignal;
  readonly startedMs: number;
}

/** Resumes the epochs in the ledger and plans a new one. */
export async function planRun(
  { options, recorded, layout, isFinal = false, finishesOnly = false }: RunJob<RunAccounts>,
  inputs: DiscoveredInputs,
  { outside, signal, startedMs }: PlanningContext,
): Promise<StartedRun> {
  const { splitBytes, fresh, maxTimeMs } = options;
  const readerOptions = readerOptionsOf(options, layout, signal);
  return startRun(layout, factsOf(inputs, recorded), {
    splitBytes,
    fresh,
    isFinal,
    finishesOnly,
    signal,
    now: new Date(startedMs),
    maxTimeMs: resolveMaxTime(maxTimeMs, startedMs),
    planRanges: (source, bytes) => outside.planRanges(source, bytes, readerOptions),
  });
}

function readerOptionsOf(
  { rowBytesMax, ratioMax, s3 }: RunOptions,
  { temporaryDirectory }: Layout,
  signal: AbortSignal,
): ReaderOptions {
  return { rowBytesMax, ratioMax, s3, temporaryDirectory, signal };
}

/** Returns what a saved run is compared with. */
export function factsOf(
  { sources, failures }: DiscoveredInputs,
  options: Readonly<Record<string, unknown>>,
): RunFacts {
  const unreadable = failures.map(
    ({ name, code, message }): SourceFailure => ({ source: name, code, message }),
  );
  return { version, options, sources, unreadable };
}

/** Returns `tomorrow` as a time: the end of the UTC day after the day that the run started on. */
export function resolveMaxTime(maxTimeMs: number | "tomorrow", startedMs: number): number {
  if (maxTimeMs !== "tomorrow") return maxTimeMs;
  return (Math.floor(startedMs / DAY_MS) + 2) * DAY_MS;
}
