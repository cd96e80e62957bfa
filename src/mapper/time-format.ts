/** Formats of the time kernel and their numbers there; any other format is a Luxon pattern. */
const epochUnits: ReadonlyMap<string, number> = new Map([
  ["auto", 0],
  ["s", 1],
  ["ms", 2],
  ["us", 3],
  ["ns", 4],
]);

export function isEpochFormat(format: string): boolean {
  return epochUnits.has(format);
}

/** Returns the kernel's number of a format. Throws unless `isEpochFormat` is true for it. */
export function epochUnit(format: string): number {
  const unit = epochUnits.get(format);
  if (unit === undefined) throw new Error(`${format} is not a format of the time kernel`);
  return unit;
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
