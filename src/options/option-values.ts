import { GIB, KIB, MIB } from "../base/limits.js";
import { MIXED_ENCODING } from "../sources/source.js";
import { isObjectUrl } from "../store/object-url.js";
import type { JsonValue } from "./json-value.js";
import type { MaxRejects } from "./options.js";

const sizeUnits: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: KIB,
  mib: MIB,
  gib: GIB,
  tib: 1024 * GIB,
};

/**
 * Parses `512MB` (powers of ten) or `2GiB` (powers of two) to bytes, in any case and with or without a
 * space; undefined if the text is not a size of at least one byte.
 */
export function parseSize(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)\s*$/i.exec(text);
  const unit = sizeUnits[(match?.[2] ?? "?").toLowerCase()];
  if (match === null || unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Returns bytes as a size that `parseSize` accepts, in the largest unit that divides them: `64MiB`. */
export function sizeText(bytes: number): string {
  const unit = (["TiB", "TB", "GiB", "GB", "MiB", "MB", "KiB", "KB"] as const).find(
    (name) => bytes % (sizeUnits[name.toLowerCase()] ?? 1) === 0,
  );
  return unit === undefined
    ? String(bytes)
    : `${bytes / (sizeUnits[unit.toLowerCase()] ?? 1)}${unit}`;
}

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Parses an ISO date or date-time (UTC if it has no offset) or whole milliseconds to milliseconds since
 * 1970 UTC; undefined for anything else, also for dates that do not exist.
 */
export function parseTime(text: string): number | undefined {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  const match = timePattern.exec(text.trim());
  if (match === null) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  const offset = parseOffset(match[8] ?? "Z");
  if (!exists || hour > 23 || minute > 59 || second > 59 || offset === undefined) return undefined;
  const milliseconds = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  return date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
}

/** Earlier events are wrong if `timeLimits` has no start. */
export const LEAST_TIME = "1971-01-01";

/** Times outside of which events are wrong, in milliseconds since 1970 UTC. */
export interface TimeLimits {
  readonly minTimeMs: number;
  /** Exclusive; absent if the text has no end. */
  readonly maxTimeMs?: number;
}

/** Parses `2015-01-01..2027-01-01`, of which one time may be missing; undefined for anything else. */
export function parseTimeLimits(text: string): TimeLimits | undefined {
  const [start = "", end, ...more] = text.split("..").map((one) => one.trim());
  if (end === undefined || more.length > 0 || start + end === "") return undefined;
  const minTimeMs = parseTime(start === "" ? LEAST_TIME : start);
  if (minTimeMs === undefined || end === "")
    return minTimeMs === undefined ? undefined : { minTimeMs };
  const maxTimeMs = parseTime(end);
  return maxTimeMs === undefined ? undefined : { minTimeMs, maxTimeMs };
}

/** Beyond these limits, a day can be outside of the years 0 to 9999 in some zone, and has no name. */
export const YEARS = "0000-01-02..9999-12-31";

export function hasDays({ minTimeMs, maxTimeMs = 0 }: TimeLimits = { minTimeMs: 0 }): boolean {
  const [first, last] = YEARS.split("..").map((day) => Date.parse(day)) as [number, number];
  return minTimeMs >= first && maxTimeMs <= last;
}

/** Returns minutes east of UTC. */
function parseOffset(text: string): number | undefined {
  if (text.toUpperCase() === "Z") return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(-2));
  if (hours > 18 || minutes > 59) return undefined;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** Parses `100` rows or `1%` of all rows; undefined for anything else. */
export function parseRejectLimit(text: string): MaxRejects | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text);
  if (match === null) return undefined;
  const number = Number(match[1]);
  if (match[2] === "%") return number <= 100 ? { share: number / 100 } : undefined;
  return Number.isSafeInteger(number) ? { rows: number } : undefined;
}

/** Parses `1%` or `0.01` to a share above 0 and at most 1; undefined for anything else. */
export function parseShare(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(text);
  if (match === null) return undefined;
  const share = match[2] === "%" ? Number(match[1]) / 100 : Number(match[1]);
  return share > 0 && share <= 1 ? share : undefined;
}

/** Parses `true`, `yes`, `on`, `1` and their opposites; undefined for anything else. */
export function parseSwitch(text: string): boolean | undefined {
  return switchWords[text.toLowerCase()];
}

const switchWords: Readonly<Record<string, boolean>> = {
  true: true,
  "1": true,
  yes: true,
  on: true,
  false: false,
  "0": false,
  no: false,
  off: false,
};

/**
 * Parses one ASCII character, as such or by name: `tab`, `comma`, `quote`; `none` is empty. Undefined
 * for anything else, and for line ends.
 */
export function parseCharacter(text: string): string | undefined {
  const named = characterNames[text.toLowerCase()];
  if (named !== undefined) return named;
  const allowed = text.length <= 1 && text < "\u0080" && text !== "\n" && text !== "\r";
  return allowed ? text : undefined;
}

/** Parses what is between CSV cells; undefined if it cannot be. */
export function parseDelimiter(text: string): string | undefined {
  const found = parseCharacter(text) ?? (/^[^"'\r\n]{1,16}$/.test(text) ? text : undefined);
  return found === "" ? undefined : found;
}

/** Returns the name that TextDecoder has for an encoding, or `mixed`. */
export function parseEncoding(name: string): string | undefined {
  if (name.toLowerCase() === MIXED_ENCODING) return MIXED_ENCODING;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

const characterNames: Readonly<Record<string, string>> = {
  none: "",
  tab: "\t",
  "\\t": "\t",
  comma: ",",
  semicolon: ";",
  pipe: "|",
  space: " ",
  quote: '"',
  apostrophe: "'",
  backslash: "\\",
};

/** Parses `2/20`, or `/20` without a number, or `finish`; undefined if it is none of them. */
export function parseShard(
  text: string,
): "finish" | { readonly index: number | undefined; readonly count: number } | undefined {
  if (text === "finish") return text;
  const [, index = "", count = ""] = /^(\d{0,5})\/(\d{1,5})$/.exec(text) ?? [];
  if (Number(index) >= Number(count)) return undefined;
  return { index: index === "" ? undefined : Number(index), count: Number(count) };
}

/** Highest rate per second. */
export const EVENTS_MAX = 10_000_000;

/** Parses `500` or `500,burst=2000`; undefined for anything else. Without a burst it is the rate. */
export function parseRate(
  text: string,
): { readonly rate: number; readonly burst: number } | undefined {
  const [, digits, more = digits] = /^(\d{1,8})(?:, *burst=(\d{1,8}))?$/.exec(text.trim()) ?? [];
  const [rate, burst] = [Number(digits), Number(more)];
  const isValid = [rate, burst].every((events) => events >= 1 && events <= EVENTS_MAX);
  return isValid ? { rate, burst } : undefined;
}

export const PORT_MAX = 65_535;

/** Parses `9464`, `0.0.0.0:9464` or `[::1]:9464`; undefined for anything else. */
export function parseAddress(
  text: string,
): { readonly host: string; readonly port: number } | undefined {
  const [, literal, name, digits] =
    /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > PORT_MAX) return undefined;
  return { host: literal ?? name ?? "127.0.0.1", port };
}

/** Parses an http or https URL; undefined for any other text. */
export function parseWebhook(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined;
}

/** Returns the scheme of an address with at least two letters: one letter is a drive. */
export function schemeOf(text: string): string | undefined {
  return /^[a-z][a-z\d+.-]+(?=:\/\/)/i.exec(text)?.[0].toLowerCase();
}

/** Schemes that other tools use for the same stores. */
const otherSchemes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["s3a", "s3n"].map((scheme) => [scheme, "s3://bucket/key"])),
  ...Object.fromEntries(["gcs", "gfs"].map((scheme) => [scheme, "gs://bucket/key"])),
  ...Object.fromEntries(
    ["azure", "abfs", "abfss", "wasb", "wasbs"].map((scheme) => [scheme, "az://container/key"]),
  ),
};

/** Returns the message for a path that has the scheme of an address. */
export function refuseScheme(text: string): string {
  const scheme = schemeOf(text) ?? "";
  const advice = scheme.startsWith("http")
    ? "; `send` takes the address of a service"
    : isObjectUrl(text)
      ? "; only inputs and the output of an export can be objects"
      : "";
  const store = otherSchemes[scheme];
  if (store !== undefined) return `${scheme}:// is not supported: write ${store}`;
  // The address is not repeated, because it may hold a secret.
  return `${scheme}:// is not supported: name files and directories of this machine${advice}`;
}

/** Returns true for scheme, host and port of pages, as browsers send them, and for `*`. */
export function isOrigin(text: string): boolean {
  return text === "*" || (URL.canParse(text) && new URL(text).origin === text);
}

/** Headers, in lower case, that mean something else to the service or to HTTP. */
export const takenHeaders: ReadonlySet<string> = new Set(
  `connection content-encoding content-length content-type date expect host idempotency-key
  if-match transfer-encoding upgrade x-request-id`.split(/\s+/),
);

/** Accepts no user or password: the URL is printed and recorded. */
export function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  const isHttp = protocol === "http:" || protocol === "https:";
  return isHttp && username + password + search + hash === "";
}

/** Parses the text of an environment variable: a JSON array, or words separated by commas. */
export function listFromText(text: string): JsonValue {
  if (text.trimStart().startsWith("[")) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      return text;
    }
  }
  return text.split(",").map((word) => word.trim());
}
