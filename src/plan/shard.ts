import type { Split } from "./plan.js";

/** One of several processes that read the splits of one export. */
export interface Shard {
  /** 0-based. */
  readonly index: number;
  readonly count: number;
}

/** `2/20`: the third of twenty. */
export function formatShard({ index, count }: Shard): string {
  return `${index}/${count}`;
}

/**
 * Returns the splits of a shard. Splits are assigned to shards in turn, the largest first, so that
 * all shards get about the same bytes.
 */
export function splitsOfShard(splits: readonly Split[], { index, count }: Shard): readonly Split[] {
  const dealt = [...splits].sort((a, b) => b.bytes - a.bytes || (a.id < b.id ? -1 : 1));
  const own = new Set(dealt.filter((_, place) => place % count === index));
  return splits.filter((split) => own.has(split));
}
