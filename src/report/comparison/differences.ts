import { formatNumberOf } from "../quantities.js";
import type { EarlierReport } from "./earlier-report.js";

/** Items of one list of differences. */
const LISTED_MAX = 200;
/** Names that a sentence quotes. */
const NAMES_MAX = 3;

/** The parts of a report that can be compared with those of another one. */
export type Comparable = Partial<NonNullable<DeepReadonly<EarlierReport["details"]>>> & {
  /** All rows of the inputs were read. */
  readonly isWhole: boolean;
};

type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Share by which a number of events must differ, and deviations that chance must not explain. */
const VOLUME_CHANGE = 0.1;
const DEVIATIONS = 3;
/** Share of events by which a fill rate must differ. */
const FILL_CHANGE = 0.05;

/** Returns true if a number of events has changed by a tenth, and by more than counts differ by chance. */
export function isNoticeable({
  before,
  after,
}: {
  readonly before: number;
  readonly after: number;
}): boolean {
  const change = Math.abs(after - before);
  return change >= before * VOLUME_CHANGE && change > DEVIATIONS * Math.sqrt(before + after);
}

/** The share of some rows that has a value. */
interface Fill {
  readonly rows: number;
  readonly fill: number;
}

/** Returns true if a fill rate has changed by five points, and by more than two draws do by chance. */
export function isFillChanged(before: Fill, after: Fill): boolean {
  const rows = before.rows + after.rows;
  if (before.rows === 0 || after.rows === 0) return false;
  const change = Math.abs(after.fill - before.fill);
  const common = (before.fill * before.rows + after.fill * after.rows) / rows;
  const deviation = Math.sqrt(common * (1 - common) * (1 / before.rows + 1 / after.rows));
  return change >= FILL_CHANGE && change > DEVIATIONS * deviation;
}

/** Returns the first items with the number of all. */
export function listed<Item>(items: readonly Item[]) {
  return { total: items.length, items: items.slice(0, LISTED_MAX) };
}

/** `2 names ("a", "b")`. */
export function quotedNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).map((name) => JSON.stringify(name));
  const more = names.length > NAMES_MAX ? ", …" : "";
  return `${formatNumberOf(names.length, "name")} (${shown.join(", ")}${more})`;
}
