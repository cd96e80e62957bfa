import { MANIFEST_NAME } from "../ledger/layout.js";
import type { StoredOptions } from "../options.js";
import type { RunPublisher } from "../run-job.js";
import type { RunContext } from "../run-observer.js";
import type { SharedOutput } from "../shard/run-shard.js";
import {
  formatPlanner,
  type Planner,
  type PlanningLock,
  refuseOthers,
  shardLockName,
  takeWaiting,
} from "../shard/shared-locks.js";
import { LeaseLock, type LeaseOptions, LOCK_KEY } from "./lease-lock.js";
import { type OutputCopy, openOutput, withCopy, withLockedCopy } from "./output-copy.js";
import { isOfSplits } from "./output-paths.js";
import { StorePublisher } from "./store-publisher.js";
import { livingMembers, lockAt } from "./stored-locks.js";

/**
 * Wraps `run` for an output in a store. It works on a copy of the output; each split and each merge
 * is written to the store as soon as it is finished, the manifest last. Throws what `run` throws,
 * `StoreError`, `output_lock_lost` and `output_changed`.
 */
export async function runInStore<
  Options extends StoredOptions,
  Result extends { readonly manifestPath: string },
>(
  options: Options,
  context: RunContext,
  run: (options: Options, context: RunContext, publisher: RunPublisher) => Promise<Result>,
): Promise<Result> {
  const { outputDirectory: directory, s3, unsafeLock } = options;
  const { signal, observer } = context;
  return withLockedCopy({ directory, s3, unsafeLock, signal }, async (copy, lock) => {
    if (lock.takenOverFrom !== undefined)
      observer.note?.(`process ${lock.takenOverFrom.pid} died in this output`);
    const { local, inside } = insideCopy(options, copy, context, lock.lost);
    const result = await run(local, inside, new StorePublisher(copy.mirror, () => lock));
    lock.lost.throwIfAborted();
    await copy.mirror.publish(lock);
    return { ...result, manifestPath: `${copy.address}/${MANIFEST_NAME}` };
  });
}

/** Returns the options and the context of a run that works on a copy of its output. */
function insideCopy<Options extends StoredOptions>(
  options: Options,
  { directory: outputDirectory, address, inAddress }: OutputCopy,
  { signal, observer }: RunContext,
  lost: AbortSignal,
): { readonly local: Options; readonly inside: RunContext } {
  return {
    local: { ...options, outputDirectory, notInputs: [...options.notInputs, address] },
    inside: {
      signal: AbortSignal.any([signal, lost]),
      observer: { ...observer, note: (text) => observer.note?.(inAddress(text)) },
    },
  };
}

const POLL_MS = 1_000;

/**
 * Wraps `run`, one of several processes that write to an output in a store. It works on a copy of
 * the ledger, and each of its splits is written to the store as soon as it is finished. Throws what
 * `run` throws, `StoreError` and `output_lock_lost`.
 */
export async function shareStore<Options extends StoredOptions, Result>(
  options: Options,
  planner: Planner,
  context: RunContext,
  run: (options: Options, context: RunContext, output: SharedOutput) => Promise<Result>,
): Promise<Result> {
  const { outputDirectory, s3, unsafeLock: isUnsafe } = options;
  const { signal, observer } = context;
  const place = { directory: outputDirectory, s3 };
  const output = await openOutput(place);
  const lockOptions = (key: string): LeaseOptions => ({
    ...lockAt(output, key),
    isUnsafe,
    planner: formatPlanner(planner),
  });
  const planningLock = lockOptions(LOCK_KEY);
  const waited = {
    take: () => LeaseLock.take(planningLock),
    holder: () => LeaseLock.holderOf(planningLock.store, planningLock.key, signal),
    pollMs: POLL_MS,
  };
  let lock = await takeWaiting(waited, signal, (text) => observer.note?.(text));
  const lost = new AbortController();
  const follow = () =>
    lock.lost.addEventListener("abort", () => lost.abort(lock.lost.reason), { once: true });
  follow();
  try {
    const others = await livingMembers(output, signal);
    refuseOthers(planner, others);
    const isAlone = others.length === 0;
    const isWanted = (path: string) => isAlone || isOfSplits(path);
    return await withCopy({ ...place, signal: lost.signal }, isWanted, async (copy) => {
      const planned: PlanningLock = {
        isAlone,
        release: async () => undefined,
        async lockShard(shard) {
          const own = await LeaseLock.take(lockOptions(shardLockName(LOCK_KEY, shard)));
          const planning = lock;
          lock = own;
          follow();
          await planning.release();
          return own;
        },
      };
      const { local, inside } = insideCopy(options, copy, context, lost.signal);
      const publisher = new StorePublisher(copy.mirror, () => lock);
      const locks = { plan: async () => planned };
      const result = await run(local, inside, { locks, publisher });
      lost.signal.throwIfAborted();
      return result;
    });
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    await lock.release();
  }
}
