import fc from "fast-check";
import { DateTime, IANAZone } from "luxon";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/base/errors.js";
import { createZone } from "../../src/base/luxon-zone.js";
import { propertyRuns } from "../support/property-runs.js";

const names = [
  "America/New_York",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Africa/Casablanca",
  "America/St_Johns",
  "America/Sao_Paulo",
  "UTC",
];
const instants = fc.integer({
  min: Date.UTC(1971, 0, 1),
  max: Date.UTC(2037, 11, 31),
});
const hour = 3_600_000;

/** Returns every time whose wall clock in the zone shows `localMs`, by trying all quarter hours. */
function moments(name: string, localMs: number): number[] {
  const zone = IANAZone.create(name);
  const found: number[] = [];
  for (let quarter = -14 * 4; quarter <= 14 * 4; quarter++) {
    const utcMs = localMs - (quarter * hour) / 4;
    if (zone.offset(utcMs) === quarter * 15) found.push(utcMs);
  }
  return found.sort((a, b) => a - b);
}

describe("a named zone", () => {
  it("returns Luxon's offset at any time", () => {
    const zones = new Map(names.map((name) => [name, createZone(name)]));
    fc.assert(
      fc.property(fc.constantFrom(...names), instants, (name, utcMs) => {
        const expected = DateTime.fromMillis(utcMs, { zone: name }).offset * 60_000;
        expect(zones.get(name)?.offsetMs(utcMs)).toBe(expected);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it("converts any wall-clock time to UTC, to the first time if there are two", () => {
    const zones = new Map(names.map((name) => [name, createZone(name)]));
    fc.assert(
      fc.property(fc.constantFrom(...names), instants, (name, localMs) => {
        const [first] = moments(name, localMs);
        if (first !== undefined) expect(zones.get(name)?.utcMs(localMs)).toBe(first);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it.each([
    ["gap", "America/New_York", "2023-03-12T02:30:00", "2023-03-12T07:30:00Z"],
    ["gap at midnight", "America/Sao_Paulo", "2018-11-04T00:30:00", "2018-11-04T03:30:00Z"],
    ["skipped day", "Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T22:00:00Z"],
    ["half-hour gap", "Australia/Lord_Howe", "2023-10-01T02:10:00", "2023-09-30T15:40:00Z"],
    ["overlap", "America/New_York", "2023-11-05T01:30:00", "2023-11-05T05:30:00Z"],
    ["overlap", "Europe/Berlin", "2023-10-29T02:30:00", "2023-10-29T00:30:00Z"],
    ["second before a gap", "Europe/Berlin", "2023-03-26T01:59:59", "2023-03-26T00:59:59Z"],
    ["first second after a gap", "Europe/Berlin", "2023-03-26T03:00:00", "2023-03-26T01:00:00Z"],
    ["last second of an overlap", "Europe/Berlin", "2023-10-29T02:59:59", "2023-10-29T00:59:59Z"],
    ["first second after an overlap", "Europe/Berlin", "2023-10-29T03:00:00", "2023-10-29T02:00Z"],
  ])("resolves a %s in %s", (_case, name, local, utc) => {
    const zone = createZone(name);
    expect(new Date(zone.utcMs(Date.parse(`${local}Z`))).toISOString()).toBe(
      new Date(utc).toISOString(),
    );
  });

  it("agrees with Luxon inside gaps", () => {
    const zone = createZone("Europe/Berlin");
    for (let minute = 0; minute < 60; minute += 7) {
      const local = { year: 2023, month: 3, day: 26, hour: 2, minute };
      const expected = DateTime.fromObject(local, { zone: "Europe/Berlin" }).toMillis();
      expect(zone.utcMs(Date.UTC(2023, 2, 26, 2, minute))).toBe(expected);
    }
  });

  it("answers the same in any order of questions", () => {
    const overlap = Date.UTC(2023, 9, 29, 2, 30);
    const winter = createZone("Europe/Berlin");
    const summer = createZone("Europe/Berlin");
    winter.utcMs(Date.UTC(2023, 0, 1));
    summer.utcMs(Date.UTC(2023, 6, 1));
    expect(winter.utcMs(overlap)).toBe(summer.utcMs(overlap));
  });
});

describe("createZone", () => {
  it.each([
    ["UTC", 0],
    ["utc", 0],
    ["Z", 0],
    ["+05:30", 330],
    ["-0800", -480],
    ["+05", 300],
    ["UTC+2", 120],
    ["GMT-3:30", -210],
  ])("takes %s as a fixed offset", (name, minutes) => {
    const zone = createZone(name);
    expect(zone.name).toBe(name);
    expect(zone.offsetMs(0)).toBe(minutes * 60_000);
    expect(zone.utcMs(0) + minutes * 60_000).toBe(0);
  });

  it.each(["local", "system", "", "Mars/Olympus", "+25:00", "+5:99", "5"])(
    "refuses %j and names what it accepts",
    (name) => {
      expect(() => createZone(name)).toThrow(UsageError);
      expect(() => createZone(name)).toThrow(/^Unknown time zone: .* such as "Europe\/Berlin"/);
    },
  );

  it.each([
    ["PST8", "America/Los_Angeles"],
    ["PDT", "America/Los_Angeles"],
    ["pst", "America/Los_Angeles"],
    ["EDT", "America/New_York"],
    ["CEST", "Europe/Berlin"],
    // Node reads these as Dhaka and Kolkata.
    ["BST", "Europe/London"],
    ["IST", "Asia/Kolkata"],
    ["Berlin", "Europe/Berlin"],
    ["new york", "America/New_York"],
    ["Europe/Berln", "Europe/Berlin"],
    ["America/New York", "America/New_York"],
    ["W. Europe Standard Time", "Europe/Berlin"],
  ])("refuses %j and asks whether %s is meant", (name, meant) => {
    expect(() => createZone(name)).toThrow(
      `Unknown time zone: ${JSON.stringify(name)} is not an IANA zone; did you mean "${meant}"?`,
    );
    expect(createZone(meant).name).toBe(meant);
  });

  it.each(["EST5EDT", "CET", "EST", "US/Pacific", "europe/berlin", "Etc/GMT+2"])(
    "accepts the IANA name %s",
    (name) => {
      expect(createZone(name).name).toBe(name);
    },
  );
});
