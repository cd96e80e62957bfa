import { SwitchyardError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import { type RunHead, readHeads, type SavedEpoch } from "../ledger/ledger.js";
import type { RowLimit, RunAccounts } from "../ledger/manifest.js";
import { readAccounts } from "../ledger/manifest-file.js";
import { directoryOutput } from "../output/directory-output.js";
import { type Layout, layoutOf } from "../output/layout.js";
import { isAtWork } from "../output/shared-locks.js";
import { settleCompaction } from "./compact/settle-compaction.js";

/** An epoch: inputs that were read together. */
export interface ListedEpoch {
  readonly number: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly sources: number;
  readonly delivered: number;
  readonly rejected: number;
  /** Number of splits that need not be read again. */
  readonly splitsDone: number;
  readonly splitsTotal: number;
  /** Number of days that it changed; null if not yet known, and for `send`. */
  readonly firstDay: string | null;
  readonly lastDay: string | null;
}

/** The course of an export, or of a run of `send`, over all its epochs. */
export interface RunHistory {
  /** Absent without `limit`. */
  readonly limit?: RowLimit;
  readonly epochs: readonly ListedEpoch[];
  /** End and duration of the latest run that ended by itself; null before the first one. */
  readonly endedAt: string | null;
  readonly durationMs: number | null;
  /** Sources that could not be read to their end. */
  readonly failures: number;
}

const exportStates = ["done", "failed", "at_work", "interrupted", "unreadable"] as const;
/** `failed`: a source could not be read. `at_work`: a live process holds the lock. */
type ExportState = (typeof exportStates)[number];

export interface ListedExport extends RunHistory {
  readonly directory: string;
  readonly state: ExportState;
  /** ISO 8601; first start. */
  readonly startedAt: string | null;
  readonly delivered: number;
  readonly rejected: number;
  readonly splitsDone: number;
  readonly splitsTotal: number;
}

/** Lists the exports in some directories, in their order. Directories without one are left out. */
export async function listExports(
  directories: readonly string[],
  signal: AbortSignal,
): Promise<readonly ListedExport[]> {
  const exports: ListedExport[] = [];
  for (const directory of directories) {
    const listed = await describeExport(directory, signal);
    if (listed !== undefined) exports.push(listed);
  }
  return exports;
}

/** Reads the course of a run from its ledger and its latest manifest. Throws `ledger_unreadable`. */
export async function readHistory(layout: Layout): Promise<RunHistory> {
  return historyOf(await readHeads(layout), await readAccounts(layout));
}

async function describeExport(
  directory: string,
  signal: AbortSignal,
): Promise<ListedExport | undefined> {
  const layout = layoutOf(directory, "events");
  // It fails while `compact` is running, or where this command must not write.
  const isSettled = await settleCompaction({ directory, s3: {}, signal }).then(
    () => true,
    () => false,
  );
  let saved: readonly SavedEpoch<RunHead>[];
  try {
    saved = await readHeads(layout);
  } catch (error) {
    if (!(error instanceof SwitchyardError)) throw error;
    const times = { startedAt: null, endedAt: null, durationMs: null };
    const counts = { delivered: 0, rejected: 0, splitsDone: 0, splitsTotal: 0, failures: 0 };
    return { directory, state: "unreadable", ...times, ...counts, epochs: [] };
  }
  const [first] = saved;
  if (first === undefined) return undefined;
  const manifest = await readAccounts(layout);
  const history = await historyOf(saved, manifest);
  const isWhole = manifest?.epochs.length === saved.length;
  const isDone = isSettled && isWhole && manifest.complete;
  const ended = isDone ? "done" : history.failures > 0 ? "failed" : undefined;
  return {
    directory,
    state: (await isAtWork(directoryOutput(directory), signal))
      ? "at_work"
      : (ended ?? "interrupted"),
    startedAt: first.record.startedAt,
    ...history,
    delivered: sum(history.epochs, (epoch) => epoch.delivered),
    rejected: sum(history.epochs, (epoch) => epoch.rejected),
    splitsDone: sum(history.epochs, (epoch) => epoch.splitsDone),
    splitsTotal: sum(history.epochs, (epoch) => epoch.splitsTotal),
  };
}

async function historyOf(
  saved: readonly SavedEpoch<RunHead>[],
  manifest: RunAccounts | undefined,
): Promise<RunHistory> {
  const epochs: ListedEpoch[] = [];
  for (const [number, { ledger, record }] of saved.entries()) {
    const known: (RunAccounts["epochs"][number] & { days?: readonly string[] }) | undefined =
      manifest?.epochs[number];
    const isComplete = known !== undefined && manifest?.failures.length === 0;
    const counts = isComplete ? undefined : await countDone(ledger);
    const { delivered = 0, rejected = 0 } = known?.rows ?? counts ?? {};
    epochs.push({
      number,
      startedAt: record.startedAt,
      sources: record.sources,
      delivered,
      rejected,
      splitsDone: counts?.splitsDone ?? record.splits,
      splitsTotal: record.splits,
      firstDay: known?.days?.[0] ?? null,
      lastDay: known?.days?.at(-1) ?? null,
    });
  }
  const { endedAt = null, durationMs = null } = manifest?.run ?? {};
  const failures = manifest?.failures.length ?? 0;
  const limit = saved[0]?.record.limit;
  return { ...omitUndefined({ limit }), epochs, endedAt, durationMs, failures };
}

/** Counts the finished splits, and the rows of all splits that were read. */
async function countDone(
  ledger: SavedEpoch["ledger"],
): Promise<Pick<ListedEpoch, "delivered" | "rejected" | "splitsDone">> {
  const records = await ledger.readSplits();
  return {
    delivered: sum(records, ({ rows }) => rows.delivered),
    rejected: sum(records, ({ rows }) => rows.rejected),
    splitsDone: records.filter(({ status }) => status === "complete").length,
  };
}
