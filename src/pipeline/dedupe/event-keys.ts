import type { EventBatch } from "../../batch/event-batch.js";
import type { Kernel } from "../../batch/kernel.js";
import type { DedupeOptions } from "./dedupe-options.js";
import { KEY_ROW, KEY_WORDS, KeyDigests } from "./key-digests.js";

/**
 * Returns a function that makes keys of events, by row: 32 hexadecimal digits, equal for events that
 * `dedupe` would treat as the same. Events without an insert id have none.
 */
export function eventKeys(
  kernel: Kernel,
  options: DedupeOptions,
): (events: EventBatch) => ReadonlyMap<number, string> {
  const digests = new KeyDigests(kernel, options);
  return (events) => {
    const { entries } = digests.take(events, 0);
    const keys = new Map<number, string>();
    for (let entry = 0; entry < entries.length; entry += KEY_WORDS) {
      const words = [...entries.subarray(entry, entry + 4)];
      const text = words.map((word) => word.toString(16).padStart(8, "0")).join("");
      keys.set(entries[entry + KEY_ROW]!, text);
    }
    return keys;
  };
}
