import type { ObjectStore } from "../../store/object-store.js";
import type { Shard } from "../shard/shard.js";
import { refuseShards, shardOfLock } from "../shard/shard-locks.js";
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

/** Throws `output_locked` if shards are at work in an output. */
export async function refuseStoredShards(output: OpenOutput, signal: AbortSignal): Promise<void> {
  refuseShards(await livingShards(output, signal), output.address);
}

/** Returns the shards whose locks have not expired, and whose processes have not died on this host. */
export async function livingShards(
  { store, prefix }: OpenOutput,
  signal: AbortSignal,
): Promise<readonly Shard[]> {
  const living: Shard[] = [];
  const locks = `${prefix}${LOCK_KEY}-shard-`;
  for await (const { objects } of store.list(locks, { isFlat: true, signal })) {
    for (const { key } of objects) {
      const shard = shardOfLock(key.slice(key.lastIndexOf("/") + 1));
      if (shard !== undefined && (await LeaseLock.isHeld(store, key, signal))) living.push(shard);
    }
  }
  return living;
}
