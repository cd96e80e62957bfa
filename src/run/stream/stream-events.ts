import { throwIfInterrupted } from "../../base/errors.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { builtFile } from "../../base/package-files.js";
import { inTemporaryDirectory } from "../../base/temporary-directory.js";
import { startThread } from "../../base/thread-call.js";
import { Ledger } from "../../ledger/ledger.js";
import type { SplitRecord } from "../../ledger/ledger-records.js";
import type { RowCounts, RunAccounts, SourceFailure } from "../../ledger/manifest.js";
import { foldFailures, foldMissingFields, foldRejects } from "../../ledger/run-accounts.js";
import type { RunContext, RunOutcome } from "../../ledger/run-observer.js";
import type { StreamOptions } from "../../options/options.js";
import { layoutOf } from "../../output/layout.js";
import { limitRanges } from "../../plan/limit-ranges.js";
import { makePlan, type Plan, type Split } from "../../plan/plan.js";
import { notesOfLeftOut } from "../../sources/other-files.js";
import type { Source } from "../../sources/source.js";
import { plainSplit } from "../pool/split-runner.js";
import { asFatal, budgetThreads } from "../pool/worker-pool.js";
import { exceeds } from "../run.js";
import { inputReading } from "../run-inputs.js";
import { factsOf, openIdentityOf, readerOptionsOf, resolveMaxTime } from "../run-setup.js";
import { ThreadCounters } from "../thread/thread-counters.js";
import type { StreamServer } from "./stream-server.js";

/** The values from which the thread of a stream makes its tools. */
export interface StreamSetup {
  readonly options: StreamOptions & { readonly outputDirectory: string };
  readonly split: Split;
  /** Milliseconds since 1970 UTC. */
  readonly maxTimeMs: number;
  /** Buffer of its `ThreadCounters`. */
  readonly counters: SharedArrayBuffer;
}

/** Writes bytes, and resolves when they are written: to false if nobody reads them any more. */
export type WriteBytes = (bytes: Uint8Array) => Promise<boolean>;

/** The result of a stream of events. */
export interface StreamResult
  extends Pick<
    RunAccounts,
    "rows" | "limit" | "rejects" | "notices" | "missingFields" | "misplacedCommas" | "failures"
  > {
  readonly outcome: Exclude<RunOutcome, "interrupted">;
  /** Nobody reads the events any more; there are no counts. */
  readonly isClosed: boolean;
  readonly tooManyRejects: boolean;
  /** Bytes on disk that were read. */
  readonly bytesRead: number;
  readonly durationMs: number;
}

/**
 * Writes the events of inputs as lines of JSON, in the order of the inputs. One thread reads them; the
 * main thread writes. Keeps nothing: what the run needs on disk is in a temporary directory, which is
 * always removed. Throws `interrupted` if the signal is aborted.
 */
export async function streamEvents(
  options: StreamOptions,
  context: RunContext,
  write: WriteBytes,
): Promise<StreamResult> {
  const { signal, observer, now = Date.now } = context;
  const startedMs = now();
  return inTemporaryDirectory("switchyard-stream", async (outputDirectory) => {
    const run = { ...options, outputDirectory };
    const found = await inputReading.discover(run, signal);
    throwIfInterrupted(signal);
    for (const text of [...notesOfLeftOut(found.leftOut), ...(found.notes ?? [])])
      observer.note?.(text);
    const { unreadable } = factsOf(found, {});
    for (const failure of unreadable) observer.sourceFailed?.(failure);
    const { plan, limit } = await planStream(found.sources, run, signal);
    const [split] = plan.splits;
    const maxTimeMs = resolveMaxTime(options.maxTimeMs, startedMs);
    const counters = new ThreadCounters();
    const setup = { options: run, maxTimeMs, counters: counters.buffer };
    const record =
      split === undefined
        ? emptyRecord
        : await readSplit({ ...setup, split }, counters, context, write);
    for (const failure of record?.failures ?? []) observer.sourceFailed?.(failure);
    const result = resultOf(record, plan, unreadable, options);
    const durationMs = now() - startedMs;
    return { ...result, ...omitUndefined({ limit }), bytesRead: split?.bytes ?? 0, durationMs };
  });
}

const noRows: RowCounts = { read: 0, added: 0, delivered: 0, rejected: 0, filtered: 0 };

type StreamRecord = Pick<
  SplitRecord,
  "id" | "rows" | "rejects" | "notices" | "failures" | "fieldValues" | "misplacedCommas"
>;

const emptyRecord: StreamRecord = { id: "", rows: noRows, rejects: [], notices: {}, failures: [] };

/** Plans all inputs, or the first rows, as one split. */
async function planStream(
  sources: readonly Source[],
  run: StreamSetup["options"],
  signal: AbortSignal,
) {
  const whole = (source: Source) => [{ source, start: 0, end: null }];
  const splitBytes = Number.POSITIVE_INFINITY;
  if (run.limit === undefined) {
    const ranged = sources.map((source) => ({ source, ranges: whole(source) }));
    return { plan: makePlan(ranged, { splitBytes }), limit: undefined };
  }
  const readerOptions = readerOptionsOf(run, layoutOf(run.outputDirectory, "events"), signal);
  const openCounter = () => inputReading.openCounter(run, readerOptions);
  const { ranged, limit } = await limitRanges(sources, splitBytes, {
    planRanges: async (source) => whole(source),
    signal,
    limit: { rows: run.limit, openCounter },
  });
  return { plan: makePlan(ranged, { splitBytes }), limit };
}

/** Writes the events of a split. Returns undefined if nobody reads them any more. */
async function readSplit(
  setup: StreamSetup,
  counters: ThreadCounters,
  { signal, observer }: RunContext,
  write: WriteBytes,
): Promise<SplitRecord | undefined> {
  const { options, split } = setup;
  await new Ledger(layoutOf(options.outputDirectory, "events")).makeDirectories();
  const { heapBytes } = budgetThreads({ ...options, threads: 1 });
  const opened = await openIdentityOf(options, { signal, observer });
  const thread = startThread<StreamServer<StreamSetup>>(builtFile("stream-worker.js"), {
    heapBytes,
  });
  const stop = () => void thread.terminate();
  signal.addEventListener("abort", stop, { once: true });
  try {
    throwIfInterrupted(signal);
    const run = { ...options, ...omitUndefined({ identity: opened?.identity }) };
    await thread.call("setUp", { ...setup, options: run, split: plainSplit(split) });
    observer.started?.(() => progressOf(split, counters));
    for (;;) {
      const [lines, record] = await thread.call("next");
      if (lines === null) return record;
      if (!(await write(new Uint8Array(lines)))) return undefined;
    }
  } catch (error) {
    throwIfInterrupted(signal);
    throw asFatal("wrote the events", error);
  } finally {
    signal.removeEventListener("abort", stop);
    await thread.terminate();
    await opened?.close();
  }
}

function progressOf(
  { bytes, ranges }: Split,
  { rows, rejects, bytes: done, range }: ThreadCounters,
) {
  const threads = [{ source: ranges[range]?.source.name, rows }];
  const bytesDone = Math.min(done, bytes);
  return { threads, bytesTotal: bytes, bytesDone, rows, rejects, splitsTotal: 1, splitsDone: 0 };
}

function resultOf(
  record: StreamRecord | undefined,
  plan: Plan,
  unreadable: readonly SourceFailure[],
  { mapping, preset, maxRejects }: StreamOptions,
): Omit<StreamResult, "bytesRead" | "durationMs"> {
  const { rows, notices, misplacedCommas } = record ?? emptyRecord;
  const records = record === undefined ? [] : [record];
  const failures = foldFailures({ unreadable }, records);
  const missingFields = foldMissingFields({ mapping, preset }, plan, records);
  const isClosed = record === undefined;
  return {
    outcome: failures.length > 0 && !isClosed ? "failed" : "done",
    isClosed,
    rows,
    rejects: foldRejects(records),
    notices,
    ...(missingFields.length === 0 ? {} : { missingFields }),
    ...omitUndefined({ misplacedCommas }),
    failures,
    tooManyRejects: exceeds(rows, maxRejects),
  };
}
