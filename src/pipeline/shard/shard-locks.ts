import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "../../base/error-code.js";
import { exitCodes, SwitchyardError } from "../../base/errors.js";
import { isLocked, type LockHolder, readHolder, takeLockFile } from "../../base/lock-file.js";
import { formatShard, type Shard } from "./shard.js";

/** A lock that is held. */
export interface HeldLock {
  release(): Promise<void>;
}

/** The right to plan, which no other process has at the same time. */
export interface PlanningLock extends HeldLock {
  /** No other shard reads splits, so that what they left may be removed. */
  readonly isAlone: boolean;
  /** Locks the shard, as long as its splits are read. */
  lockShard(): Promise<HeldLock>;
}

/** The locks of an output that shards write to. */
export interface ShardLocks {
  /**
   * Waits while another shard plans. Throws `output_locked` while anything but shards is at work,
   * `shard_locked` while another process is the same shard, and `shards_differ` while shards of another
   * count are at work.
   */
  plan(shard: Shard, signal: AbortSignal, note: (text: string) => void): Promise<PlanningLock>;
}

const POLL_MS = 200;

/** Name of the lock of a shard, beside that of the output. */
export function shardLockName(lock: string, { index, count }: Shard): string {
  return `${lock}-shard-${index}-of-${count}`;
}

/** Returns the shard of a lock's name; undefined for other names. */
export function shardOfLock(name: string): Shard | undefined {
  const [, index, count] = /^lock-shard-(\d+)-of-(\d+)$/.exec(name) ?? [];
  return index === undefined ? undefined : { index: Number(index), count: Number(count) };
}

/** Locks in files, for an output that all processes see. */
export function fileShardLocks(lockFile: string): ShardLocks {
  return {
    async plan(shard, signal, note) {
      const planning = await takeWaiting(lockFile, formatShard(shard), signal, note);
      try {
        const others = await livingShards(lockFile);
        refuseOthers(shard, others);
        return {
          isAlone: others.length === 0,
          release: () => planning.release(),
          lockShard: () =>
            takeLockFile(shardLockName(lockFile, shard), { shard: formatShard(shard) }),
        };
      } catch (error) {
        await planning.release();
        throw error;
      }
    },
  };
}

/** Throws `output_locked` if shards are at work in an output. */
export async function refuseLivingShards(lockFile: string): Promise<void> {
  refuseShards(await livingShards(lockFile), dirname(dirname(lockFile)));
}

/** Throws `output_locked` if there are shards. `output`: as messages name it. */
export function refuseShards(shards: readonly Shard[], output: string): void {
  if (shards.length === 0) return;
  const names = shards.map(formatShard).join(", ");
  throw new SwitchyardError(
    "output_locked",
    `shards write into ${output} (${names}); wait until they end, or stop them`,
    { exitCode: exitCodes.busy },
  );
}

/** Throws `shard_locked` if one of them has the same number, and `shards_differ` if one has another count. */
export function refuseOthers(shard: Shard, others: readonly Shard[]): void {
  const { index, count } = shard;
  const other = others.find((one) => one.count !== count);
  if (other !== undefined) {
    throw new SwitchyardError(
      "shards_differ",
      `shard ${formatShard(other)} is at work, which divides the splits by ${other.count} and not by ${count}; wait until it ends, or stop it`,
      { exitCode: exitCodes.busy },
    );
  }
  if (!others.some((one) => one.index === index)) return;
  throw new SwitchyardError(
    "shard_locked",
    `another process is shard ${formatShard(shard)}; wait until it ends, stop it, or take another number`,
    { exitCode: exitCodes.busy },
  );
}

/** Says once that it waits. */
export function waitingNote(holder: LockHolder, note: (text: string) => void): void {
  note(`waiting for shard ${holder.shard} (process ${holder.pid} on ${holder.host}), which plans`);
}

async function takeWaiting(
  lockFile: string,
  shard: string,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<HeldLock> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await takeLockFile(lockFile, { shard });
    } catch (error) {
      if (!(error instanceof SwitchyardError && error.code === "output_locked")) throw error;
      const holder = await readHolder(lockFile);
      if (holder !== undefined && holder.shard === undefined) throw error;
      if (attempt === 5_000 / POLL_MS && holder !== undefined) waitingNote(holder, note);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Returns the shards whose processes live, as far as this host can tell. */
export async function livingShards(lockFile: string): Promise<readonly Shard[]> {
  const directory = dirname(lockFile);
  const names = await readdir(directory).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const living: Shard[] = [];
  for (const name of names.sort()) {
    const shard = shardOfLock(basename(name));
    if (shard !== undefined && (await isLocked(join(directory, name)))) living.push(shard);
  }
  return living;
}
