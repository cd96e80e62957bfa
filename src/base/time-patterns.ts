/** Patterns of Luxon's tokens for usual times that `auto` does not read, in the order of preference. */
const timePatterns: readonly string[] = [
  "yyyy/MM/dd HH:mm:ss",
  "yyyy/MM/dd HH:mm:ss.SSS",
  "yyyy/MM/dd HH:mm",
  "yyyy/MM/dd",
  "yyyy.MM.dd HH:mm:ss",
  "yyyyMMddHHmmss",
  "yyyyMMdd",
  "MM/dd/yyyy HH:mm:ss",
  "dd/MM/yyyy HH:mm:ss",
  "dd.MM.yyyy HH:mm:ss",
  "dd.MM.yyyy HH:mm",
  "dd-MM-yyyy HH:mm:ss",
  "MM-dd-yyyy HH:mm:ss",
  "dd-MM-yyyy HH:mm",
  "MM-dd-yyyy HH:mm",
  "M/d/yyyy HH:mm",
  "d/M/yyyy HH:mm",
  ...["yyyy h:mm:ss a", "yyyy h:mm a", "yyyy, h:mm:ss a", "yyyy, h:mm a"].flatMap(inBothOrders),
  ...["yyyy, HH:mm:ss", "yyyy, HH:mm", "yyyy HH:mm:ss.SSS", "yyyy"].flatMap(inBothOrders),
  "dd.MM.yyyy, HH:mm:ss",
  "dd.MM.yyyy, HH:mm",
  "d.M.yyyy HH:mm:ss.SSS",
  "d.M.yyyy HH:mm:ss",
  "d.M.yyyy HH:mm",
  "d.M.yyyy, HH:mm:ss",
  "d.M.yyyy, HH:mm",
  "d.M.yyyy",
  ...["yyyy H:mm:ss", "yyyy H:mm", "yy H:mm:ss", "yy H:mm", "yy h:mm a"].flatMap(inBothOrders),
  "d.M.yyyy H:mm:ss",
  "d.M.yyyy H:mm",
  "d.M.yy H:mm:ss",
  "d.M.yy H:mm",
  "EEE LLL dd HH:mm:ss z yyyy",
  "yyyy-MM-dd HH:mm:ss z",
  "yyyy-M-d H:mm:ss",
  "yyyy-M-d H:mm",
  "yyyy'\u5e74'M'\u6708'd'\u65e5' H:mm:ss",
  "yyyy'\u5e74'M'\u6708'd'\u65e5' H:mm",
];

/** Most patterns that are proposed for one field. */
const PATTERNS_MAX = 4;

/** Patterns that read texts together. */
interface PatternCover {
  readonly formats: readonly string[];
  /** Texts that they read. */
  readonly read: number;
  /** A pattern that reads some of these texts as other times. */
  readonly other: string | undefined;
}

/** Returns the time of a text in milliseconds; undefined if it does not match. */
type Parse = (text: string) => number | undefined;

/** Finds patterns that read texts, the one that reads most of them first. */
export function coverTimes(
  texts: readonly string[],
  parserOf: (pattern: string) => Parse,
): PatternCover {
  const readings = timePatterns.flatMap((pattern) => {
    const times = texts.map(parserOf(pattern));
    return times.every((time) => time === undefined) ? [] : [{ pattern, times }];
  });
  const formats: string[] = [];
  let other: string | undefined;
  let rest = texts.map((_, index) => index);
  while (formats.length < PATTERNS_MAX) {
    const countOf = ({ times }: (typeof readings)[number]) =>
      rest.filter((index) => times[index] !== undefined).length;
    const [best] = readings.toSorted((one, next) => countOf(next) - countOf(one));
    if (best === undefined || countOf(best) === 0) break;
    const read = rest.filter((index) => best.times[index] !== undefined);
    // A pattern for fewer of the texts is not the one that was meant.
    other ??= readings.find(
      (one) =>
        read.every((index) => one.times[index] !== undefined) &&
        read.some((index) => one.times[index] !== best.times[index]),
    )?.pattern;
    formats.push(best.pattern);
    rest = rest.filter((index) => best.times[index] === undefined);
  }
  const isMixed = (one: string) => formats.includes(one) && one !== formats[0];
  const mixed = readings.find(
    ({ pattern, times }) =>
      isMixed(pattern) &&
      times.some((time, index) => {
        const first = readings.find((one) => one.pattern === formats[0])?.times[index];
        return time !== undefined && first !== undefined && time !== first;
      }),
  );
  return { formats, read: texts.length - rest.length, other: other ?? mixed?.pattern };
}

/** Returns the patterns for a rest of it with the month first and with the day first. */
function inBothOrders(rest: string): readonly string[] {
  return [`M/d/${rest}`, `d/M/${rest}`];
}
