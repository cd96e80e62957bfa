import { takeKeys } from "../../dedupe/kept-keys.js";
import type { MatchFile } from "../../dedupe/key-matcher.js";
import type { RunContext } from "../../ledger/run-observer.js";
import type { WorkerPool } from "../pool/worker-pool.js";
import { splitProgress } from "../run-epoch.js";
import type { RunSpec } from "../run-spec.js";
import type { StartedEpoch } from "../start-run.js";
import {
  type DropDigests,
  type FindDuplicatesJob,
  findDuplicates,
  priorKeys,
} from "./find-duplicates.js";

type DedupeJob = Pick<RunSpec, "options" | "sink">;

/**
 * Decides which events of all epochs repeat earlier ones. Removes the records of
 * finished splits that were written with another decision. Returns true if there are any: plan the
 * run again. After an interruption, the signal is aborted when it returns.
 */
export async function forgetOutdated(
  job: DedupeJob,
  epochs: readonly StartedEpoch[],
  context: RunContext,
  pool: WorkerPool,
): Promise<boolean> {
  // Shared, because otherwise each epoch would read the key files of all earlier epochs.
  const checksums = new Map<string, number>();
  let outdated = 0;
  for (const epoch of epochs) {
    const drops = await dedupeEpoch({ ...job, checksums }, epoch, epochs, context, pool);
    if (drops === undefined) break;
    if (isFixed(job, epoch)) continue;
    for (const { id, duplicates } of epoch.finished.values()) {
      if ((duplicates?.list ?? "") === (drops.get(id) ?? "")) continue;
      await epoch.ledger.removeSplit(id);
      outdated++;
    }
  }
  return outdated > 0 && !context.signal.aborted;
}

/**
 * Returns true if the events of an epoch are final: they were sent, or their inputs are gone and
 * cannot be read again.
 */
function isFixed({ sink: { isFinal = false } }: DedupeJob, { vanished }: StartedEpoch): boolean {
  return isFinal || vanished.size > 0;
}

/** Decides about the events of one epoch. Starts threads only to read or compare keys. */
async function dedupeEpoch(
  job: DedupeJob & Pick<FindDuplicatesJob, "checksums">,
  epoch: StartedEpoch,
  epochs: readonly StartedEpoch[],
  { signal, observer }: RunContext,
  pool: WorkerPool,
): Promise<DropDigests | undefined> {
  const { options } = job;
  const { layout } = epoch.ledger;
  const { plan, maxTimeMs } = epoch.record;
  const others = epochs.filter(
    (one, number) => number < layout.epoch || (number > layout.epoch && isFixed(job, one)),
  );
  const prior: MatchFile[] = [];
  // One at a time: there can be more epochs than files that may be open.
  for (const one of others)
    prior.push(...(await priorKeys(one.ledger.layout, one.record.plan, isFixed(job, one))));
  const { epoch: number } = layout;
  pool.begin({ options, reads: "keys", maxTimeMs, epoch: number, splits: plan.splits.length });
  try {
    return await findDuplicates({
      layout,
      splits: plan.splits,
      finished: new Set(epoch.finished.keys()),
      isFinal: isFixed(job, epoch),
      prior,
      checksums: job.checksums,
      pool,
      async takeKept(paths) {
        const { keptKeysDirectory: directory, dedupe } = options;
        if (directory === undefined || dedupe === undefined) return;
        const keyed = { options: { ...options, dedupe }, maxTimeMs };
        const taken = await takeKeys(directory, keyed, paths, plan.splits);
        if (taken === 0) return;
        const { length } = plan.splits;
        observer.note?.(`keys: those of ${taken} of ${length} splits are known from validate`);
      },
      started: (progress, read) =>
        observer.started?.(() => ({
          ...splitProgress(plan.splits, read, progress()),
          phase: "keys",
        })),
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
