import { isDeepStrictEqual } from "node:util";
import { splitIdPattern } from "../output/layout.js";
import type { Plan, Split } from "../plan/plan.js";
import { isFormat, type Source, type SourceRange } from "../sources/source.js";
import { plainSource, SourceTable } from "../sources/source-table.js";
import type { SourceFailure } from "./manifest.js";

/** The part of an epoch's record that grows with its inputs: `plan-<n>.jsonl`, a line for each item. */
export interface PlannedInputs {
  readonly plan: Plan;
  /** Inputs whose first bytes could not be read. */
  readonly unreadable: readonly SourceFailure[];
}

/** A range in a line. The last two are only there if not all rows of the range are read. */
type RangeNumbers = readonly [
  source: number,
  start: number,
  end: number | null,
  firstRows?: number,
  firstBytes?: number,
];

const splitId = new RegExp(`^${splitIdPattern}$`);

/** Returns the lines of a plan: its sources, then its splits. */
export function* formatPlan({ plan, unreadable }: PlannedInputs): Generator<string> {
  for (const failure of unreadable) yield JSON.stringify({ unreadable: failure });
  for (const source of plan.sources) yield JSON.stringify({ source });
  let index = 0;
  const numbersOf = ({ source, start, end, first }: SourceRange): RangeNumbers => {
    // Ranges are in the order of the sources: the next one is here or close behind.
    if (plan.sources[index] !== source) index = indexFrom(plan.sources, source, index);
    return first === undefined ? [index, start, end] : [index, start, end, first.rows, first.bytes];
  };
  for (const { id, bytes, ranges } of plan.splits)
    yield JSON.stringify({ split: id, bytes, ranges: ranges.map(numbersOf) });
}

function indexFrom(sources: readonly Source[], source: Source, start: number): number {
  const found = sources.indexOf(source, start);
  return found < 0 ? sources.indexOf(source) : found;
}

/**
 * Takes the lines of a plan. Its methods throw `Error` with the reason if a line is not valid. If a
 * source has not changed, the plan uses today's object, which saves memory.
 */
export class PlanLines {
  readonly #table = new SourceTable();
  /** The next of today's sources, if the plan has them in the same order. */
  #next = 0;
  readonly #sources: Source[] = [];
  readonly #splits: Split[] = [];
  readonly #unreadable: SourceFailure[] = [];

  /** `today`: sorted by name, except for the entries of a zip. */
  constructor(private readonly today: readonly Source[] = []) {}

  take(line: string): void {
    const { source, split, unreadable, ...rest } = JSON.parse(line) as Record<string, unknown>;
    if (isSource(source)) this.#sources.push(this.#findToday(source) ?? this.#table.add(source));
    else if (isFailure(unreadable)) this.#unreadable.push(unreadable);
    else this.#splits.push(this.#split({ id: split, ...rest }));
  }

  result(): PlannedInputs {
    const sources = Object.freeze(this.#sources);
    const plan = Object.freeze({ sources, splits: Object.freeze(this.#splits) });
    return { plan, unreadable: this.#unreadable };
  }

  #findToday(source: Source): Source | undefined {
    const { today } = this;
    if (today[this.#next]?.name !== source.name)
      this.#next = firstIndex(today, (one) => one.name >= source.name);
    const found = today[this.#next];
    if (found === undefined || !isDeepStrictEqual(plainSource(found), plainSource(source))) return;
    this.#next++;
    return found;
  }

  #split({ id, bytes, ranges }: Readonly<Record<string, unknown>>): Split {
    if (typeof id !== "string" || !splitId.test(id))
      throw new Error("a line has no source or split");
    if (typeof bytes !== "number" || !Array.isArray(ranges))
      throw new Error(`split ${id} has no ranges`);
    return Object.freeze({
      id,
      ranges: Object.freeze(ranges.map((one) => this.#range(one))),
      bytes,
    });
  }

  #range(value: unknown): SourceRange {
    const [index, start, end, rows, bytes] = Array.isArray(value)
      ? (value as unknown as RangeNumbers)
      : [];
    const source = this.#sources[index ?? -1];
    if (source === undefined || start === undefined || end === undefined)
      throw new Error(`there is no source ${index}`);
    if (rows === undefined || bytes === undefined) return Object.freeze({ source, start, end });
    return Object.freeze({ source, start, end, first: { rows, bytes } });
  }
}

/** Returns the index of the first item from which on `isBehind` is true. */
function firstIndex<Item>(items: readonly Item[], isBehind: (item: Item) => boolean): number {
  let start = 0;
  let end = items.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (isBehind(items[middle] as Item)) end = middle;
    else start = middle + 1;
  }
  return start;
}

// There can be a million sources. Zod took 10 % of reading such a plan, these checks take 1 %.
function isSource(value: unknown): value is Source {
  const { name, path, size, fingerprint, codecs, format } = (value ?? {}) as Partial<Source>;
  return (
    typeof name === "string" &&
    typeof path === "string" &&
    typeof size === "number" &&
    typeof fingerprint === "string" &&
    Array.isArray(codecs) &&
    isFormat(format)
  );
}

function isFailure(value: unknown): value is SourceFailure {
  const { source, code, message } = (value ?? {}) as Partial<SourceFailure>;
  return [source, code, message].every((text) => typeof text === "string");
}
