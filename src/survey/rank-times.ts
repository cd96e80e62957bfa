import { DAY_MS } from "../base/day.js";
import { PLAUSIBLE_FROM_MS, unixCounts } from "../base/epochs.js";
import { isPathField } from "../sources/path-columns.js";
import type { FieldSummary, Fields } from "./field-summary.js";
import { findTimeForm } from "./time-form.js";

/** A field whose values are times. */
interface TimeField {
  readonly field: FieldSummary;
  /** False if it is rather an id or a measure that looks like an epoch, or most rows lack it. */
  readonly isLikely: boolean;
  /** The smaller, the more likely it is the time of the event. */
  readonly rank: number;
}

/** Usual names of an event's time, without case and punctuation, likeliest first. */
const usualNames: readonly string[] =
  `eventtimestamp eventtime timestamp occurredat eventat time ts clienttimestamp clienttime
  eventdatetime createdat datetime createdtime loggedat receivedat sentat insertedat eventdate date at
  when unixtime epoch epochms derivedtstamp collectortstamp dvcecreatedtstamp`.split(/\s+/);

/** Words of names for the time when an event happened. */
const eventWords = /^(?:event|occur\w*|happen\w*|action|client|original|device|tracked)$/;

/** Words of names for the time when a system got or changed a row. */
const systemWords =
  /^(?:receiv\w*|ingest\w*|upload\w*|insert\w*|load\w*|sync\w*|process\w*|updat\w*|modif\w*|server|sent|send|export\w*|arriv\w*|collector|collected|deliver\w*|stor\w*|persist\w*|landed|etl|batch|partition|dwh|warehouse|kafka|queue\w*|imported|bq)$/;

/** Words of names for times of other things than the event. */
const otherWords =
  /^(?:birth\w*|dob|expir\w*|signup|signed|regist\w*|first|last|prev\w*|next|due|delet\w*|trial|renew\w*|install\w*|user|users|account|person|customer|profile|traits|session|valid|until|deadline|start\w*|end\w*)$/;

const timeWords =
  /^(?:time\w*|date\w*|ts|tstamp|at|when|stamp|epoch|ticks?|unix|created|on|ms|utc)$/;

/** Names of the columns of a path that are days. */
const partitionWords = /^(?:dt|ds|day|ymd)$/;

/** Words of names for numbers that are not times although they may be as large. */
const numberWords =
  /^(?:id|ids|uid|uuid|guid|key|phone|number|no|ip|count|size|bytes|amount|price|revenue|value|total|version|hash|seed|code|zip|isbn|ean|sku)$/;

/** Ranks of the groups of names; a usual name has its index, and a deeper field comes later. */
const ranks = { event: 1.5, unknown: 100, system: 200, other: 300, implausible: 400, level: 120 };

/** A field of dates only ranks after those with a time of day. */
const DATE_RANK = 50;

/** Returns the fields whose values are times, the likeliest time of the event first. */
export function rankTimes(
  fields: Fields,
  rows: number,
  untilMs = Date.now() + DAY_MS,
): readonly TimeField[] {
  return [...fields.values()]
    .flatMap((field) => timeField(field, rows, untilMs) ?? [])
    .sort((one, other) => one.rank - other.rank);
}

function timeField(field: FieldSummary, rows: number, untilMs: number): TimeField | undefined {
  const words = field.path.flatMap(wordsOf);
  const isNamed =
    usualIndex(field.path) !== undefined ||
    words.some((word) => timeWords.test(word)) ||
    (isPathField(field) && words.some((word) => partitionWords.test(word)));
  const form = findTimeForm(field.scalars, untilMs, isNamed);
  if (form === undefined) return undefined;
  const isNumber = field.scalars.every((value) => /^[\d.]+$/.test(String(value)));
  const isPlausible = !isNumber || isPlausibleEpoch(field.scalars, untilMs);
  const isLikely =
    field.filled >= rows * MOST &&
    (!isNumber || isNamed || (isPlausible && !words.some((word) => numberWords.test(word))));
  const isDate = form.words.startsWith("dates without");
  const rank =
    rankOfName(field.path, words) +
    (isDate ? DATE_RANK : 0) +
    (isPlausible || form.format !== undefined ? 0 : ranks.implausible);
  return { field, isLikely, rank };
}

/** Share of the rows in which the time must be filled. */
const MOST = 0.5;

/** Splits a name into its words in lower case: `serverUploadTime`, `server_upload_time`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

function usualIndex(path: readonly string[]): number | undefined {
  return [path.join(""), path.at(-1) ?? ""]
    .map((name) => usualNames.indexOf(name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")))
    .find((index) => index >= 0);
}

function rankOfName(path: readonly string[], words: readonly string[]): number {
  const level = (path.length - 1) * ranks.level;
  const index = usualIndex(path);
  const usual = index ?? ranks.unknown;
  if (words.some((word) => systemWords.test(word))) return level + ranks.system + usual;
  if (words.some((word) => otherWords.test(word))) return level + ranks.other + usual;
  if (index !== undefined) return level + index;
  const isEvents = [eventWords, timeWords].every((known) => words.some((word) => known.test(word)));
  return level + (isEvents ? ranks.event : ranks.unknown);
}

function isPlausibleEpoch(values: FieldSummary["scalars"], untilMs: number): boolean {
  return values.every((value) =>
    unixCounts.some(({ toMs }) => {
      const timeMs = toMs(Number(value));
      return timeMs >= PLAUSIBLE_FROM_MS && timeMs < untilMs;
    }),
  );
}
