import type { ObjectStore } from "../../store/object-store.js";
import { type Member, memberOfLock, refuseMembers } from "../shard/shared-locks.js";
import { LeaseLock, LOCK_KEY } from "./lease-lock.js";

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

/** Throws `output_locked` if shards or workers are at work in an output. */
export async function refuseLiving(output: OpenOutput, signal: AbortSignal): Promise<void> {
  refuseMembers(await livingMembers(output, signal), output.address);
}

/**
 * Returns the shards and workers whose locks have not expired, and whose processes have not died on this host.
 * Removes the locks of dead workers.
 */
export async function livingMembers(
  { store, prefix }: OpenOutput,
  signal: AbortSignal,
): Promise<readonly Member[]> {
  const living: Member[] = [];
  const locks = `${prefix}${LOCK_KEY}-`;
  for await (const { objects } of store.list(locks, { isFlat: true, signal })) {
    for (const { key } of objects) {
      const member = memberOfLock(key.slice(key.lastIndexOf("/") + 1));
      if (member === undefined) continue;
      if (await LeaseLock.isHeld(store, key, signal)) living.push(member);
      // No other worker will ever have this name; if it only was paused, it finds out.
      else if (member.shard === undefined) await store.remove([key], signal);
    }
  }
  return living;
}
