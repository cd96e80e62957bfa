import { DAY_MS } from "../base/day.js";

/** The unit that the time kernel does not read. */
export const daysUnit = -1;

/** Units of epochs and their numbers in the time kernel. */
const epochUnits: ReadonlyMap<string, number> = new Map([
  ["auto", 0],
  ["s", 1],
  ["ms", 2],
  ["us", 3],
  ["ns", 4],
  ["100ns", 5],
  ["days", daysUnit],
]);

/** An epoch: the kernel's number of its unit, and its start in milliseconds since 1970 UTC. */
interface EpochFormat {
  readonly unit: number;
  readonly epochMs: number;
}

/** The formats with a unit alone, which count from 1970. */
const unixFormats: ReadonlySet<string> = new Set(["auto", "s", "ms", "us", "ns"]);

/** Returns the epoch that a format names; undefined for any other format, which is a Luxon pattern. */
export function epochOf(format: string): EpochFormat | undefined {
  const unit = epochUnits.get(format);
  if (unit !== undefined && unixFormats.has(format)) return { unit, epochMs: 0 };
  const [, name = "", day = ""] = /^(\w+) since (\d{4}-\d\d-\d\d)$/.exec(format) ?? [];
  const epochMs = Date.parse(`${day}T00:00:00Z`);
  const found = name === "auto" ? undefined : epochUnits.get(name);
  if (found === undefined || !isDay(day, epochMs)) return undefined;
  return { unit: found, epochMs };
}

/** Returns why a format such as `s since 2001-02-30` is not an epoch; undefined for formats of another kind. */
export function explainEpoch(format: string): string | undefined {
  const [, unit = "", day = ""] = /^([^']*) since (\S+)$/.exec(format) ?? [];
  if (day === "" || epochOf(format) !== undefined) return undefined;
  if (epochOf(`s since ${day}`) === undefined) return `${day} is not a day YYYY-MM-DD`;
  const units = [...epochUnits.keys()].filter((one) => one !== "auto");
  return `${unit} is not a unit that counts from a day; these are ${units.join(", ")}`;
}

/** Returns false for the days that `Date.parse` moves into the next month. */
function isDay(day: string, timeMs: number): boolean {
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(day);
}

/**
 * Creates a parser for days with a fraction, as spreadsheets count them. Their fractions are not exact, so
 * that the time is the nearest millisecond.
 */
export function createDaysParser(epochMs: number): (text: string) => number | undefined {
  return (text) =>
    /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i.test(text)
      ? epochMs + Math.round(Number(text) * DAY_MS)
      : undefined;
}

/** Names of formats in other tools, and ours. */
const formatWords: Readonly<Record<string, string>> = {
  second: "s",
  seconds: "s",
  sec: "s",
  unix: "s",
  epoch: "auto",
  millisecond: "ms",
  milliseconds: "ms",
  millis: "ms",
  unix_ms: "ms",
  epoch_ms: "ms",
  microsecond: "us",
  microseconds: "us",
  micros: "us",
  "\u00b5s": "us",
  "\u03bcs": "us",
  nanosecond: "ns",
  nanoseconds: "ns",
  nanos: "ns",
  ticks: "100ns since 0001-01-01",
  dotnet: "100ns since 0001-01-01",
  dotnet_ticks: "100ns since 0001-01-01",
  "dotnet-ticks": "100ns since 0001-01-01",
  ".net_ticks": "100ns since 0001-01-01",
  filetime: "100ns since 1601-01-01",
  windows: "100ns since 1601-01-01",
  ldap: "100ns since 1601-01-01",
  webkit: "us since 1601-01-01",
  chrome: "us since 1601-01-01",
  cocoa: "s since 2001-01-01",
  apple: "s since 2001-01-01",
  excel: "days since 1899-12-30",
  ntp: "s since 1900-01-01",
  days: "days since 1970-01-01",
  iso: "auto",
  iso8601: "auto",
  "iso-8601": "auto",
  rfc3339: "auto",
  rfc_3339: "auto",
};

/** Luxon's tokens for the letters of strftime. */
const strftimeTokens: Readonly<Record<string, string>> = {
  Y: "yyyy",
  m: "MM",
  d: "dd",
  H: "HH",
  I: "hh",
  M: "mm",
  S: "ss",
  f: "SSSSSS",
  L: "SSS",
  p: "a",
  b: "LLL",
  B: "LLLL",
  a: "EEE",
  A: "EEEE",
  z: "ZZZ",
  Z: "z",
  y: "yy",
  e: "d",
  F: "yyyy-MM-dd",
  T: "HH:mm:ss",
};

/** Returns the format that an invalid one most likely means; undefined if nothing is similar. */
export function suggestFormat(format: string): string | undefined {
  const word = formatWords[format.trim().toLowerCase().replaceAll(" ", "_")];
  if (word !== undefined) return word;
  if (/%[a-zA-Z]/.test(format)) {
    return format.replaceAll(/%([a-zA-Z])/g, (token, letter) => strftimeTokens[letter] ?? token);
  }
  if (!/Y{2,4}|D{1,2}/.test(format)) return undefined;
  return format.replaceAll("Y", "y").replaceAll("D", "d").replaceAll("A", "a");
}
