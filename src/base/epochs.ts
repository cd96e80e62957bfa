import { DAY_MS } from "./day.js";

/** Times before it are implausible for events: no tool measured them. */
export const PLAUSIBLE_FROM_MS = Date.UTC(2000, 0, 1);

/** Other counts of small numbers, such as seconds since 2001, are times soon after their epoch. */
const FOREIGN_FROM_MS = Date.UTC(2006, 0, 1);

/** A way to count time that a format of the mapping names. */
export interface EpochCount {
  readonly format: string;
  /** Description for people: `ticks of 100 ns since the year 1, as .NET counts`. */
  readonly words: string;
  /** Converts a count to milliseconds since 1970 UTC; a double is precise enough to judge it. */
  toMs(count: number): number;
}

const unitsMs = { s: 1e3, ms: 1, us: 1e-3, "100ns": 1e-4, ns: 1e-6, days: DAY_MS } as const;
type Unit = keyof typeof unitsMs;

const unitWords: Readonly<Record<Unit, string>> = {
  s: "seconds",
  ms: "milliseconds",
  us: "microseconds",
  "100ns": "units of 100 ns",
  ns: "nanoseconds",
  days: "days",
};

const epochs = {
  "0001-01-01": "the year 1",
  "1601-01-01": "1601",
  "1899-12-30": "1900",
  "1900-01-01": "1900",
  "1970-01-01": "1970",
  "2001-01-01": "2001",
} as const;
type Epoch = keyof typeof epochs;

/** Counts from 1970, which the mapping reads by the unit alone. */
export const unixCounts = (["s", "ms", "us", "ns"] as const).map((unit) =>
  count(unit, "1970-01-01", unit, unitWords[unit]),
);

/** Other counts, the most usual first. */
const foreignCounts: readonly EpochCount[] = [
  foreign("100ns", "0001-01-01", "ticks of 100 ns since the year 1, as .NET counts"),
  foreign("100ns", "1601-01-01", "units of 100 ns since 1601, as Windows counts"),
  foreign("us", "1601-01-01", "microseconds since 1601, as browsers count"),
  foreign("s", "2001-01-01", "seconds since 2001, as Apple's systems count"),
  foreign("ns", "2001-01-01", "nanoseconds since 2001, as Apple's systems count"),
  foreign("days", "1899-12-30", "days since 1900, as spreadsheets count"),
  foreign("days", "1970-01-01", "days since 1970"),
  foreign("100ns", "1970-01-01"),
  ...(["ms", "us"] as const).map((unit) => foreign(unit, "2001-01-01")),
  foreign("100ns", "2001-01-01"),
  ...(["s", "ms", "us", "100ns"] as const).map((unit) => foreign(unit, "1900-01-01")),
  ...(["s", "ms"] as const).map((unit) => foreign(unit, "1601-01-01")),
  ...(["s", "ms", "us"] as const).map((unit) => foreign(unit, "0001-01-01")),
];

/**
 * Returns the count that makes all numbers plausible times before `untilMs`, from 1970 if one does;
 * undefined if there is none.
 */
export function likelyCount(numbers: readonly number[], untilMs: number): EpochCount | undefined {
  const fits = (fromMs: number) => (count: EpochCount) =>
    numbers.every((number) => {
      const timeMs = count.toMs(number);
      return timeMs >= fromMs && timeMs < untilMs;
    });
  if (numbers.length === 0) return undefined;
  return unixCounts.find(fits(PLAUSIBLE_FROM_MS)) ?? foreignCounts.find(fits(FOREIGN_FROM_MS));
}

function foreign(unit: Unit, epoch: Epoch, words = `${unitWords[unit]} since ${epochs[epoch]}`) {
  return count(unit, epoch, `${unit} since ${epoch}`, words);
}

function count(unit: Unit, epoch: Epoch, format: string, words: string): EpochCount {
  const [unitMs, epochMs] = [unitsMs[unit], Date.parse(epoch)];
  return { format, words, toMs: (number) => epochMs + number * unitMs };
}
