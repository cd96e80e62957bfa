import { DAY_MS } from "../../base/day.js";
import { loadLuxon } from "../../base/luxon.js";
import { sum } from "../../base/sum.js";
import { formatNumberOf } from "../quantities.js";
import { fixOf, timeFix, timesOf } from "./configuration-fixes.js";
import { bulkOf } from "./day-counts.js";
import type { FindingCode } from "./finding-codes.js";
import { type Facts, type Observation, quotedList, shareOf } from "./observation.js";
import { FAR_DAYS, MIDNIGHT_SHARE, MINIMUM_DAY_EVENTS } from "./thresholds.js";

/** Times that are only dates. */
export function findMidnights({
  times,
  rows,
  dayZone,
}: Facts): Observation | readonly Observation[] {
  const { midnight } = times;
  if (midnight < MINIMUM_DAY_EVENTS || midnight < rows.mapped * MIDNIGHT_SHARE) return [];
  return {
    code: "times_midnight",
    title: `${shareOf(midnight, rows.mapped)} of the events are at exactly midnight (${dayZone})`,
    detail:
      "Their times are only dates, so the order of events within a day is lost. " +
      "If another field includes the time of day, map that one.",
    rows: midnight,
  };
}

export function findFutureTimes({ times, run }: Facts): Observation | readonly Observation[] {
  if (times.future === 0) return [];
  return {
    code: "times_future",
    title: `${formatNumberOf(times.future, "event")} ${times.future === 1 ? "is" : "are"} later than this run`,
    detail:
      `The last is at ${times.last ?? "an unknown time"}; the run began at ${run.startedAt}. ` +
      "A few hours suggest local times of a zone east of UTC; days suggest devices with wrong clocks. " +
      "The line filters these events out.",
    rows: times.future,
    fix: fixOf(["toTime"], run.startedAt, false),
  };
}

/** Placeholder times within the allowed range of times. */
export function findPlaceholderTimes(facts: Facts): Observation | readonly Observation[] {
  const { suspicious, first } = facts.times;
  if (suspicious === 0) return [];
  const bulkStart = bulkStartOf(facts);
  const isFixable = bulkStart !== undefined && first !== null && first < bulkStart;
  return {
    code: "times_suspicious",
    title: `${formatNumberOf(suspicious, "event")} ${suspicious === 1 ? "has a placeholder time" : "have placeholder times"}`,
    detail:
      "These times are before 2000 or exactly at the start of an epoch, as devices without a clock " +
      `report them. The first event is at ${first ?? "no time"}.` +
      `${isFixable ? " The line rejects these events." : ""}`,
    rows: suspicious,
    fix: isFixable ? fixOf(["minTime"], bulkStart, false) : undefined,
  };
}

/** A few events long before all others. */
export function findOldTimes(facts: Facts): Observation | readonly Observation[] {
  const { days, times } = facts;
  const { start } = bulkOf(days);
  const bulkStart = days[start]?.day;
  if (bulkStart === undefined) return [];
  const far = days
    .slice(0, start)
    .filter(({ day }) => Date.parse(bulkStart) - Date.parse(day) > FAR_DAYS * DAY_MS);
  const rows = sum(far, ({ events }) => events);
  if (rows <= times.suspicious) return [];
  const withEvents = far.filter(({ events }) => events > 0).length;
  return {
    code: "times_scattered",
    title: `${formatNumberOf(rows, "event")} ${rows === 1 ? "is" : "are"} more than ${FAR_DAYS} days before all others`,
    detail:
      `They are on ${formatNumberOf(withEvents, "day")}, the first of them ${far[0]?.day}; nearly all events are ` +
      `from ${bulkStart} on. The usual cause is devices with wrong clocks. The line rejects these events.`,
    rows,
    day: far[0]?.day,
    fix: fixOf(["minTime"], bulkStart, false),
  };
}

function bulkStartOf({ days }: Facts): string | undefined {
  return days[bulkOf(days).start]?.day;
}

const PLAUSIBLE_FROM_MS = Date.UTC(2000, 0, 1);

interface Unit {
  readonly code: FindingCode;
  readonly word: string;
  toMs(number: number): number;
}

const units: readonly Unit[] = [
  { code: "time_unit_seconds", word: "seconds", toMs: (n) => n * 1e3 },
  { code: "time_unit_milliseconds", word: "milliseconds", toMs: (n) => n },
  { code: "time_unit_microseconds", word: "microseconds", toMs: (n) => n * 1e-3 },
  { code: "time_unit_nanoseconds", word: "nanoseconds", toMs: (n) => n * 1e-6 },
];

/** Epochs that no format of the mapping reads. */
const foreignEpochs = [
  { word: "days since 1900, as spreadsheets count", toMs: (n: number) => (n - 25_569) * DAY_MS },
  {
    word: "microseconds since 1601, as browsers count",
    toMs: (n: number) => n / 1e3 - 11_644_473_600_000,
  },
  { word: "ticks of 100 ns since the year 1", toMs: (n: number) => (n - 621_355_968e9) / 1e4 },
];

/** Formats that people and tools write, and that the mapping reads only if it names them. */
const patterns = [
  "dd.MM.yyyy HH:mm:ss",
  "dd.MM.yyyy HH:mm",
  "dd/MM/yyyy HH:mm:ss",
  "MM/dd/yyyy HH:mm:ss",
  "dd/MM/yyyy HH:mm",
  "MM/dd/yyyy HH:mm",
  "M/d/yyyy h:mm:ss a",
  "M/d/yyyy h:mm a",
  "yyyy/MM/dd HH:mm:ss",
  "yyyyMMddHHmmss",
  "yyyyMMdd'T'HHmmss",
  "EEE, dd LLL yyyy HH:mm:ss ZZZ",
  "EEE LLL d HH:mm:ss yyyy",
  "LLL d, yyyy h:mm:ss a",
  "dd LLL yyyy HH:mm:ss",
] as const;

/** Rejected times that are plausible in another unit. */
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
        `All samples of ${formatNumberOf(reject.rows, "rejected row")} fit: ${quotedList(known.map(String), 3)}. ` +
        "No format of the mapping reads them. Convert them to ISO 8601 or to a Unix epoch first.",
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
): Observation {
  const first = numbers[0] ?? 0;
  const formats = timesOf(facts).map(({ format }) => format);
  // `auto` detects the unit by size, and so reads all sources correctly even if their units differ.
  const fix = timeFix(facts, (time) => ({ ...time, format: "auto" }), true);
  return {
    code,
    title: `Times of ${formatNumberOf(rows, "row")} are in ${word} but are read in another unit`,
    detail:
      `In ${word}, ${first} is ${new Date(toMs(first)).toISOString()}. The format in the mapping is ` +
      `${formats.join(", ") || "not known"}, which gives a time outside the allowed range. ` +
      `All samples fit: ${quotedList(numbers.map(String), 3)}.`,
    rows,
    rejectCode: "time_out_of_range",
    fix: formats.some((format) => format !== "auto") ? fix : undefined,
  };
}

/** The number that a reject's message quotes as its time. */
function numberIn(message: string): number | undefined {
  const [, digits] =
    /\bis (?:the (?:number|text) )?"?(-?\d+(?:\.\d+)?(?:[eE]\+?\d+)?)"?(?=[:,])/.exec(message) ??
    [];
  return digits === undefined ? undefined : Number(digits);
}

/** The one pattern that all these rejected times have; undefined if none or several fit. */
export function likelyPattern(messages: readonly string[]): string | undefined {
  const texts = messages.map((message) => /"(?:[^"\\]|\\.)*"/.exec(message)?.[0]);
  if (texts.length === 0 || texts.includes(undefined)) return undefined;
  const { DateTime } = loadLuxon();
  const times = texts.map((text) => JSON.parse(text ?? '""') as string);
  const fitting = patterns.filter((pattern) =>
    times.every((time) => DateTime.fromFormat(time, pattern, { locale: "en" }).isValid),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
