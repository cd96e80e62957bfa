import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "../base/error-code.js";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { isLocked, type LockHolder, readHolder, takeLockFile } from "../base/lock-file.js";
import { formatShard, type Shard } from "../plan/shard.js";

/** A lock that is held. */
interface HeldLock {
  release(): Promise<void>;
}

/** The right to plan, which only one process has at a time. */
export interface PlanningLock extends HeldLock {
  /** True if no other shard reads splits, so that leftover files may be removed. */
  readonly isAlone: boolean;
  /** Locks the shard while its splits are read. */
  lockShard(shard: Shard): Promise<HeldLock>;
}

/** The locks of an output that several processes write to. */
export interface SharedLocks {
  /**
   * Waits while another process plans. Throws `output_locked` while processes of another kind run,
   * `shard_locked` while another process runs the same shard, and `shards_differ` while shards with
   * another number of shards run.
   */
  plan(planner: Planner, signal: AbortSignal, note: (text: string) => void): Promise<PlanningLock>;
}

/** A process that plans: a shard, or the coordinator of a queue. */
export type Planner = Shard | typeof COORDINATOR;

export const COORDINATOR = "coordinator";

/** A process that reads splits at the same time as others: a shard, or a worker of a queue. */
export interface Member {
  /** Such as `shard 2/20`. */
  readonly name: string;
  /** Absent for a worker. */
  readonly shard?: Shard;
}

const POLL_MS = 200;
/** A process reports that it waits after this time. */
const NOTE_AFTER_MS = 5_000;

/** Name of the lock of a shard, which is in the same directory as the lock of the output. */
export function shardLockName(lock: string, { index, count }: Shard): string {
  return `${lock}-shard-${index}-of-${count}`;
}

/** Name of the lock of a worker, whose own name is unique. */
export function workerLockName(lock: string, worker: string): string {
  return `${lock}-worker-${worker}`;
}

/** Returns the process of a lock's name; undefined for other names. */
export function memberOfLock(name: string): Member | undefined {
  const [, index, count, worker] =
    /^lock-(?:shard-(\d+)-of-(\d+)|worker-([\w.-]+-[0-9a-f]{8}))$/.exec(name) ?? [];
  if (worker !== undefined) return { name: `worker ${worker}` };
  if (index === undefined) return undefined;
  const shard = { index: Number(index), count: Number(count) };
  return { name: formatPlanner(shard), shard };
}

/** Returns the name of a planner as it is in the lock. */
export function formatPlanner(planner: Planner): string {
  return planner === COORDINATOR ? planner : `shard ${formatShard(planner)}`;
}

/** Locks in files, for an output that all processes see. */
export function fileLocks(lockFile: string): SharedLocks {
  return {
    async plan(planner, signal, note) {
      const name = formatPlanner(planner);
      const waited = {
        take: () => takeLockFile(lockFile, { planner: name }),
        holder: () => readHolder(lockFile),
        pollMs: POLL_MS,
      };
      const planning = await takeWaiting(waited, signal, note);
      try {
        const others = await livingMembers(lockFile);
        refuseOthers(planner, others);
        return {
          isAlone: others.length === 0,
          release: () => planning.release(),
          lockShard: (shard) => takeLockFile(shardLockName(lockFile, shard), { planner: name }),
        };
      } catch (error) {
        await planning.release();
        throw error;
      }
    },
  };
}

/**
 * Throws `output_locked` if shards or workers use an output. Removes the locks of dead workers,
 * because no other worker ever gets their names.
 */
export async function refuseLiving(lockFile: string): Promise<void> {
  const locks = await memberLocks(lockFile);
  for (const path of deadWorkers(locks, dirname(dirname(lockFile))))
    await rm(path, { force: true });
}

/**
 * Returns the places of the locks of dead workers. Throws `output_locked` if a shard or worker is
 * alive. `output`: its name in messages.
 */
export function deadWorkers(locks: readonly MemberLock[], output: string): readonly string[] {
  const living = livingOf(locks);
  if (living.length > 0) throw lockedBy(living, output);
  return locks.filter(({ member }) => member.shard === undefined).map(({ at }) => at);
}

/** Returns the shards and workers whose locks are held. */
export function livingOf(locks: readonly MemberLock[]): readonly Member[] {
  return locks.filter(({ isHeld }) => isHeld).map(({ member }) => member);
}

function lockedBy(members: readonly Member[], output: string): SwitchyardError {
  const names = members.map(({ name }) => name).join(", ");
  return new SwitchyardError(
    "output_locked",
    `other processes write into ${output} (${names}); wait until they end, or stop them`,
    { exitCode: exitCodes.busy },
  );
}

/**
 * Throws `output_locked` if a member is of another kind, `shard_locked` if one has the same number,
 * and `shards_differ` if one has another number of shards.
 */
export function refuseOthers(planner: Planner, others: readonly Member[]): void {
  const shards = others.flatMap(({ shard }) => shard ?? []);
  const isShard = planner !== COORDINATOR;
  if (shards.length !== (isShard ? others.length : 0)) throw lockedBy(others, "this output");
  if (!isShard) return;
  const { index, count } = planner;
  const other = shards.find((one) => one.count !== count);
  if (other !== undefined) {
    throw new SwitchyardError(
      "shards_differ",
      `shard ${formatShard(other)} is running and divides the splits by ${other.count}, not by ${count}; wait until it ends, or stop it`,
      { exitCode: exitCodes.busy },
    );
  }
  if (!shards.some((one) => one.index === index)) return;
  throw new SwitchyardError(
    "shard_locked",
    `another process is shard ${formatShard(planner)}; wait until it ends, stop it, or use another number`,
    { exitCode: exitCodes.busy },
  );
}

interface WaitedLock<Lock> {
  /** Throws `output_locked` while another process has the lock. */
  take(): Promise<Lock>;
  holder(): Promise<LockHolder | undefined>;
  readonly pollMs: number;
}

/** Takes the lock of an output; waits while its holder plans. */
export async function takeWaiting<Lock>(
  { take, holder, pollMs }: WaitedLock<Lock>,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<Lock> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof SwitchyardError && error.code === "output_locked")) throw error;
      const other = await holder();
      if (other !== undefined && other.planner === undefined) throw error;
      if (waitedMs === NOTE_AFTER_MS && other !== undefined)
        note(`waiting for ${other.planner} (process ${other.pid} on ${other.host}), which plans`);
    }
    await sleep(pollMs, undefined, { signal });
  }
}

/** Returns the shards and workers with processes that are alive, as far as this host can tell. */
export async function livingMembers(lockFile: string): Promise<readonly Member[]> {
  return livingOf(await memberLocks(lockFile));
}

/** The lock of a shard or worker. */
export interface MemberLock {
  readonly member: Member;
  /** Path of the file, or key of the object. */
  readonly at: string;
  /** True if its process is alive, as far as this host can tell. */
  readonly isHeld: boolean;
}

async function memberLocks(lockFile: string): Promise<readonly MemberLock[]> {
  const directory = dirname(lockFile);
  const names = await readdir(directory).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  const locks: MemberLock[] = [];
  for (const name of names.sort()) {
    const member = memberOfLock(basename(name));
    const at = join(directory, name);
    if (member !== undefined) locks.push({ member, at, isHeld: await isLocked(at) });
  }
  return locks;
}
