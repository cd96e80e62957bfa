import { isLostName } from "./rename.js";
import type { EventRules } from "./target.js";
import { lostRules, type TargetRule } from "./target-rules.js";

/** The parts of an event that rules speak of. */
export interface CheckedEvent {
  readonly event: string;
  /** Texts and numbers have limits. */
  readonly value?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** In the form of the event: ids and properties at the top level. */
  readonly user: Readonly<Record<string, unknown>>;
}

/** A rule of the target that an event breaks. */
export interface Breach {
  readonly rule: TargetRule;
  /** Path in the event: `event`, `metadata.page.path`. */
  readonly property: string;
  /** The target drops the whole event. */
  readonly isLost: boolean;
}

/**
 * Returns the rules that an event breaks, one for each property. The kernels find the same for whole columns;
 * this is for single events, and slow.
 */
export function checkEvent(
  { event, value, metadata, user }: CheckedEvent,
  { names, values, metadata: ofMetadata, users }: EventRules,
): readonly Breach[] {
  const text = JSON.stringify(metadata);
  const found: [TargetRule, string][] = [];
  if (names !== undefined && isLostName(event, names)) found.push(["name", "event"]);
  if (values !== undefined && String(value ?? "").length > values.charactersMax)
    found.push(["value", "value"]);
  for (const [key, inner] of Object.entries(ofMetadata === undefined ? {} : metadata)) {
    if (ofMetadata?.dotsAreLost === true && key.includes("."))
      found.push(["dots", `metadata.${key}`]);
    if (ofMetadata?.nestedIsText === true && typeof inner === "object" && inner !== null)
      found.push(["nested", `metadata.${key}`]);
  }
  if (text.length > (ofMetadata?.charactersMax ?? Number.POSITIVE_INFINITY))
    found.push(["size", "metadata"]);
  for (const [own, properties] of Object.entries(users?.fields ?? {})) {
    const filled = [own, ...properties].find((name) => isScalar(user[name]));
    const isBlocked = user[own] !== undefined && user[own] !== null && !isScalar(user[own]);
    if (filled !== undefined && !isBlocked) found.push(["user", `user.${filled}`]);
  }
  return found.map(([rule, property]) => ({ rule, property, isLost: lostRules.includes(rule) }));
}

function isScalar(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "object";
}
