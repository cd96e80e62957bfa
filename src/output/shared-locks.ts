import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import { formatShard, type Shard } from "../plan/shard.js";
import { LOCK_PATH } from "./layout.js";
import type { HeldLock, Output, OutputLock } from "./output.js";

/** The right to plan, which only one process has at a time. */
export interface PlanningLock extends Pick<HeldLock, "release"> {
  /** The lock of the output. */
  readonly held: HeldLock;
  /** True if no other shard reads splits, so that leftover files may be removed. */
  readonly isAlone: boolean;
  /** Locks the shard while its splits are read. */
  lockShard(shard: Shard): Promise<HeldLock>;
}

/** A process that plans: a shard, or the coordinator of a queue. */
export type Planner = Shard | typeof COORDINATOR;

export const COORDINATOR = "coordinator";

/** A process that reads splits at the same time as others: a shard, or a worker of a queue. */
export interface LivingMember {
  /** Such as `shard 2/20`. */
  readonly name: string;
  /** Absent for a worker. */
  readonly shard?: Shard;
}

const POLL_MS = 250;
/** A process reports that it waits after this time. */
const NOTE_AFTER_MS = 5_000;

function shardLockName({ index, count }: Shard): string {
  return `${LOCK_PATH}-shard-${index}-of-${count}`;
}

/** Path of the lock of a worker, whose own name is unique. */
export function workerLockName(worker: string): string {
  return `${LOCK_PATH}-worker-${worker}`;
}

/** Returns the process of a lock's name; undefined for other names. */
function memberOfLock(name: string): LivingMember | undefined {
  const [, index, count, worker] =
    /^lock-(?:shard-(\d+)-of-(\d+)|worker-([\w.-]+-[0-9a-f]{8}))$/.exec(name) ?? [];
  if (worker !== undefined) return { name: `worker ${worker}` };
  if (index === undefined) return undefined;
  const shard = { index: Number(index), count: Number(count) };
  return { name: formatPlanner(shard), shard };
}

/** Returns the name of a planner as it is in the lock. */
function formatPlanner(planner: Planner): string {
  return planner === COORDINATOR ? planner : `shard ${formatShard(planner)}`;
}

/**
 * Waits while another process plans, then takes the right to plan. Throws `output_locked` while processes of
 * another kind run, `shard_locked` while another process runs the same shard, and `shards_differ` while shards
 * with another number of shards run.
 */
export async function lockToPlan(
  output: Output,
  planner: Planner,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<PlanningLock> {
  const name = formatPlanner(planner);
  const planning = await takeWaiting(output.lock(LOCK_PATH, name), signal, note);
  try {
    const others = await livingMembers(output, signal);
    refuseOthers(planner, others);
    return {
      isAlone: others.length === 0,
      held: planning,
      release: () => planning.release(),
      lockShard: (shard) => output.lock(shardLockName(shard), name).take(),
    };
  } catch (error) {
    await planning.release();
    throw error;
  }
}

/** Returns true if a run holds an output, as far as this host can tell. */
export async function isAtWork(output: Output, signal: AbortSignal): Promise<boolean> {
  return (
    (await output.lock(LOCK_PATH).isHeld(signal)) ||
    (await livingMembers(output, signal)).length > 0
  );
}

/**
 * Throws `output_locked` if shards or workers use an output. Removes the locks of dead workers,
 * because no other worker ever gets their names; a worker that was only paused notices it. `name`: the
 * output in messages.
 */
export async function refuseLiving(
  output: Output,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const locks = await memberLocks(output, signal);
  const living = livingOf(locks);
  if (living.length > 0) throw lockedBy(living, name);
  const dead = locks.filter(({ member }) => member.shard === undefined).map(({ path }) => path);
  if (dead.length > 0) await output.remove(dead, signal);
}

/** Returns the shards and workers whose locks are held. */
function livingOf(locks: readonly MemberLock[]): readonly LivingMember[] {
  return locks.filter(({ isHeld }) => isHeld).map(({ member }) => member);
}

function lockedBy(members: readonly LivingMember[], output: string): SwitchyardError {
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
function refuseOthers(planner: Planner, others: readonly LivingMember[]): void {
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

/** Takes the lock of an output; waits while its holder plans. */
async function takeWaiting(
  lock: OutputLock,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<HeldLock> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    try {
      return await lock.take();
    } catch (error) {
      if (!(error instanceof SwitchyardError && error.code === "output_locked")) throw error;
      const other = await lock.holder(signal);
      if (other !== undefined && other.planner === undefined) throw error;
      if (waitedMs === NOTE_AFTER_MS && other !== undefined)
        note(`waiting for ${other.planner} (process ${other.pid} on ${other.host}), which plans`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Returns the shards and workers with processes that are alive, as far as this host can tell. */
export async function livingMembers(
  output: Output,
  signal: AbortSignal,
): Promise<readonly LivingMember[]> {
  return livingOf(await memberLocks(output, signal));
}

/** The lock of a shard or worker. */
interface MemberLock {
  readonly member: LivingMember;
  readonly path: string;
  /** True if its process is alive, as far as this host can tell. */
  readonly isHeld: boolean;
}

async function memberLocks(output: Output, signal: AbortSignal): Promise<readonly MemberLock[]> {
  const locks: MemberLock[] = [];
  for (const path of await output.list(`${LOCK_PATH}-`, signal)) {
    const member = memberOfLock(path.slice(path.lastIndexOf("/") + 1));
    if (member === undefined) continue;
    locks.push({ member, path, isHeld: await output.lock(path).isHeld(signal) });
  }
  return locks;
}
