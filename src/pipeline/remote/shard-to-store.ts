import { setTimeout as sleep } from "node:timers/promises";
import { SwitchyardError } from "../../base/errors.js";
import type { RunContext } from "../run-observer.js";
import type { ShardOptions, ShardOutput, ShardResult } from "../shard/run-shard.js";
import { formatShard } from "../shard/shard.js";
import {
  type PlanningLock,
  refuseOthers,
  shardLockName,
  waitingNote,
} from "../shard/shard-locks.js";
import { LeaseLock, type LeaseOptions, LOCK_KEY } from "./lease-lock.js";
import { openOutput, withCopy } from "./output-copy.js";
import { isOfSplits } from "./output-paths.js";
import { StorePublisher } from "./store-publisher.js";
import { livingShards, lockAt } from "./stored-locks.js";

const POLL_MS = 1_000;
const NOTE_AFTER_POLLS = 5;

/**
 * Makes `run` a shard of an export whose output is in a store: it works on a copy of the ledger, and each of
 * its splits is written to the store as soon as it is finished. Throws what `runShard` throws, `StoreError`
 * and `output_lock_lost`.
 */
export async function shardToStore(
  options: ShardOptions,
  { signal, observer }: RunContext,
  run: (options: ShardOptions, context: RunContext, output: ShardOutput) => Promise<ShardResult>,
): Promise<ShardResult> {
  const { outputDirectory: address, s3, unsafeLock: isUnsafe, notInputs, shard } = options;
  const output = await openOutput({ address, s3, signal });
  const lockOptions = (key: string): LeaseOptions => ({
    ...lockAt(output, key),
    isUnsafe,
    shard: formatShard(shard),
  });
  let lock = await takeWaiting(lockOptions(LOCK_KEY), signal, observer);
  const lost = new AbortController();
  const follow = () =>
    lock.lost.addEventListener("abort", () => lost.abort(lock.lost.reason), { once: true });
  follow();
  try {
    const others = await livingShards(output, signal);
    refuseOthers(shard, others);
    const isAlone = others.length === 0;
    const isWanted = (path: string) => isAlone || isOfSplits(path);
    return await withCopy({ address, s3, signal: lost.signal }, isWanted, async (copy) => {
      const { mirror, directory, inAddress } = copy;
      const planned: PlanningLock = {
        isAlone,
        release: async () => undefined,
        async lockShard() {
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
      return { ...result, outputDirectory: copy.address };
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
      if (holder !== undefined && holder.shard === undefined) throw error;
      if (polls === NOTE_AFTER_POLLS && holder !== undefined)
        waitingNote(holder, (text) => note?.(text));
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
