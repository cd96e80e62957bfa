import { SwitchyardError } from "../base/errors.js";
import { LeaseLock, LOCK_KEY } from "../output/lease-lock.js";
import { openOutput, withCopy } from "../output/output-copy.js";
import { isOfMerges, isOfPlan } from "../output/output-paths.js";
import type { OutputPlace } from "../output/output-place.js";
import { COORDINATOR, workerLockName } from "../output/shared-locks.js";
import { livingMembers, lockAt } from "../output/stored-locks.js";
import { joinWaiting, leasePath, type QueuedOutput, recordPath } from "./queued-output.js";
import { StorePublisher, shareStore } from "./run-in-store.js";
import { type SplitLease, splitLeaseTimes } from "./split-lease.js";
import { fetchJournals, forgetJournals } from "./stored-journals.js";

/** Returns an output in a store that the workers of a queue write to. */
export async function outputInStore(output: OutputPlace): Promise<QueuedOutput> {
  const { unsafeLock: isUnsafe = false } = output;
  const open = await openOutput(output);
  const { store, prefix, address } = open;
  return {
    plan: (options, context, work) => shareStore(options, COORDINATOR, context, work),
    async join(worker, context, work) {
      const { signal } = context;
      const key = workerLockName(LOCK_KEY, worker);
      const lock = await joinWaiting(context, {
        take: () => LeaseLock.take({ ...lockAt(open, key), isUnsafe }),
        isLocked: () => LeaseLock.isHeld(store, `${prefix}${LOCK_KEY}`, signal),
        output: address,
      });
      try {
        return await withCopy({ ...output, signal: lock.lost }, isOfPlan, async (copy) => {
          const { mirror, directory } = copy;
          const journals = { ...open, directory, signal: lock.lost };
          const result = await work({
            directory,
            lost: lock.lost,
            async lease(split) {
              const lease = { ...lockAt(open, leasePath(split)), isUnsafe, times: splitLeaseTimes };
              const taken = await takeOrNone(() => LeaseLock.take(lease));
              if (taken !== undefined) await fetchJournals(split, journals);
              return taken;
            },
            prepareMerges: () => mirror.fetch(isOfMerges),
            forgetJournals: (split) => forgetJournals(split, journals),
            publisher: new StorePublisher(mirror, () => lock),
          });
          lock.lost.throwIfAborted();
          return result;
        });
      } catch (error) {
        throw lock.lost.aborted ? lock.lost.reason : error;
      } finally {
        await lock.release();
      }
    },
    livingMembers: (signal) => livingMembers(open, signal),
    async recorded(kind, signal) {
      const directory = kind === "split" ? "/splits/" : "/merges/";
      const recorded = new Set<string>();
      const listed = { isFlat: false, signal };
      for await (const { objects } of store.list(`${prefix}_switchyard/`, listed)) {
        for (const { key } of objects)
          if (key.includes(directory)) recorded.add(key.slice(prefix.length));
      }
      return recorded;
    },
    async isRecorded(work, signal) {
      return (await store.head(`${prefix}${recordPath(work)}`, signal)) !== undefined;
    },
  };
}

/** Returns undefined if another process has the lock. */
async function takeOrNone(take: () => Promise<SplitLease>): Promise<SplitLease | undefined> {
  try {
    return await take();
  } catch (error) {
    if (error instanceof SwitchyardError && error.code === "output_locked") return undefined;
    throw error;
  }
}
