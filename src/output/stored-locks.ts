import type { ObjectStore } from "../store/object-store.js";
import { LeaseLock, LOCK_KEY } from "./lease-lock.js";
import {
  deadWorkers,
  livingOf,
  type Member,
  type MemberLock,
  memberOfLock,
} from "./shared-locks.js";

/** A store with an output, and the prefix of the keys of the output. */
export interface OpenOutput {
  readonly store: ObjectStore;
  /** Empty, or with its final slash. */
  readonly prefix: string;
  /** The output, without a final slash. */
  readonly address: string;
}

/** Returns where a lock of an output is; that of the output itself by default. */
export function lockAt({ store, prefix, address }: OpenOutput, key = LOCK_KEY) {
  return { store, key: `${prefix}${key}`, address };
}

/**
 * Throws `output_locked` if shards or workers use an output. Removes the locks of dead workers,
 * because no other worker ever gets their names; a worker that was only paused notices it.
 */
export async function refuseLiving(output: OpenOutput, signal: AbortSignal): Promise<void> {
  const dead = deadWorkers(await memberLocks(output, signal), output.address);
  if (dead.length > 0) await output.store.remove(dead, signal);
}

/** Returns the shards and workers whose locks have not expired, and whose processes have not died on this host. */
export async function livingMembers(
  output: OpenOutput,
  signal: AbortSignal,
): Promise<readonly Member[]> {
  return livingOf(await memberLocks(output, signal));
}

async function memberLocks(
  { store, prefix }: OpenOutput,
  signal: AbortSignal,
): Promise<readonly MemberLock[]> {
  const found: MemberLock[] = [];
  for await (const { objects } of store.list(`${prefix}${LOCK_KEY}-`, { isFlat: true, signal })) {
    for (const { key } of objects) {
      const member = memberOfLock(key.slice(key.lastIndexOf("/") + 1));
      if (member === undefined) continue;
      found.push({ member, at: key, isHeld: await LeaseLock.isHeld(store, key, signal) });
    }
  }
  return found;
}
