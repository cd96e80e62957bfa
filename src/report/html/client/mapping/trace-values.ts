import type { TextToken } from "./text-tokens.js";

/** A value of the source and the value of the event that it became. */
export interface Trace {
  /** Index of the source token. */
  readonly from: number;
  /** Index of the event token. */
  readonly to: number;
  /** Field of the event: `userID`, `metadata`, … */
  readonly field: string;
  /** The same time in another form, not the same text. */
  readonly isConverted: boolean;
}

/** Shorter values are common, so they match only under the same key. */
const TELLING_LENGTH_MIN = 4;

/**
 * Finds the source value of each value of an event: the same text, preferably under the same key, or the
 * same time. It does not use the mapping, and leaves out values whose source is not clear.
 */
export function traceValues(
  source: readonly TextToken[],
  event: readonly TextToken[],
): readonly Trace[] {
  const byValue = new Map<string, number[]>();
  source.forEach(({ kind, value }, index) => {
    if (kind === "value" && !isNothing(value)) {
      byValue.set(value, [...(byValue.get(value) ?? []), index]);
    }
  });
  const homes = fieldHomes(source, event, byValue);
  const used = new Set<number>();
  const traces: Trace[] = [];
  event.forEach((token, to) => {
    if (token.kind !== "value" || isNothing(token.value)) return;
    const unused = (byValue.get(token.value) ?? []).filter((index) => !used.has(index));
    const same = sourceOf(token, unused, source, homes.get(token.field));
    const from =
      same ?? (token.field === "timestamp" ? sameMoment(token.value, source) : undefined);
    if (from === undefined) return;
    used.add(from);
    traces.push({ from, to, field: fieldOf(token), isConverted: same === undefined });
  });
  return traces;
}

/** Ids are among the properties of the user, but are shown as separate fields. */
function fieldOf({ field, key }: TextToken): string {
  return field === "user" && (key === "userID" || key === "stableID") ? key : field;
}

function isNothing(value: string): boolean {
  return value === "" || value === "null";
}

/** Finds the source field of each event field, from values that occur only once. */
function fieldHomes(
  source: readonly TextToken[],
  event: readonly TextToken[],
  byValue: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, string> {
  const homes = new Map<string, string>();
  for (const { kind, value, key, field } of event) {
    const [only, ...others] = byValue.get(value) ?? [];
    const token = source[only ?? -1];
    if (kind !== "value" || others.length > 0 || token?.key !== key) continue;
    if (!homes.has(field)) homes.set(field, token.field);
  }
  return homes;
}

function sourceOf(
  token: TextToken,
  candidates: readonly number[],
  source: readonly TextToken[],
  home: string | undefined,
): number | undefined {
  const sameKey = candidates.filter((index) => source[index]?.key === token.key);
  const atHome = sameKey.find((index) => source[index]?.field === home);
  if (sameKey.length > 0) return atHome ?? sameKey[0];
  const isTop = token.key === token.field;
  const isTelling = token.value.length >= TELLING_LENGTH_MIN || isTop;
  return isTelling ? candidates[0] : undefined;
}

/** Factors from seconds, milliseconds, microseconds and nanoseconds to milliseconds. */
const unitFactors = [1000, 1, 1 / 1000, 1 / 1_000_000] as const;

function sameMoment(text: string, source: readonly TextToken[]): number | undefined {
  const wanted = momentsOf(text)[/^\d+$/.test(text) ? 1 : 0];
  if (wanted === undefined) return undefined;
  const index = source.findIndex(
    ({ kind, value }) => kind === "value" && momentsOf(value).some((moment) => moment === wanted),
  );
  return index === -1 ? undefined : index;
}

function momentsOf(text: string): readonly number[] {
  if (/^\d{9,19}(\.\d+)?$/.test(text)) {
    return unitFactors.map((factor) => Math.floor(Number(text) * factor));
  }
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d{1,3})?)\d*)?\s?(.*)$/.exec(
    text,
  );
  if (parts === null) return [];
  const [, day, time = "00:00:00", zone] = parts;
  const moment = Date.parse(`${day}T${time}${zone === "" || zone === "UTC" ? "Z" : zone}`);
  return Number.isNaN(moment) ? [] : [moment];
}
