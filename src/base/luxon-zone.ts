import type { IANAZone } from "luxon";
import { HOUR_MS } from "./day.js";
import { UsageError } from "./errors.js";
import { loadLuxon } from "./luxon.js";
import type { Zone } from "./zone.js";
import { suggestZone } from "./zone-suggestion.js";

const MINUTE_MS = 60_000;

/** Maximum of cached hourly offsets: more than a century of sorted data, at most 8 MiB. */
const HOURS_MAX = 1_000_000;

/** Upper bound of the difference between local time and UTC, in any zone at any time. */
const OFFSET_MAX_MS = 26 * HOUR_MS;

/**
 * Abbreviations that Node accepts as zones although they are not IANA names. Some of them mean a
 * zone that few users expect (`BST` is Dhaka).
 */
const ambiguous =
  /^(?:act|aet|agt|art|ast|bet|bst|cat|cnt|cst|ctt|eat|ect|iet|ist|jst|mit|net|nst|plt|pnt|prt|pst|sst|vst)$/i;

const fixedOffset = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?([0-5]\d))?$/i;

/**
 * Returns a zone by its IANA name (`America/New_York`), as `UTC`, or by a fixed offset (`+05:30`,
 * `-0800`, `UTC+2`). Throws `UsageError` for anything else. That includes the zone of the machine
 * (`local`), because results must not depend on the machine.
 */
export function createZone(name: string): Zone {
  const zone = findZone(name);
  if (zone === undefined) {
    throw new UsageError("zone_unknown", `Unknown time zone: ${refuseZone(name)}.`);
  }
  return zone;
}

/** Returns true for the names that `createZone` accepts. */
export function isZone(name: string): boolean {
  return findZone(name) !== undefined;
}

function findZone(name: string): Zone | undefined {
  if (/^(?:utc|gmt|z)$/i.test(name)) return new FixedZone(name, 0);
  const [, sign, hours, minutes = "0"] = fixedOffset.exec(name) ?? [];
  if (sign !== undefined && Number(hours) < 24) {
    const size = Number(hours) * 60 + Number(minutes);
    return new FixedZone(name, sign === "-" ? -size : size);
  }
  if (/^[a-z]/i.test(name) && !ambiguous.test(name) && loadLuxon().IANAZone.isValidZone(name)) {
    return new NamedZone(name);
  }
  return undefined;
}

/** Returns a clause: the zone is unknown, and which one may be meant. */
export function refuseZone(name: string): string {
  const near = suggestZone(name);
  const advice =
    near === undefined
      ? ': give a name such as "Europe/Berlin", "UTC", or an offset such as "+05:30"'
      : `; did you mean ${JSON.stringify(near)}?`;
  return `${JSON.stringify(name)} is not an IANA zone${advice}`;
}

class FixedZone implements Zone {
  readonly fixedOffsetMs: number;

  constructor(
    readonly name: string,
    offsetMinutes: number,
  ) {
    this.fixedOffsetMs = offsetMinutes * MINUTE_MS;
  }

  offsetMs(): number {
    return this.fixedOffsetMs;
  }

  utcMs(localMs: number): number {
    return localMs - this.fixedOffsetMs;
  }
}

/**
 * Caches offsets by hour, because Luxon needs microseconds for each. If the offset is the same at
 * both ends of an hour, it is the same throughout that hour.
 */
class NamedZone implements Zone {
  readonly fixedOffsetMs = undefined;
  readonly #zone: IANAZone;
  /** Offset in ms by hour since 1970; NaN for an hour in which the offset changes. */
  readonly #offsets = new Map<number, number>();
  #lastHour = Number.NaN;
  #lastOffset = 0;

  constructor(readonly name: string) {
    this.#zone = loadLuxon().IANAZone.create(name);
  }

  offsetMs(utcMs: number): number {
    const hour = Math.floor(utcMs / HOUR_MS);
    if (hour === this.#lastHour) return this.#lastOffset;
    let offset = this.#offsets.get(hour);
    if (offset === undefined) {
      const first = this.#ask(hour * HOUR_MS);
      offset = first === this.#ask((hour + 1) * HOUR_MS) ? first : Number.NaN;
      if (this.#offsets.size >= HOURS_MAX) this.#offsets.clear();
      this.#offsets.set(hour, offset);
    }
    if (Number.isNaN(offset)) return this.#ask(utcMs);
    this.#lastHour = hour;
    this.#lastOffset = offset;
    return offset;
  }

  utcMs(localMs: number): number {
    const offset = this.offsetMs(localMs - this.#lastOffset);
    const utcMs = localMs - offset;
    const earlier = this.offsetMs(utcMs - OFFSET_MAX_MS);
    // Far from any change of the offset (the usual case) the guess is right.
    if (offset === earlier && offset === this.offsetMs(utcMs + OFFSET_MAX_MS)) return utcMs;
    return this.#nearChange(localMs, earlier, this.offsetMs(utcMs + OFFSET_MAX_MS));
  }

  /** `before` and `after` are the offsets on either side of the change. */
  #nearChange(localMs: number, before: number, after: number): number {
    // The larger offset gives the earlier time, which is the first of two in an overlap.
    const first = localMs - Math.max(before, after);
    if (this.offsetMs(first) === localMs - first) return first;
    const second = localMs - Math.min(before, after);
    if (this.offsetMs(second) === localMs - second) return second;
    // A time in a gap counts as if the clock had not been changed yet.
    return localMs - before;
  }

  #ask(utcMs: number): number {
    return Math.round(this.#zone.offset(utcMs) * MINUTE_MS);
  }
}
