import { createZone } from "../base/luxon-zone.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import type { Mapping, TimeSource, WrittenChanges } from "../mapper/mapping.js";
import { createPatternParser } from "../mapper/time-pattern.js";
import { type Fields, fieldAt } from "./field-summary.js";
import type { FoundTime, TimeForm } from "./survey.js";

const iso =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:(?<utc>Z|UTC)|(?<offset>[+-]\d{2}(?::?\d{2})?))?)?$/i;

/** Days and times that consist only of digits, which `auto` would read as epochs. */
const compact =
  /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:(?:[01]\d|2[0-3])[0-5]\d[0-5]\d)?$/;

/** Patterns that `auto` does not read, in the order in which they are tried. */
const patterns: readonly string[] = [
  "yyyy/MM/dd HH:mm:ss",
  "yyyy/MM/dd HH:mm",
  "yyyy/MM/dd",
  "yyyyMMdd'T'HHmmss",
  "yyyyMMddHHmmss",
  "yyyyMMdd",
  "MM/dd/yyyy HH:mm:ss",
  "dd/MM/yyyy HH:mm:ss",
  "M/d/yyyy HH:mm",
  "d/M/yyyy HH:mm",
  "M/d/yyyy h:mm:ss a",
  "d/M/yyyy h:mm:ss a",
  "M/d/yyyy h:mm a",
  "d/M/yyyy h:mm a",
  "M/d/yyyy",
  "d/M/yyyy",
  "d.M.yyyy HH:mm:ss",
  "d.M.yyyy HH:mm",
  "d.M.yyyy",
  "M/d/yyyy H:mm:ss",
  "d/M/yyyy H:mm:ss",
  "M/d/yyyy H:mm",
  "d/M/yyyy H:mm",
  "M/d/yy H:mm",
  "d/M/yy H:mm",
  "d.M.yyyy H:mm",
  "d.M.yy H:mm:ss",
  "d.M.yy H:mm",
  "EEE, dd LLL yyyy HH:mm:ss ZZZ",
  "EEE, dd LLL yyyy HH:mm:ss z",
  "dd LLL yyyy HH:mm:ss",
  "dd/LLL/yyyy:HH:mm:ss ZZZ",
  "EEE LLL dd HH:mm:ss ZZZ yyyy",
  "EEE LLL dd HH:mm:ss yyyy",
  "LLL d, yyyy h:mm:ss a",
  "LLL d, yyyy h:mm a",
  "LLLL d, yyyy h:mm a",
  "LLL d, yyyy",
];

/** Ranges of the numbers that are times since 1973 in each unit, `end` excluded; as in `auto`. */
const epochUnits = [
  { name: "seconds", start: 1e8, end: 1e10 },
  { name: "milliseconds", start: 1e10, end: 1e14 },
  { name: "microseconds", start: 1e14, end: 1e17 },
  { name: "nanoseconds", start: 1e17, end: 1e20 },
] as const;

/** Values that a pattern is tried on. */
const TRIED_MAX = 50;

/** Share of the values that must have a form; broken times are rejects and not another form. */
const MOST = 0.9;

/** Finds the form of these times; undefined if they are not times or have no known form. */
export function findTimeForm(values: readonly (string | number)[]): TimeForm | undefined {
  if (values.length === 0) return undefined;
  const texts = values.map((value) => String(value).trim());
  return plainForm(texts) ?? patternForm(texts.slice(0, TRIED_MAX));
}

/** Recognizes forms that `auto` reads: ISO 8601 and epochs, also mixed. */
function plainForm(texts: readonly string[]): TimeForm | undefined {
  const found = texts.map((text) => iso.exec(text)).filter((match) => match !== null);
  const numbers = texts
    .filter((text) => /^-?\d+(?:\.\d+)?$/.test(text) && !compact.test(text))
    .map(Number);
  const epochs = epochUnits.map(({ name, start, end }) => ({
    name,
    count: numbers.filter((number) => number >= start && number < end).length,
  }));
  const plausible = sum(epochs, ({ count }) => count);
  if (found.length + plausible < texts.length * MOST) return undefined;
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
  const units = epochs.filter(({ count }) => count > 0).map(({ name }) => name);
  const words = [
    ...(found.length > 0 ? [dates] : []),
    ...(units.length > 0 ? [`epoch ${units.join(" or ")}`] : []),
  ];
  return { words: words.join(", or "), isLocal: local > 0 };
}

function patternForm(texts: readonly string[]): TimeForm | undefined {
  // Most fields are not times, and trying all patterns takes long.
  if (!texts.slice(0, 5).some((text) => /^[\w/.,:+ -]{6,40}$/.test(text) && /\d\d/.test(text))) {
    return undefined;
  }
  const utc = createZone("UTC");
  const fitting = patterns.flatMap((format) => {
    const parse = createPatternParser(format, utc);
    const times = texts.map(parse);
    const read = times.filter((time) => time !== undefined).length;
    return read < texts.length * MOST ? [] : [{ format, times, read }];
  });
  const [best] = fitting.sort((one, other) => other.read - one.read);
  if (best === undefined) return undefined;
  const other = fitting.find(
    ({ times, read }) =>
      read === best.read && times.some((time, index) => time !== best.times[index]),
  );
  return omitUndefined({
    words: `like ${best.format}`,
    format: best.format,
    otherFormat: other?.format,
    isLocal: !/z/i.test(best.format.replaceAll(/'[^']*'/g, "")),
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
function formatFor({ format }: TimeSource, form: TimeForm): string | undefined {
  const unit = unitWords[format];
  if (unit !== undefined && form.words.startsWith("epoch") && form.words !== unit) return "auto";
  return form.format !== undefined && format === "auto" ? form.format : undefined;
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
          `The times in ${field} are read as ${format}; ${otherFormat} would read them as well. ` +
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
