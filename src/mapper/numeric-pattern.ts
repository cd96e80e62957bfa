/** Luxon's tokens of digits only: unit, minimum and maximum number of digits. */
const tokens = {
  yyyy: ["year", 4, 4],
  M: ["month", 1, 2],
  MM: ["month", 2, 2],
  d: ["day", 1, 2],
  dd: ["day", 2, 2],
  H: ["hour", 1, 2],
  HH: ["hour", 2, 2],
  m: ["minute", 1, 2],
  mm: ["minute", 2, 2],
  s: ["second", 1, 2],
  ss: ["second", 2, 2],
  SSS: ["millisecond", 3, 3],
} as const satisfies Record<string, readonly [string, number, number]>;

type PatternUnit = (typeof tokens)[keyof typeof tokens][0];

const units: readonly PatternUnit[] = [
  "year",
  "month",
  "day",
  "hour",
  "minute",
  "second",
  "millisecond",
];

/** A run of digits for a unit, or one literal character. */
interface PatternStep {
  /** Index in `units`; -1 for a character. */
  readonly unit: number;
  readonly digitsMin: number;
  readonly digitsMax: number;
  readonly character: number;
}

const ZERO = 0x30;

/**
 * Parses the usual patterns without Luxon, which takes twenty times as long (7.8 µs a time, here 0.3).
 * The parser returns a text's wall-clock time as milliseconds since 1970, as if it were UTC; undefined if
 * Luxon must decide. Returns undefined for patterns of more than digits and separators.
 */
export function createNumericParser(
  pattern: string,
): ((text: string) => number | undefined) | undefined {
  const steps = stepsOf(pattern);
  if (steps === undefined) return undefined;
  const values = new Int32Array(units.length);
  return (text) => (readDigits(text, steps, values) ? wallClockMs(values) : undefined);
}

function stepsOf(pattern: string): readonly PatternStep[] | undefined {
  const steps: PatternStep[] = [];
  const named = new Set<PatternUnit>();
  for (const [part, quoted, letter] of pattern.matchAll(/'([^']*)'|([a-z])\2*|./gis)) {
    if (letter === undefined) {
      const literal = quoted ?? part;
      // Luxon has special rules for lone and doubled quotes.
      if (literal === "" || literal === "'") return undefined;
      for (let index = 0; index < literal.length; index++) {
        steps.push({ unit: -1, digitsMin: 0, digitsMax: 0, character: literal.charCodeAt(index) });
      }
      continue;
    }
    if (!Object.hasOwn(tokens, part)) return undefined;
    const [unit, digitsMin, digitsMax] = tokens[part as keyof typeof tokens];
    if (named.has(unit)) return undefined;
    named.add(unit);
    steps.push({ unit: units.indexOf(unit), digitsMin, digitsMax, character: 0 });
  }
  return named.has("year") && named.has("month") && named.has("day") ? steps : undefined;
}

/** Returns true if the steps match the whole text. Each step takes as many digits as it can. */
function readDigits(text: string, steps: readonly PatternStep[], values: Int32Array): boolean {
  values.fill(0);
  let position = 0;
  for (const { unit, digitsMin, digitsMax, character } of steps) {
    if (unit < 0) {
      if (text.charCodeAt(position++) !== character) return false;
      continue;
    }
    let value = 0;
    let digits = 0;
    for (; digits < digitsMax; digits++) {
      const digit = text.charCodeAt(position + digits) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
    }
    if (digits < digitsMin) return false;
    values[unit] = value;
    position += digits;
  }
  return position === text.length;
}

function wallClockMs(values: Int32Array): number | undefined {
  const year = values[0]!;
  const month = values[1]!;
  const day = values[2]!;
  const hour = values[3]!;
  const minute = values[4]!;
  const second = values[5]!;
  // Date.UTC takes years before 100 for those of the 20th century.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const timeMs = Date.UTC(year, month - 1, day, hour, minute, second, values[6]!);
  // Date.UTC turns a day beyond the end of the month into one of the next month.
  return day > 28 && new Date(timeMs).getUTCDate() !== day ? undefined : timeMs;
}
