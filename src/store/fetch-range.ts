import type { GetOptions, ObjectStore } from "./object-store.js";
import { GIVE_UP_MS, retryCall } from "./store-calls.js";
import { StoreError } from "./store-error.js";

/**
 * Fetches a range of an object. If a body stops early, requests the rest. `take` gets the bytes in order,
 * with the position of their first byte in the object.
 */
export async function fetchRange(
  store: ObjectStore,
  key: string,
  { start, end, ...rest }: GetOptions,
  take: (bytes: Uint8Array, position: number) => void | Promise<void>,
): Promise<void> {
  let position = start;
  await retryCall({ signal: rest.signal, giveUpAfterMs: GIVE_UP_MS }, async (progressed) => {
    for await (const bytes of await store.get(key, { ...rest, start: position, end })) {
      rest.signal.throwIfAborted();
      const wanted = bytes.subarray(0, end - position);
      if (wanted.length === 0) continue;
      const at = position;
      position += wanted.length;
      await take(wanted, at);
      progressed();
    }
    if (position === end) return;
    const reason = `the body ends at byte ${position} of ${end}.`;
    throw new StoreError("store_failed", reason, key, true);
  });
}
