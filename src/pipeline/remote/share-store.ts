import { setTimeout as sleep } from "node:timers/promises";
import { SwitchyardError } from "../../base/errors.js";
import type { StoredOptions } from "../options.js";
import type { RunContext } from "../run-observer.js";
import type { SharedOutput } from "../shard/run-shard.js";
import {
  formatPlanner,
  type Planner,
  type PlanningLock,
  refuseOthers,
  shardLockName,
  waitingNote,
} from "../shard/shared-locks.js";
import { LeaseLock, type LeaseOptions, LOCK_KEY } from "./lease-lock.js";
import { openOutput, withCopy } from "./output-copy.js";
import { isOfSplits } from "./output-paths.js";
import { StorePublisher } from "./store-publisher.js";
import { livingMembers, lockAt } from "./stored-locks.js";

const POLL_MS = 1_000;
const NOTE_AFTER_POLLS = 5;

/**
 * Makes `run` one of several processes that write to an output in a store: it works on a copy of the ledger,
 * and each of its splits is written to the store as soon as it is finished. Throws what `run` throws,
 * `StoreError` and `output_lock_lost`.
 */
export async function shareStore<Options extends StoredOptions, Result>(
  options: Options,
  planner: Planner,
  { signal, observer }: RunContext,
  run: (options: Options, context: RunContext, output: SharedOutput) => Promise<Result>,
): Promise<Result> {
  const { outputDirectory: address, s3, unsafeLock: isUnsafe, notInputs } = options;
  const output = await openOutput({ address, s3, signal });
  const lockOptions = (key: string): LeaseOptions => ({
    ...lockAt(output, key),
    isUnsafe,
    planner: formatPlanner(planner),
  });
  let lock = await takeWaiting(lockOptions(LOCK_KEY), signal, observer);
  const lost = new AbortController();
  const follow = () =>
    lock.lost.addEventListener("abort", () => lost.abort(lock.lost.reason), { once: true });
  follow();
  try {
    const others = await livingMembers(output, signal);
    refuseOthers(planner, others);
    const isAlone = others.length === 0;
    const isWanted = (path: string) => isAlone || isOfSplits(path);
    return await withCopy({ address, s3, signal: lost.signal }, isWanted, async (copy) => {
      const { mirror, directory, inAddress } = copy;
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
      const context: RunContext = {
        signal: AbortSignal.any([signal, lost.signal]),
        observer: { ...observer, note: (text) => observer.note?.(inAddress(text)) },
      };
      const local = {
        ...options,
        outputDirectory: directory,
        notInputs: [...notInputs, copy.address],
      };
      const publisher = new StorePublisher(mirror, () => lock);
      const locks = { plan: async () => planned };
      const result = await run(local, context, { locks, publisher });
      lost.signal.throwIfAborted();
      return result;
    });
  } catch (error) {
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    await lock.release();
  }
}

async function takeWaiting(
  options: LeaseOptions,
  signal: AbortSignal,
  { note }: RunContext["observer"],
): Promise<LeaseLock> {
  for (let polls = 0; ; polls++) {
    try {
      return await LeaseLock.take(options);
    } catch (error) {
      if (!(error instanceof SwitchyardError && error.code === "output_locked")) throw error;
      const holder = await LeaseLock.holderOf(options.store, options.key, signal);
      if (holder !== undefined && holder.planner === undefined) throw error;
      if (polls === NOTE_AFTER_POLLS && holder !== undefined)
        waitingNote(holder, (text) => note?.(text));
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
