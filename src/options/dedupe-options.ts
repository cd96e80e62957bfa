import type { Mapping } from "../mapper/mapping.js";
import type { KeyTarget } from "../mapper/preset.js";

/** The events among which repeats are found: those of a day, or all. */
export const dedupeRanges = ["day", "all"] as const;
export type DedupeRange = (typeof dedupeRanges)[number];

/** The key and the range of repeated events that are removed. */
export interface DedupeOptions {
  readonly within: DedupeRange;
  /** Events with equal values of all these targets are the same event. */
  readonly by: readonly KeyTarget[];
  /** IANA name or fixed offset that the days are in. */
  readonly dayZone: string;
}

/** Returns which ids of rows a key needs. Transforms see the insert id with any key. */
export function idsOfKey(key: DedupeOptions | undefined) {
  const withDistinctID = key?.by.includes("distinctID") === true;
  return { withInsertID: key !== undefined, withDistinctID };
}

/** Returns true if the key has a target that costs more to map than to compare. */
export function needsObjects({ by }: DedupeOptions): boolean {
  return by.includes("user") || by.includes("metadata");
}

/**
 * Returns a mapping with the same outcome and key for every row that builds fewer objects. An
 * object made of fields never rejects a row, and a rest only if its parent is not an object.
 */
export function leanMapping(mapping: Mapping): Mapping {
  return { ...mapping, metadata: leanObject(mapping.metadata), user: leanObject(mapping.user) };
}

function leanObject(source: Mapping["metadata"]): Mapping["metadata"] {
  switch (source.kind) {
    case "fields":
      return { kind: "choices", choices: [] };
    case "rest":
      return { kind: "choices", choices: source.path.length === 0 ? [] : [{ path: source.path }] };
    case "choices":
    case "pairs":
    case "merged":
      return source;
  }
}
