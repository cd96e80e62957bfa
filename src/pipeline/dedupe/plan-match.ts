import { KEY_BUCKETS } from "./key-digests.js";
import type { KeySlice } from "./key-table.js";

/** Keys that are compared together. */
interface KeyPart extends KeySlice {
  /** Buckets [first, end). */
  readonly first: number;
  readonly end: number;
  readonly keys: number;
}

/**
 * Packs buckets into parts of at most `keysMax` keys, in order. A larger bucket is divided by bits
 * of the digest, and read once for each of these slices. Buckets without keys of `own` (those that
 * may be removed) are in no part. Pure.
 */
export function planMatch(
  totals: Float64Array,
  own: Float64Array,
  keysMax: number,
): readonly KeyPart[] {
  const parts: KeyPart[] = [];
  for (let bucket = 0; bucket < KEY_BUCKETS; bucket++) {
    const keys = totals[bucket]!;
    if (own[bucket] === 0) continue;
    const open = parts.at(-1);
    const isNext = open?.slices === 1 && areEmpty(totals, open.end, bucket);
    if (open !== undefined && isNext && open.keys + keys <= keysMax) {
      parts[parts.length - 1] = { ...open, end: bucket + 1, keys: open.keys + keys };
      continue;
    }
    const slices = 2 ** Math.max(0, Math.ceil(Math.log2(keys / keysMax)));
    // Digests are even, but not exactly.
    const share = slices === 1 ? keys : Math.ceil((keys / slices) * 1.05) + 1_000;
    for (let slice = 0; slice < slices; slice++) {
      parts.push({ first: bucket, end: bucket + 1, keys: share, slice, slices });
    }
  }
  return parts;
}

function areEmpty(totals: Float64Array, first: number, end: number): boolean {
  return totals.subarray(first, end).every((keys) => keys === 0);
}
