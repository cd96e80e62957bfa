import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createZone } from "../../src/base/luxon-zone.js";
import { sizeAt, sizeOfClass } from "../../src/profile/sketches.js";
import type { SplitProperties } from "../../src/profile/split-profile.js";
import { valueTypes } from "../../src/profile/value-types.js";
import { type EventRow, eventRow } from "../sinks/event-rows.js";
import { propertyRuns } from "../support/property-runs.js";
import { foldOf, profileInKernel, profileOf } from "./kit/profile-rows.js";

const HOUR_MS = 3_600_000;

interface PlainKey {
  rows: number;
  types: number[];
  min: number;
  max: number;
  sum: number;
  numberMin: number;
  numberMax: number;
  values: Map<string, number>;
}

type Token = readonly [key: string, token: string];

/** Members of an object as JSON tokens: a repeated one has its first place and its last value. */
function membersOf(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const [key, token] of tokensOf(text)) members.set(key, token);
  return members;
}

/** The texts of these tests are made of tokens that this is told about. */
const known = new Map<string, readonly Token[]>();
function tokensOf(text: string): readonly Token[] {
  return (
    known.get(text) ??
    Object.entries(JSON.parse(text) as object).map(
      ([key, value]) => [key, JSON.stringify(value)] as const,
    )
  );
}

function objectText(tokens: readonly Token[], space = ""): string {
  const members = tokens.map(([key, token]) => `${JSON.stringify(key)}${space}:${space}${token}`);
  const text = `{${space}${members.join(`${space},${space}`)}${space}}`;
  known.set(text, tokens);
  return text;
}

function countPlainly(texts: readonly string[], left: readonly string[] = []) {
  const keys = new Map<string, PlainKey>();
  for (const text of texts) {
    for (const [key, token] of membersOf(text)) {
      if (left.includes(key)) continue;
      const plain = keys.get(key) ?? {
        rows: 0,
        types: valueTypes.map(() => 0),
        values: new Map<string, number>(),
        min: Number.POSITIVE_INFINITY,
        max: 0,
        sum: 0,
        numberMin: Number.POSITIVE_INFINITY,
        numberMax: Number.NEGATIVE_INFINITY,
      };
      keys.set(key, plain);
      countToken(plain, token);
    }
  }
  return keys;
}

function countToken(plain: PlainKey, token: string): void {
  const value: unknown = JSON.parse(token);
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  plain.rows++;
  plain.types[valueTypes.indexOf(type as (typeof valueTypes)[number])]!++;
  if (value === null) return;
  const bytes = Buffer.byteLength(token);
  plain.min = Math.min(plain.min, bytes);
  plain.max = Math.max(plain.max, bytes);
  plain.sum += bytes;
  plain.values.set(token, (plain.values.get(token) ?? 0) + 1);
  if (typeof value !== "number") return;
  plain.numberMin = Math.min(plain.numberMin, value);
  plain.numberMax = Math.max(plain.numberMax, value);
}

function expectProperties(found: SplitProperties | undefined, keys: Map<string, PlainKey>): void {
  expect(found?.keys.map(({ key, rows, types }) => ({ key, rows, types }))).toEqual(
    [...keys].map(([key, { rows, types }]) => ({ key, rows, types })),
  );
  expect(found?.otherValues).toBe(0);
  for (const { key, bytes, numbers, values } of found?.keys ?? []) {
    const plain = keys.get(key) as PlainKey;
    const { min, max, sum, numberMin, numberMax } = plain;
    expect(bytes).toEqual(sum === 0 ? null : { min, max, sum });
    expect(numbers === null).toBe(numberMin > numberMax);
    expect(closeTo(numbers?.min ?? 0, numbers === null ? 0 : numberMin)).toBe(true);
    expect(closeTo(numbers?.max ?? 0, numbers === null ? 0 : numberMax)).toBe(true);
    expect(values.taken).toBe(0);
    expect(values.entries.map(({ rows, length }) => [rows, length])).toEqual(
      [...plain.values].map(([token, rows]) => [rows, Buffer.byteLength(token)]),
    );
    const whole = values.entries.filter(({ length }) => length <= 64).map(({ text }) => text);
    const tokens = [...plain.values.keys()].filter((token) => Buffer.byteLength(token) <= 64);
    expect(whole).toEqual(tokens);
  }
}

function closeTo(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.abs(other) * 1e-12;
}

const key = fc.oneof(
  fc.constantFrom("", "a", "b", "plan", "price", "__proto__", "constructor", 'quo"te', "back\\sl"),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const token = fc.oneof(
  fc.constantFrom(
    "null",
    "true",
    "false",
    "0",
    "-0",
    "12.50",
    "1e3",
    "-1E-7",
    "123456789012345678901234567890",
  ),
  fc.constantFrom(
    '""',
    '"free"',
    '"\\u00e9"',
    "[]",
    "{}",
    '[1,{"a":"}"}]',
    '{"b":[",","\\""]}',
    "1e999",
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.string({ unit: "binary", maxLength: 100 }).map((text) => JSON.stringify(text)),
);
const object = fc
  .tuple(fc.array(fc.tuple(key, token), { maxLength: 8 }), fc.constantFrom("", " ", "\n\t "))
  .map(([tokens, space]) => objectText(tokens, space));
const event = fc.constantFrom("a", "b", "page view", 'say "hi"', "\u0000\n", "é☕");
const row = fc
  .record({
    event,
    metadata: object,
    user: object,
    timestamp: fc.integer({ min: -HOUR_MS * 50, max: HOUR_MS * 50 }),
    userID: fc.option(fc.constantFrom("u1", "u2", "0", "null", "é")),
    stableID: fc.option(fc.constantFrom("d1", "d2", "-1", "undefined")),
    value: fc.option(fc.constantFrom("1.5", '"v"')),
    outcome: fc.constantFrom(0, 0, 0, 0, 13, 15, 254),
  })
  .map(eventRow);

describe("a profile", () => {
  it("describes properties as plain counting does", () => {
    fc.assert(
      fc.property(fc.array(fc.array(row, { maxLength: 30 }), { maxLength: 3 }), (batches) => {
        const profile = profileInKernel(batches);
        const rows = batches.flat().filter(({ outcome }) => outcome === 0);
        const names = [...new Set(rows.map((one) => one.event))];
        expect(profile.events.names.map((one) => one.event)).toEqual(names);
        for (const [index, name] of names.entries()) {
          const texts = rows.filter((one) => one.event === name).map((one) => one.metadata);
          const ids = rows.filter((one) => one.event === name).map((one) => one.userID);
          const users = foldOf(profile).names.get(name)?.users?.estimate().count;
          // Devices are not users.
          expect(users).toBe(new Set(ids.filter((id) => id !== null)).size);
          const { properties } = profile.names[index] ?? {};
          expect(properties?.rows).toBe(texts.length);
          expectProperties(properties, countPlainly(texts));
        }
        const users = rows.map((one) => one.user);
        expect(profile.userProperties.rows).toBe(users.length);
        expectProperties(profile.userProperties, countPlainly(users, ["userID", "stableID"]));
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it.each(["UTC", "America/New_York", "+05:30"])(
    "counts ids, hours, days and sizes in %s",
    (name) => {
      const zone = createZone(name);
      fc.assert(
        fc.property(fc.array(fc.array(row, { maxLength: 30 }), { maxLength: 3 }), (batches) => {
          const profile = profileInKernel(batches, profileOf(zone));
          const all = batches.flat();
          const rows = all.filter(({ outcome }) => outcome === 0);
          const local = ({ timestamp }: EventRow) => timestamp + zone.offsetMs(timestamp);
          const hourOf = (one: EventRow) => Math.floor(local(one) / HOUR_MS);
          const dayOf = (one: EventRow) => Math.floor(local(one) / HOUR_MS / 24);
          expect(profile.hours).toEqual(countBy(rows, hourOf));
          const rejected = all.filter(({ outcome }) => outcome === 15);
          expect(profile.rejectedDays).toEqual(countBy(rejected, dayOf));
          const noUser = rows.filter(({ userID }) => userID === null);
          const emptyUserIDs = profile.emptyTargets.filter(([, bits]) => (bits & 1) !== 0);
          expect(emptyUserIDs.reduce((sum, [, , count]) => sum + count, 0)).toBe(noUser.length);
          expect(new Set(emptyUserIDs.map(([day]) => day))).toEqual(new Set(noUser.map(dayOf)));
          const lengths = rows.map(lengthOf);
          expect(profile.figures).toEqual({
            both: rows.filter((one) => one.userID !== null && one.stableID !== null).length,
            userOnly: rows.filter((one) => one.userID !== null && one.stableID === null).length,
            deviceOnly: rows.filter((one) => one.userID === null && one.stableID !== null).length,
            none: rows.filter((one) => one.userID === null && one.stableID === null).length,
            same: 0,
            devicePrefixes: 0,
            generatedAlone: 0,
            generatedBeside: 0,
            emailUsers: 0,
            emailDevices: 0,
            // The times are of 1969 and 1970.
            future: 0,
            suspicious: rows.length,
            midnight: rows.filter((one) => local(one) % (24 * HOUR_MS) === 0).length,
            bytes: lengths.reduce((sum, length) => sum + length, 0),
            withInsertID: 0,
          });
          const largest = lengths.sort((a, b) => b - a).slice(0, 10);
          expect(profile.largest.map(({ bytes }) => bytes)).toEqual(largest);
          const junk = ["0", "null"].map((id) => rows.filter((one) => one.userID === id).length);
          const counted = ["0", "null"].map(
            (id) =>
              profile.junkIDs.find(({ field, value }) => field === "userID" && value === id)
                ?.rows ?? 0,
          );
          expect(counted).toEqual(junk);
          const { users } = foldOf(profile).ids.top(10);
          expect(new Map(users.byRows.map(({ id, rows: count }) => [id, count]))).toEqual(
            new Map(countTexts(rows.flatMap(({ userID }) => userID ?? []))),
          );
        }),
        { numRuns: propertyRuns(60) },
      );
    },
  );
});

function countBy(
  rows: readonly EventRow[],
  keyOf: (row: EventRow) => number,
): readonly (readonly [number, number])[] {
  const counts = new Map<number, number>();
  for (const one of rows) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one - other);
}

function countTexts(texts: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts];
}

/** Bytes of the event as a line of JSON without its end. */
function lengthOf({ event, timestamp, user, metadata, value }: EventRow): number {
  const name = JSON.stringify(event);
  const end = value === null ? "" : `,"value":${value}`;
  return Buffer.byteLength(
    `{"event":${name},"timestamp":${timestamp},"user":${user},"metadata":${metadata}${end}}`,
  );
}

describe("sizes", () => {
  it("are exact to within 0.8 percent", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (bytes) => {
        const exponent = Math.floor(Math.log2(bytes));
        const sizeClass = exponent * 64 + Math.floor((bytes / 2 ** exponent - 1) * 64);
        expect(Math.abs(sizeOfClass(sizeClass) - bytes) / bytes).toBeLessThanOrEqual(0.008);
      }),
    );
  });

  it("are counted by class, so that percentiles can be read", () => {
    const rows = Array.from({ length: 1_000 }, (_, index) =>
      eventRow({ metadata: JSON.stringify({ text: "x".repeat(index * 3) }) }),
    );
    const counts = new Map(profileInKernel([rows]).sizes);
    const lengths = rows.map(lengthOf).sort((a, b) => a - b);
    for (const share of [0.01, 0.5, 0.95, 0.99, 1]) {
      const exact = lengths[Math.ceil(share * 1_000) - 1] as number;
      expect(Math.abs(sizeAt(share, counts) - exact) / exact).toBeLessThanOrEqual(0.008);
    }
    expect(sizeAt(0.5, new Map())).toBe(0);
  });
});
