import { JUNK_ID, type KnownRow, type Vendor } from "./vendor-exports.js";

/** Figures of rows, counted without any code of src/. */
export interface KnownCounts {
  readonly read: number;
  readonly mapped: number;
  readonly rejected: number;
  readonly rejects: ReadonlyMap<string, number>;
  readonly duplicates: number;
  readonly hasInsertIDs: boolean;
  /** Events that are left without their duplicates. */
  readonly delivered: number;
  readonly deliveredByName: ReadonlyMap<string, number>;
  readonly deliveredByDay: ReadonlyMap<string, number>;
  /** By day and name, as `2026-03-02 name`. */
  readonly deliveredByDayAndName: ReadonlyMap<string, number>;
  readonly duplicatesByDay: ReadonlyMap<string, number>;
  readonly duplicatesByName: ReadonlyMap<string, number>;
  readonly mappedByName: ReadonlyMap<string, number>;
  readonly users: number;
  readonly withUser: number;
  readonly devices: number;
  readonly withDevice: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** `junkCounts`: whether ids that are nobody's count as users, as before a configuration names them. */
export function countKnown(rows: readonly KnownRow[], junkCounts: boolean): KnownCounts {
  const events = rows.filter(({ reject }) => reject === undefined);
  const userOf = ({ userID }: KnownRow) => (userID === JUNK_ID && !junkCounts ? null : userID);
  const seen = new Set<string>();
  const repeated: KnownRow[] = [];
  const kept: KnownRow[] = [];
  for (const event of events) {
    // Where the vendor has no insert id, a repeated row is one that is equal.
    const { insertID, name, timeMs, userID, stableID, index } = event;
    const key = JSON.stringify([dayOf(event), insertID ?? [name, timeMs, userID, stableID, index]]);
    (seen.has(key) ? repeated : kept).push(event);
    seen.add(key);
  }
  const times = kept.map(({ timeMs }) => timeMs);
  const idsOf = (id: (row: KnownRow) => string | null) =>
    events.map(id).filter((one) => one !== null);
  const users = idsOf(userOf);
  const devices = idsOf(({ stableID }) => stableID);
  return {
    read: rows.length,
    mapped: events.length,
    rejected: rows.length - events.length,
    rejects: tally(rows, ({ reject }) => reject),
    duplicates: repeated.length,
    hasInsertIDs: events.some(({ insertID }) => insertID !== undefined),
    delivered: kept.length,
    deliveredByName: tally(kept, ({ name }) => name),
    deliveredByDay: tally(kept, dayOf),
    deliveredByDayAndName: tally(kept, (row) => `${dayOf(row)} ${row.name}`),
    duplicatesByDay: tally(repeated, dayOf),
    duplicatesByName: tally(repeated, ({ name }) => name),
    mappedByName: tally(events, ({ name }) => name),
    users: new Set(users).size,
    withUser: users.length,
    devices: new Set(devices).size,
    withDevice: devices.length,
    firstMs: times.reduce((a, b) => Math.min(a, b)),
    lastMs: times.reduce((a, b) => Math.max(a, b)),
  };
}

export function dayOf({ timeMs }: KnownRow): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

function tally(
  rows: readonly KnownRow[],
  keyOf: (row: KnownRow) => string | undefined,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/**
 * Returns the figures of each line that has some, with the line's first word: counts, shares, sizes and days.
 * Times, rates, addresses and the texts of configuration are left out.
 */
export function figuresIn(text: string): readonly (readonly string[])[] {
  return text.split("\n").flatMap((line) => {
    const plain = line
      .replace(/→.*$/, "")
      .replaceAll(/\b[a-z]+:\/\/\S+/g, "")
      .replaceAll(/(?<=^|[\s(])\.{0,2}\/[^\s:]*/g, "")
      .replaceAll(/\bin\/\S+/g, "")
      .replaceAll(/"[^"]*"/g, "")
      .replaceAll(/\d[\d,.:]* ?(?:s|min|h|ms|rows\/s|events\/s|[kMG]?B\/s)\b/g, "");
    const figures = plain.match(/\d{4}-\d\d-\d\d|\d[\d,]*(?:\.\d+)?(?: ?%| [kMG]?B\b)?/g) ?? [];
    const [label = ""] = line.trim().split(/\s+/);
    return figures.length === 0 ? [] : [[label, ...figures]];
  });
}

/** `1,234`. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** `12.3 %`, `< 0.1 %`, `> 99.9 %`. */
export function share(part: number, whole: number): string {
  if (part > 0 && part * 1000 < whole) return "< 0.1 %";
  if (part < whole && (whole - part) * 1000 < whole) return "> 99.9 %";
  return `${((part / whole) * 100).toFixed(1)} %`;
}

/** `835 kB`, `3.71 MB`: three digits. */
export function size(bytes: number): string {
  if (bytes < 999.5) return `${bytes} B`;
  const [unit, divisor] =
    bytes < 999_500 ? ["kB", 1e3] : bytes < 999_500_000 ? ["MB", 1e6] : ["GB", 1e9];
  const value = bytes / Number(divisor);
  return `${value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2)} ${unit}`;
}

/** Numbers of a JSON value by their paths. */
export function numbersIn(value: unknown, path = ""): Readonly<Record<string, number>> {
  if (typeof value === "number") return { [path]: value };
  if (typeof value !== "object" || value === null) return {};
  const parts = Object.entries(value).map(([name, member]) =>
    numbersIn(member, path === "" ? name : `${path}.${name}`),
  );
  return Object.assign({}, ...parts) as Readonly<Record<string, number>>;
}

/** What makes rows repeat each other, where the vendor has no insert id. */
export function dedupeWords(vendor: Vendor): readonly string[] {
  const key = "by=event,timestamp,userID,stableID,metadata";
  return vendor === "ga4" ? ["--dedupe", key] : ["--dedupe"];
}
