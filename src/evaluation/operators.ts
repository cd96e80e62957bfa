import { DAY_MS } from "../base/day.js";
import { boundedMatch } from "./bounded-match.js";
import { timeOf } from "./condition-spec.js";

/** Returns true if a value of a user compares with the target of a condition. */
export type Compare = (value: unknown) => boolean;

/** Characters of a value that an expression is matched with, exclusive. */
const MATCHED_CHARACTERS_MAX = 1_000;

/** Prepares the comparison with a target, once for all users. */
type Prepare = (target: unknown) => Compare;

const prepared: Readonly<Record<string, Prepare>> = {
  any: isListed(lowered),
  none: not(isListed(lowered)),
  any_case_sensitive: isListed(unchanged),
  none_case_sensitive: not(isListed(unchanged)),
  str_contains_any: someText((text, part) => text.includes(part)),
  str_contains_none: not(someText((text, part) => text.includes(part))),
  str_starts_with_any: someText((text, part) => text.startsWith(part)),
  str_ends_with_any: someText((text, part) => text.endsWith(part)),
  str_matches: matches,
  gt: numbers((value, target) => value > target),
  gte: numbers((value, target) => value >= target),
  lt: numbers((value, target) => value < target),
  lte: numbers((value, target) => value <= target),
  eq: isEqual,
  neq: not(isEqual),
  version_gt: versions((order) => order > 0),
  version_gte: versions((order) => order >= 0),
  version_lt: versions((order) => order < 0),
  version_lte: versions((order) => order <= 0),
  version_eq: versions((order) => order === 0),
  version_neq: versions((order) => order !== 0),
  before: times((value, target) => value < target),
  after: times((value, target) => value > target),
  on: times((value, target) => dayOf(value) === dayOf(target)),
  array_contains_any: arrays((has, wanted) => wanted.some(has)),
  array_contains_none: arrays((has, wanted) => !wanted.some(has)),
  array_contains_all: arrays((has, wanted) => wanted.every(has)),
  not_array_contains_all: arrays((has, wanted) => !wanted.every(has)),
};

/** Returns the comparison of an operator with a target; undefined if SDKs do not know the operator. */
export function compareWith(operator: string | null, target: unknown): Compare | undefined {
  if (operator === null || !Object.hasOwn(prepared, operator)) return undefined;
  return prepared[operator]?.(target);
}

function not(prepare: Prepare): Prepare {
  return (target) => {
    const compare = prepare(target);
    return (value) => !compare(value);
  };
}

/** The text of a value; undefined for one that is missing. */
function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

function lowered(text: string): string {
  return text.toLowerCase();
}

function unchanged(text: string): string {
  return text;
}

function isListed(fold: (text: string) => string): Prepare {
  return (target) => {
    const wanted = new Set(Array.isArray(target) ? target.map((item) => fold(String(item))) : []);
    return (value) => {
      const text = textOf(value);
      return text !== undefined && wanted.has(fold(text));
    };
  };
}

function someText(holds: (text: string, part: string) => boolean): Prepare {
  return (target) => {
    const parts = Array.isArray(target) ? target.map((item) => String(item).toLowerCase()) : [];
    return (value) => {
      const text = textOf(value)?.toLowerCase();
      return text !== undefined && parts.some((part) => holds(text, part));
    };
  };
}

function matches(target: unknown): Compare {
  const expression = expressionOf(target);
  const isMatch = expression === undefined ? undefined : boundedMatch(expression);
  return (value) => {
    const text = textOf(value);
    if (text === undefined || text.length >= MATCHED_CHARACTERS_MAX) return false;
    return isMatch?.(text) ?? false;
  };
}

/** Returns the regular expression of a target; undefined if it is not one. */
export function expressionOf(target: unknown): RegExp | undefined {
  try {
    return typeof target === "string" ? new RegExp(target) : undefined;
  } catch {
    return undefined;
  }
}

function numbers(holds: (value: number, target: number) => boolean): Prepare {
  return (target) => {
    const wanted = numberOf(target);
    if (wanted === undefined) return () => false;
    return (value) => {
      const number = numberOf(value);
      return number !== undefined && holds(number, wanted);
    };
  };
}

/** Returns undefined for what is not a number. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === "string" && value.trim() === "") return undefined;
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

function isEqual(target: unknown): Compare {
  // The comparison of SDKs: the text "1" equals the number 1.
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  return (value) => value == target;
}

function versions(holds: (order: number) => boolean): Prepare {
  return (target) => {
    const wanted = versionParts(target);
    return (value) => {
      const order = versionOrder(versionParts(value), wanted);
      return order !== undefined && holds(order);
    };
  };
}

/** Returns the parts of a version before its first hyphen, not checked; undefined if it is not a text. */
function versionParts(value: unknown): readonly string[] | undefined {
  return typeof value === "string" ? (value.split("-", 1)[0] ?? "").split(".") : undefined;
}

/** Undefined if a part is not a number. Parts after the first ones that differ are not looked at. */
function versionOrder(left: Version, right: Version): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const parts = [left[at] ?? "0", right[at] ?? "0"];
    if (!parts.every(isVersionPart)) return undefined;
    const order = Number(parts[0]) - Number(parts[1]);
    if (order !== 0) return order;
  }
  return 0;
}

function isVersionPart(part: string): boolean {
  return /^\s*\d+\s*$/.test(part);
}

/** True for a text that versions can be compared with. */
export function isVersion(value: unknown): boolean {
  return versionParts(value)?.every(isVersionPart) ?? false;
}

type Version = ReturnType<typeof versionParts>;

function times(holds: (value: number, target: number) => boolean): Prepare {
  return (target) => {
    const wanted = timeOf(target);
    if (wanted === undefined) return () => false;
    return (value) => {
      const time = timeOf(value);
      return time !== undefined && holds(time, wanted);
    };
  };
}

/** The day of a time, in UTC. */
function dayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

function arrays(
  holds: (has: (wanted: string) => boolean, wanted: readonly string[]) => boolean,
): Prepare {
  return (target) => {
    if (!Array.isArray(target)) return () => false;
    const wanted = target.map(String);
    return (value) => {
      if (!Array.isArray(value)) return false;
      const items = new Set(value.map(String));
      return holds((item) => items.has(item), wanted);
    };
  };
}
