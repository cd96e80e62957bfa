import { DAY_MS } from "../../base/day.js";
import { formatNumberOf } from "../quantities.js";
import type { FindingCode } from "./finding-codes.js";
import type { Facts, Observation } from "./observation.js";
import { timeFix, timesOf } from "./recorded-options.js";
import { quotedList } from "./words.js";

const PLAUSIBLE_FROM_MS = Date.UTC(2000, 0, 1);

interface Unit {
  readonly code: FindingCode;
  readonly word: string;
  readonly format: string;
  toMs(number: number): number;
}

const units: readonly Unit[] = [
  unit("time_unit_seconds", "seconds", "s", 1e3),
  unit("time_unit_milliseconds", "milliseconds", "ms", 1),
  unit("time_unit_microseconds", "microseconds", "us", 1e-3),
  unit("time_unit_nanoseconds", "nanoseconds", "ns", 1e-6),
];

/** Counts that no format of the mapping reads. */
const foreignEpochs = [
  { word: "days since 1900, as spreadsheets count", toMs: (n: number) => (n - 25_569) * DAY_MS },
  {
    word: "microseconds since 1601, as browsers count",
    toMs: (n: number) => n / 1e3 - 11_644_473_600_000,
  },
  { word: "ticks of 100 ns since the year 1", toMs: (n: number) => (n - 621_355_968e9) / 1e4 },
];

function unit(code: FindingCode, word: string, format: string, factor: number): Unit {
  return { code, word, format, toMs: (number) => number * factor };
}

/** Times that were rejected, though in another unit they would be of these years. */
export function findTimeUnits(facts: Facts): readonly Observation[] {
  const reject = facts.rejects.find(({ code }) => code === "time_out_of_range");
  const numbers = (reject?.samples ?? []).map(({ message }) => numberIn(message));
  if (reject === undefined || numbers.length === 0 || numbers.includes(undefined)) return [];
  const known = numbers as readonly number[];
  const until = Date.parse(facts.run.startedAt) + DAY_MS;
  const fits = ({ toMs }: { toMs(number: number): number }) =>
    known.every((number) => toMs(number) >= PLAUSIBLE_FROM_MS && toMs(number) < until);
  const found = units.find(fits);
  if (found !== undefined) return [wrongUnit(facts, found, known, reject.rows)];
  const foreign = foreignEpochs.find(fits);
  if (foreign === undefined) return [];
  return [
    {
      code: "time_epoch_unknown",
      title: `Times look like ${foreign.word}`,
      detail:
        `All samples of ${formatNumberOf(reject.rows, "rejected row")} fit (${quotedList(known.map(String), 3)}), ` +
        "which no format of the mapping reads. Convert them to ISO 8601 or an epoch before they are read.",
      rows: reject.rows,
      rejectCode: "time_out_of_range",
    },
  ];
}

function wrongUnit(
  facts: Facts,
  { code, word, toMs }: Unit,
  numbers: readonly number[],
  rows: number,
) {
  const first = numbers[0] ?? 0;
  const formats = timesOf(facts).map(({ format }) => format);
  // `auto` tells units apart by size, so that sources of several units come out right together.
  const fix = timeFix(facts, (time) => ({ ...time, format: "auto" }), true);
  const isMended = fix !== undefined && formats.some((format) => format !== "auto");
  return {
    code,
    title: `Times of ${formatNumberOf(rows, "row")} are ${word}, and are read as something else`,
    detail:
      `${first} is ${new Date(toMs(first)).toISOString()} in ${word}; the mapping's format is ` +
      `${formats.join(", ") || "not known"}, which puts it outside of the allowed times. ` +
      `All samples fit: ${quotedList(numbers.map(String), 3)}.`,
    ...{ rows, rejectCode: "time_out_of_range" as const },
    ...(isMended ? { fix } : {}),
  };
}

/** The number that the words of a rejected row name as its time. */
function numberIn(message: string): number | undefined {
  const [, digits] =
    /is the (?:number|text) "?(-?\d+(?:\.\d+)?(?:[eE]\+?\d+)?)"?:/.exec(message) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
