import { randomUUID } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import { LeaseLock } from "../output/lease-lock.js";
import type { SignalledPlace } from "../output/output-place.js";
import { openStoredPlace, readObject } from "../output/store-output.js";
import { parseObjectUrl } from "../store/object-url.js";
import { openStore } from "../store/open-store.js";

/**
 * Does in a store what an export does: lists, writes under conditions, reads back and removes a small
 * object, as which it takes a lock of its own. Returns the time by the clock of the store. Throws
 * `StoreError` and `store_unconditional`.
 */
export async function probeStore(place: SignalledPlace): Promise<number> {
  const { signal, unsafeLock: isUnsafe = false } = place;
  const { store, prefix, address } = await openStoredPlace(place);
  const key = `${prefix}_switchyard/doctor-${randomUUID()}`;
  for await (const _ of store.list(key, { isFlat: true, signal })) break;
  // Before the object is written: without the permission it could not be removed.
  await store.remove([key], signal);
  const lock = await LeaseLock.take({ store, key, address, isUnsafe });
  let nowMs: number;
  try {
    await lock.renew();
    const head = await store.head(key, signal);
    if (head === undefined || (await readObject(store, head, signal)).length !== head.size)
      throw unreliable(address, "an object that was written could not be read back");
    ({ nowMs } = head);
  } finally {
    await lock.release();
  }
  if ((await store.head(key, signal)) !== undefined)
    throw unreliable(address, `the object ${key} could not be removed, remove it yourself`);
  return nowMs;
}

function unreliable(address: string, what: string): SwitchyardError {
  return new SwitchyardError(
    "store_failed",
    `${address}: ${what}. Check the store and the permissions.`,
  );
}

/** Returns the time by the clock of the store that holds an object; undefined if it does not tell. */
export async function storeTime(
  address: string,
  { s3, signal }: Pick<SignalledPlace, "s3" | "signal">,
): Promise<number | undefined> {
  const url = parseObjectUrl(address);
  if (url === undefined) return undefined;
  const store = await openStore(url, s3);
  return (await store.head(url.key, signal))?.nowMs;
}
