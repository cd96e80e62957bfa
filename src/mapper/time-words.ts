/** A time as text: milliseconds since 1970, of the wall clock if the text names no zone. */
interface TextTime {
  readonly timeMs: number;
  readonly isLocal: boolean;
}

const blanks = /[\t\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/g;
const invisible = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Replaces each blank of any script by a space, and removes marks that are not visible. */
export function plainBlanks(text: string): string {
  return /^[\x20-\x7e]*$/.test(text)
    ? text.trim()
    : text.replace(blanks, " ").replace(invisible, "").trim();
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const dayNames = "sun mon tue wed thu fri sat".split(" ");

/** Zones of RFC 2822 beside GMT, in hours. */
const usZones: Readonly<Record<string, number>> = {
  EDT: -4,
  EST: -5,
  CDT: -5,
  CST: -6,
  MDT: -6,
  MST: -7,
  PDT: -7,
  PST: -8,
};

const weekday = "(?<weekday>sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?";
const month =
  "(?<word>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const seconds = "(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?";
const clock = `(?<hour>\\d\\d?):(?<minute>\\d\\d)(?::${seconds})?(?: ?(?<half>[ap])\\.?m\\.?)?`;
const digitClock = `(?<hour>\\d\\d)(?<minute>\\d\\d)(?:${seconds})?`;
const offset = "[+-]\\d\\d(?::?\\d\\d)?";
// A name in brackets explains the offset before it.
const zone = `(?<zone>Z|(?:GMT|UTC?)(?:[+-]\\d\\d?(?::?\\d\\d)?)?|${offset})(?: ?\\([^()]*\\)|\\[[\\w/+-]+\\])?`;
const mailZone = `(?:${zone}|(?<us>[ECMP][SD]T))`;

const form = (...parts: readonly string[]) => new RegExp(`^${parts.join("")}$`, "i");

/** Times that begin with the digits of a year. */
const yearForms = [
  form("(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)", `(?:[T ]${clock}(?: ?${zone})?)?`),
  form("(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)[T ]", `${digitClock}(?: ?${zone})?`),
  form("(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)[T ]", `${clock}(?: ?${zone})?`),
  // Without a zone it could be an epoch.
  form("(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)", `${digitClock} ?${zone}`),
];

/** Times with the English name of a month, so that day and month cannot be mistaken. */
const nameForms = [
  form(
    `(?:${weekday},? )?(?<day>\\d\\d?)(?<mark>[ /-])${month}\\k<mark>(?<year>\\d{4})`,
    `(?:(?:[ :T]|, | at )${clock}(?: ?${mailZone})?)?`,
  ),
  form(
    `(?:${weekday},? )?${month}\\.? {1,2}(?<day>\\d\\d?),? (?<year>\\d{4})`,
    `(?:(?: |, | at )${clock}(?: ?${zone})?)?`,
  ),
  form(`${weekday} ${month} {1,2}(?<day>\\d\\d?) ${clock}(?: ${zone})? (?<year>\\d{4})`),
  // The weekday in full tells that this is RFC 850, which has two digits of the year.
  form(
    "(?=\\w{3,}day,)",
    `${weekday}, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${clock} ${mailZone}`,
  ),
];

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * Reads the times that the kernel does not: ISO 8601 with other blanks, AM or PM or a zone in words, its
 * basic form, and English dates such as `Date.toString()`, RFC 2822, HTTP and asctime write them.
 * Returns undefined for every other text, for a date that does not exist, and for a wrong weekday.
 */
export function parseTimeWords(text: string): TextTime | undefined {
  const plain = plainBlanks(text);
  for (const candidate of /^\d{4}/.test(plain) ? yearForms : nameForms) {
    const groups = candidate.exec(plain)?.groups;
    if (groups !== undefined) return timeOf(groups);
  }
  return undefined;
}

function timeOf(groups: Groups): TextTime | undefined {
  const dateMs = dateOf(groups);
  const clockMs = clockOf(groups);
  const zoneMs = zoneOf(groups);
  if (dateMs === undefined || clockMs === undefined || zoneMs === undefined) return undefined;
  const isLocal = groups["zone"] === undefined && groups["us"] === undefined;
  return { timeMs: dateMs + clockMs - zoneMs, isLocal };
}

function dateOf({ year = "", month: digits, word, day = "", weekday: name }: Groups) {
  const monthIndex =
    digits === undefined
      ? monthNames.indexOf((word ?? "").slice(0, 3).toLowerCase())
      : Number(digits) - 1;
  const date = new Date(0);
  date.setUTCFullYear(fullYear(year), monthIndex, Number(day));
  if (date.getUTCMonth() !== monthIndex || date.getUTCDate() !== Number(day)) return undefined;
  const isOther =
    name !== undefined && dayNames[date.getUTCDay()] !== name.slice(0, 3).toLowerCase();
  return isOther ? undefined : date.getTime();
}

function fullYear(year: string): number {
  if (year.length > 2) return Number(year);
  return Number(year) + (Number(year) < 70 ? 2000 : 1900);
}

function clockOf({ hour, minute, second = "0", fraction = "", half }: Groups) {
  if (hour === undefined) return 0;
  const [hours, minutes, wholeSeconds] = [Number(hour), Number(minute), Number(second)];
  if (minutes > 59 || wholeSeconds > 59) return undefined;
  const inHour =
    minutes * 60_000 + wholeSeconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"));
  if (half === undefined) {
    const isTime = hours < 24 || (hours === 24 && inHour === 0 && !/[1-9]/.test(fraction));
    return isTime ? hours * 3_600_000 + inHour : undefined;
  }
  if (hours < 1 || hours > 12) return undefined;
  return ((hours % 12) + (half.toLowerCase() === "p" ? 12 : 0)) * 3_600_000 + inHour;
}

/** Returns the offset in milliseconds, 0 without a zone; undefined if it is not valid. */
function zoneOf({ zone: written = "", us }: Groups): number | undefined {
  if (us !== undefined) return (usZones[us.toUpperCase()] ?? 0) * 3_600_000;
  const [, sign, hours = "0", minutes = "0"] = /([+-])(\d\d?):?(\d\d)?$/.exec(written) ?? [];
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? -size : size;
}
