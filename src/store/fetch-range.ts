import type { GetOptions, ObjectStore } from "./object-store.js";
import { GIVE_UP_MS, retryCall } from "./store-calls.js";
import { explanations, StoreError } from "./store-error.js";

/** Requests for the same bytes that arrive damaged. */
const DAMAGED_MAX = 3;

/**
 * Fetches a range of an object. If a body stops early, requests the rest; if it is damaged, requests it
 * again. `take` gets the bytes in order, with the position of their first byte in the object.
 */
export async function fetchRange(
  store: ObjectStore,
  key: string,
  { start, end, ...rest }: GetOptions,
  take: (bytes: Uint8Array, position: number) => void | Promise<void>,
): Promise<void> {
  let position = start;
  let damaged = 0;
  await retryCall({ signal: rest.signal, giveUpAfterMs: GIVE_UP_MS }, async (progressed) => {
    try {
      for await (const bytes of await store.get(key, { ...rest, start: position, end })) {
        rest.signal.throwIfAborted();
        const wanted = bytes.subarray(0, end - position);
        if (wanted.length === 0) continue;
        const at = position;
        position += wanted.length;
        await take(wanted, at);
        progressed();
      }
    } catch (error) {
      const { code, reason } = explanations.objectDamaged;
      const isDamaged = error instanceof StoreError && error.code === code;
      if (isDamaged && ++damaged === DAMAGED_MAX) throw new StoreError(code, reason, key, false);
      throw error;
    }
    if (position === end) return;
    const reason = `the body ends at byte ${position} of ${end}.`;
    throw new StoreError("store_failed", reason, key, true);
  });
}
