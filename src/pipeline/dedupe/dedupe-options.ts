import type { Mapping } from "../../mapper/mapping.js";
import type { KeyTarget } from "../../mapper/preset.js";

/** The events among which repeats are found: those of a day, or all. */
export const dedupeRanges = ["day", "all"] as const;
export type DedupeRange = (typeof dedupeRanges)[number];

/** The events that are removed as repetitions of an earlier one. */
export interface DedupeOptions {
  readonly within: DedupeRange;
  /** Events with equal values of all these targets are the same event. */
  readonly by: readonly KeyTarget[];
  /** IANA name or fixed offset that the days are in. */
  readonly dayZone: string;
}

/** Returns true if the key has a target that costs more to map than to compare. */
export function needsObjects({ by }: DedupeOptions): boolean {
  return by.includes("user") || by.includes("metadata");
}

/**
 * Returns a mapping that gives every row the same outcome and key, and builds fewer objects. Those
 * that are made of fields cannot be refused; of a rest, only the object that it is the rest of.
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
