import { DAY_MS } from "../../base/day.js";
import { type EpochCount, likelyCount, unixCounts } from "../../base/epochs.js";
import { formatShare } from "../../base/format-share.js";
import { loadLuxon } from "../../base/luxon.js";
import { sum } from "../../base/sum.js";
import { coverTimes } from "../../base/time-patterns.js";
import type { Fix } from "../../profile/report.js";
import { formatNumberOf } from "../quantities.js";
import { fixOf, timeFix, timesOf } from "./configuration-fixes.js";
import { bulkOf } from "./day-counts.js";
import type { FindingCode } from "./finding-codes.js";
import { type Observation, quotedList, type ReportedFacts } from "./observation.js";
import { FAR_DAYS, IMPLAUSIBLE_SHARE, MIDNIGHT_SHARE, MINIMUM_DAY_EVENTS } from "./thresholds.js";

/** Times that are only dates. */
export function findMidnights({
  times,
  rows,
  dayZone,
}: ReportedFacts): Observation | readonly Observation[] {
  const { midnight } = times;
  if (midnight < MINIMUM_DAY_EVENTS || midnight < rows.mapped * MIDNIGHT_SHARE) return [];
  return {
    code: "times_midnight",
    title: `${formatShare(midnight, rows.mapped)} of the events are at exactly midnight (${dayZone})`,
    detail:
      "Their times are only dates, so the order of events within a day is lost. " +
      "If another field includes the time of day, map that one.",
    rows: midnight,
  };
}

export function findFutureTimes({
  times,
  run,
}: ReportedFacts): Observation | readonly Observation[] {
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
export function findPlaceholderTimes(facts: ReportedFacts): Observation | readonly Observation[] {
  const { suspicious, first } = facts.times;
  if (suspicious === 0 || acceptedUnits(facts) !== undefined) return [];
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
    fix: isFixable ? startFix(facts, bulkStart) : undefined,
  };
}

/** A few events long before all others. */
export function findOldTimes(facts: ReportedFacts): Observation | readonly Observation[] {
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
    fix: startFix(facts, bulkStart),
  };
}

/** Moves the start of the allowed times, and keeps their end. */
function startFix({ configuration }: ReportedFacts, start: string): Fix {
  const { maxTime } = configuration;
  const end = maxTime === undefined || maxTime === "tomorrow" ? "" : String(maxTime);
  return fixOf(["timeLimits"], `${start}..${end}`, false);
}

function bulkStartOf({ days }: ReportedFacts): string | undefined {
  return days[bulkOf(days).start]?.day;
}

const unixCodes: Readonly<Record<string, FindingCode>> = {
  s: "time_unit_seconds",
  ms: "time_unit_milliseconds",
  us: "time_unit_microseconds",
  ns: "time_unit_nanoseconds",
};

/** Times that are plausible in another unit or from another day, among the rejected and the others. */
export function findTimeUnits(facts: ReportedFacts): readonly Observation[] {
  return [rejectedUnits(facts), acceptedUnits(facts)].flatMap((one) => one ?? []);
}

/** Rejected times that are plausible in another unit. */
function rejectedUnits(facts: ReportedFacts): Observation | undefined {
  const reject = facts.rejects.find(({ code }) => code === "time_out_of_range");
  const numbers = (reject?.samples ?? []).map(({ message }) => numberIn(message));
  const count = countOf(facts, numbers);
  if (reject === undefined || count === undefined) return undefined;
  const all = `All samples of ${formatNumberOf(reject.rows, "rejected row")} fit`;
  const found = wrongCount(facts, count, numbers as readonly number[], reject.rows, all);
  return { ...found, rejectCode: "time_out_of_range" };
}

/** Times that are delivered as times before 2000, and are plausible as counts from another day. */
function acceptedUnits(facts: ReportedFacts): Observation | undefined {
  const { rows, times } = facts;
  if (times.suspicious < rows.mapped * IMPLAUSIBLE_SHARE || times.suspicious === 0)
    return undefined;
  const values = facts.samples.map(numberOf);
  const count = countOf(facts, values);
  if (count === undefined) return undefined;
  const all = `All samples fit, and ${formatNumberOf(times.suspicious, "event")} would be delivered with a time before 2000`;
  return wrongCount(facts, count, values as readonly number[], times.suspicious, all);
}

function countOf(
  { run }: ReportedFacts,
  numbers: readonly (number | undefined)[],
): EpochCount | undefined {
  if (numbers.includes(undefined)) return undefined;
  return likelyCount(numbers as readonly number[], Date.parse(run.startedAt) + DAY_MS);
}

function wrongCount(
  facts: ReportedFacts,
  { format, words, toMs }: EpochCount,
  numbers: readonly number[],
  rows: number,
  all: string,
): Observation {
  const first = numbers[0] ?? 0;
  const formats = timesOf(facts).flatMap((time) => time.format);
  const code = unixCodes[format];
  // `auto` detects the unit by size, and so reads all sources correctly even if their units differ.
  const wanted = code === undefined ? format : "auto";
  const fix = timeFix(facts, (time) => ({ ...time, format: wanted }), code !== undefined);
  return {
    code: code ?? "time_epoch_unknown",
    title:
      code === undefined
        ? `Times of ${formatNumberOf(rows, "row")} look like ${words}`
        : `Times of ${formatNumberOf(rows, "row")} are in ${words} but are read in another unit`,
    detail:
      `In ${words}, ${first} is ${new Date(toMs(first)).toISOString()}. The format in the mapping is ` +
      `${formats.join(", ") || "not known"}, which gives another time. ` +
      `${all}: ${quotedList(numbers.map(String), 3)}.`,
    rows,
    fix: formats.some((one) => one !== wanted) ? fix : undefined,
  };
}

/** The number that a reject's message quotes as its time. */
function numberIn(message: string): number | undefined {
  const [, digits] =
    /\bis (?:the (?:number|text) )?"?(-?\d+(?:\.\d+)?(?:[eE]\+?\d+)?)"?(?=[:,])/.exec(message) ??
    [];
  return digits === undefined ? undefined : Number(digits);
}

/** The number in a sample's row that is its event's time, as an epoch of some unit. */
function numberOf({ raw, result }: ReportedFacts["samples"][number]): number | undefined {
  const [, digits] = /"timestamp":(-?\d+)/.exec(result) ?? [];
  const timeMs = Number(digits);
  const numbers = (raw.match(/\d{5,}(?:\.\d+)?/g) ?? []).map(Number);
  return numbers.find((number) =>
    // Doubles of ticks are precise to some microseconds.
    unixCounts.some(({ toMs }) => Math.abs(toMs(number) - timeMs) <= 1),
  );
}

/** Formats that read all of some rejected times. */
interface LikelyFormats {
  readonly formats: readonly string[];
  /** A pattern that reads some of them as other times. */
  readonly other: string | undefined;
}

/** Finds the formats of the times that these messages of rejects quote; undefined if one has none. */
export function likelyFormats(messages: readonly string[]): LikelyFormats | undefined {
  const texts = messages.map(textIn);
  if (texts.length === 0) return undefined;
  const others = texts.filter((text) => !readByAuto.test(text));
  const { DateTime } = loadLuxon();
  const { formats, read, other } = coverTimes(others, (pattern) => (text) => {
    const time = DateTime.fromFormat(text, pattern, { locale: "en", zone: "utc" });
    return time.isValid ? time.toMillis() : undefined;
  });
  if (read < others.length) return undefined;
  return { formats: [...formats, ...(others.length < texts.length ? ["auto"] : [])], other };
}

/** Returns true if these messages of rejects quote times that are in quotes themselves, as JSON texts are. */
export function areJsonTexts(messages: readonly string[]): boolean {
  return messages.length > 0 && messages.every((message) => /^".+"$/u.test(textIn(message)));
}

/** Usual times that another format of the mapping refuses and `auto` reads. */
const readByAuto = /^(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d{9,10}|\d{13}|\d{16}|\d{19})$/;

/** The text or number that a reject's message quotes; its blanks are plain ones. */
function textIn(message: string): string {
  const [quotation] = /"(?:[^"\\]|\\.)*"/.exec(message) ?? [];
  const text = quotation === undefined ? undefined : (JSON.parse(quotation) as string);
  return text?.replaceAll(/\s/g, " ").trim() ?? String(numberIn(message) ?? "");
}
