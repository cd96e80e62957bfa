import { DAY_MS } from "../base/day.js";
import { likelyCount, unixCounts } from "../base/epochs.js";
import { evenly } from "../base/evenly.js";
import { createZone } from "../base/luxon-zone.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { coverTimes } from "../base/time-patterns.js";
import type { TimeSource } from "../mapper/field-schemas.js";
import type { Mapping, WrittenChanges } from "../mapper/mapping.js";
import { createPatternParser, type ParsePattern } from "../mapper/time-pattern.js";
import { parseTimeWords, plainBlanks } from "../mapper/time-words.js";
import { type Fields, fieldAt } from "./field-summary.js";
import type { FoundTime, TimeForm } from "./survey.js";

const iso =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s?(?:(?<utc>Z|UTC)|(?<offset>[+-]\d{2}(?::?\d{2})?))?)?$/i;

/** Days and times that consist only of digits, which `auto` would read as epochs. */
const compact =
  /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])[0-5]\d[0-5]\d)?$/;

/** Ranges of the numbers that are times since 1973 in each unit, `end` excluded; as in `auto`. */
const epochUnits = [
  { name: "seconds", start: 1e8, end: 1e10 },
  { name: "milliseconds", start: 1e10, end: 1e14 },
  { name: "microseconds", start: 1e14, end: 1e17 },
  { name: "nanoseconds", start: 1e17, end: 1e20 },
] as const;

/** Values that a pattern is tried on. */
const TRIED_MAX = 50;

/** Values of which one must look like a time. */
const LOOKED_AT = 20;

/** Share of the values that must have a form; broken times are rejects and not another form. */
const MOST = 0.9;

/**
 * Finds the form of these times, all before `untilMs`; undefined if they are not times or have no known
 * form. `allowsCounts`: small numbers may be counts from another day, such as days since 1900.
 */
export function findTimeForm(
  values: readonly (string | number)[],
  untilMs = Date.now() + DAY_MS,
  allowsCounts = true,
): TimeForm | undefined {
  if (!evenly(values, LOOKED_AT).some(looksLikeTime)) return undefined;
  const texts = values.map((value) => plainBlanks(String(value)));
  const { unread, ...plain } = readPlainly(texts);
  const foreign = allowsCounts ? foreignForm(texts, untilMs) : undefined;
  if (foreign !== undefined) return foreign;
  const cover = coverOf(evenly(unread, TRIED_MAX));
  const share = unread.length === 0 ? 0 : cover.read / Math.min(unread.length, TRIED_MAX);
  const read = texts.length - unread.length + share * unread.length;
  return read < texts.length * MOST ? undefined : formOf(plain, cover);
}

/** Returns true if a value may be a time. */
function looksLikeTime(value: string | number): boolean {
  const text = plainBlanks(String(value));
  const isNumber = typeof value === "number" || /^\d+(?:\.\d+)?$/.test(text);
  return isNumber || patternShape.test(text) || parseTimeWords(text) !== undefined;
}

/** A number that `auto` reads as an implausible time, in the count that makes it plausible. */
function foreignForm(texts: readonly string[], untilMs: number): TimeForm | undefined {
  const numbers = texts.filter((text) => /^\d+(?:\.\d+)?$/.test(text) && !compact.test(text));
  if (numbers.length < texts.length * MOST) return undefined;
  const count = likelyCount(numbers.map(Number), untilMs);
  // `auto` reads the counts from 1970, also of several units.
  if (count === undefined || unixCounts.includes(count)) return undefined;
  return { words: count.words, format: count.format, isLocal: false };
}

/** The values that `auto` reads, and the others. */
interface PlainReading {
  readonly words: readonly string[];
  readonly isLocal: boolean;
}

function readPlainly(texts: readonly string[]): PlainReading & { readonly unread: string[] } {
  const found: RegExpExecArray[] = [];
  const worded: { readonly text: string; readonly isLocal: boolean }[] = [];
  const units = new Set<string>();
  const unread: string[] = [];
  for (const text of texts) {
    const match = iso.exec(text);
    const unit = match === null ? unitOf(text) : undefined;
    if (match !== null) found.push(match);
    else if (unit !== undefined) units.add(unit);
    else {
      const time = parseTimeWords(text);
      if (time === undefined) unread.push(text);
      else worded.push({ text, isLocal: time.isLocal });
    }
  }
  const inUtc = found.filter(({ groups }) => groups?.["utc"] !== undefined).length;
  const withOffset = found.filter(({ groups }) => groups?.["offset"] !== undefined).length;
  const local = found.length - inUtc - withOffset;
  const zones = [
    ...(inUtc > 0 ? ["Z"] : []),
    ...(withOffset > 0 ? ["an offset"] : []),
    ...(local > 0 ? ["no zone"] : []),
  ];
  const isDate = found.every(([text]) => text.length === 10);
  const dates = isDate ? "dates without a time of day" : `ISO 8601 with ${zones.join(" or ")}`;
  const names = epochUnits.map(({ name }) => name).filter((name) => units.has(name));
  const words = [
    ...(found.length > 0 ? [dates] : []),
    ...(names.length > 0 ? [`epoch ${names.join(" or ")}`] : []),
    ...(worded[0] === undefined ? [] : [`text such as ${worded[0].text}`]),
  ];
  return { words, isLocal: local > 0 || worded.some((one) => one.isLocal), unread };
}

/** Returns the unit in which a text is an epoch since 1973. */
function unitOf(text: string): string | undefined {
  if (!/^-?\d+(?:\.\d+)?$/.test(text) || compact.test(text)) return undefined;
  const number = Number(text);
  return epochUnits.find(({ start, end }) => number >= start && number < end)?.name;
}

/** Most fields are not times, and trying all patterns takes long. */
const patternShape =
  /^(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}\b|\d{1,2}[./-]\d{1,2}[./-](?:\d{4}\b|\d\d[ ,])|\d{8}(?:\d{6})?$|\d{4}\u5e74|\p{L}{3} \p{L}{3} \d)/u;

function coverOf(texts: readonly string[]): ReturnType<typeof coverTimes> {
  const isLikely = texts.slice(0, 5).some((text) => patternShape.test(text));
  return coverTimes(isLikely ? texts : [], utcParser);
}

/** Parsers by their patterns: to create one takes longer than to use it. */
const parsers = new Map<string, ParsePattern>();

function utcParser(pattern: string): ParsePattern {
  const parse = parsers.get(pattern) ?? createPatternParser(pattern, createZone("UTC"));
  parsers.set(pattern, parse);
  return parse;
}

function formOf(plain: PlainReading, { formats, other }: ReturnType<typeof coverOf>): TimeForm {
  // `auto` would read digits without separators as an epoch.
  const early = formats.filter((format) => !/\W/.test(format));
  const late = formats.filter((format) => /\W/.test(format));
  const all = [...early, ...(plain.words.length > 0 ? ["auto"] : []), ...late];
  const namesZone = (format: string) => /z/i.test(format.replaceAll(/'[^']*'/g, ""));
  return omitUndefined({
    words: [...plain.words, ...formats.map((format) => `like ${format}`)].join(", or "),
    format: formats.length === 0 ? undefined : all.length === 1 ? all[0] : all,
    otherFormat: other,
    isLocal: plain.isLocal || formats.some((format) => !namesZone(format)),
  });
}

/** The form of a mapping's times, and the changes that the mapping needs to read them. */
interface TimeFinding {
  readonly time: FoundTime;
  readonly changes?: Pick<WrittenChanges, "timestamp">;
  readonly doubts: readonly string[];
}

/** Epoch units of a mapping, in the words of `TimeForm`. */
const unitWords: Readonly<Record<string, string>> = {
  s: "epoch seconds",
  ms: "epoch milliseconds",
  us: "epoch microseconds",
  ns: "epoch nanoseconds",
};

/** Finds the form of the times. `documentedZone` is the zone that the tool documents for its times. */
export function findTime(
  fields: Fields,
  { timestamp }: Mapping,
  documentedZone: string | undefined,
): TimeFinding {
  const choice = timestamp.find(({ path }) => (fieldAt(fields, path)?.scalars.length ?? 0) > 0);
  const { path, zone } = choice ?? (timestamp[0] as TimeSource);
  const field = path.join(".");
  const form = findTimeForm(fieldAt(fields, path)?.scalars ?? []);
  const time = { field, form, zone };
  if (choice === undefined || form === undefined) {
    return { time, doubts: [`The values of ${field} are not times, or have several forms.`] };
  }
  const doubts = doubtsOf(time, form, documentedZone);
  const format = formatFor(choice, form);
  if (format === undefined) return { time, doubts };
  const own = path.some((step) => step.includes(".")) ? [...path] : field;
  const kept = choice.shifted ? { shifted: true } : {};
  return {
    time,
    changes: { timestamp: { field: own, format, ...(zone === "UTC" ? {} : { zone }), ...kept } },
    doubts,
  };
}

/** Returns the format that the mapping needs; undefined if its own fits. */
function formatFor({ format }: TimeSource, form: TimeForm): TimeForm["format"] {
  if (format === "auto") return form.format;
  const unit = typeof format === "string" ? unitWords[format] : undefined;
  // A unit reads nothing but epochs.
  return unit === undefined || form.words === unit ? undefined : (form.format ?? "auto");
}

function doubtsOf(
  { field, zone }: FoundTime,
  form: TimeForm,
  documentedZone: string | undefined,
): readonly string[] {
  const { isLocal, format, otherFormat } = form;
  return [
    ...(otherFormat === undefined
      ? []
      : [
          `The times in ${field} are read as ${[format].flat().join(" or ")}; ${otherFormat} would read them as well. ` +
            "Look at a few of the exported days.",
        ]),
    ...(isLocal && documentedZone === undefined
      ? [
          `The times in ${field} name no zone and are read as ${zone}. ` +
            'If they are local, add "zone": "America/Los_Angeles" or the like to the timestamp.',
        ]
      : []),
  ];
}
