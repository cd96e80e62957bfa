import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrequentFold, Registers } from "../../src/profile/sketches.js";
import type { SplitFrequent, SplitProfile } from "../../src/profile/split-profile.js";
import { eventRow } from "../sinks/event-rows.js";
import { propertyRuns } from "../support/property-runs.js";
import { profileInKernel } from "./kit/profile-rows.js";

/** Values of a property `p` over rows, and a user for each row. */
function profileValues(values: readonly unknown[]): SplitProfile {
  const rows = values.map((value) =>
    eventRow({ metadata: JSON.stringify({ p: value }), userID: `user ${value}` }),
  );
  return profileInKernel([rows]);
}

function valuesOf(profile: SplitProfile): SplitFrequent {
  const values = profile.names[0]?.properties?.keys[0]?.values;
  if (values === undefined) throw new Error("the property is not there");
  return values;
}

function foldValues(...profiles: readonly SplitProfile[]): FrequentFold {
  const fold = new FrequentFold(64);
  for (const profile of profiles) fold.add(valuesOf(profile));
  return fold;
}

describe("registers", () => {
  it.each([1, 10, 1_000, 30_000])(
    "estimate %i distinct ids within four standard errors",
    (count) => {
      const profile = profileValues(Array.from({ length: count }, (_, index) => index));
      const found = new Registers(2 ** 14, profile.users).estimate();
      expect(found.error).toBeCloseTo(1.04 / 128, 6);
      expect(Math.abs(found.count - count)).toBeLessThanOrEqual(4 * found.error * count);
    },
  );

  it("estimate 0 if there are no ids", () => {
    expect(new Registers(2 ** 14).estimate()).toEqual({ count: 0, error: 0 });
  });

  it("count a repeated id once, in any split and any order", () => {
    const ids = Array.from({ length: 9_000 }, (_, index) => index % 6_000);
    const parts = [ids.slice(0, 3_000), ids.slice(3_000, 6_500), ids.slice(6_500)];
    const whole = new Registers(2 ** 14, profileValues(ids).users).estimate();
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 2, 0],
    ]) {
      const merged = new Registers(2 ** 14);
      for (const place of order) merged.merge(profileValues(parts[place] ?? []).users);
      expect(merged.estimate()).toEqual(whole);
    }
  });

  it("count a value once that one split has exactly and another only in registers", () => {
    const values = Array.from({ length: 60 }, (_, index) => `value ${index}`);
    const many = Array.from({ length: 5_000 }, (_, index) => `value ${index}`);
    // The exact values of one split are among those of another, which only has registers for them.
    const alone = foldValues(profileValues(many)).distinct();
    expect(foldValues(profileValues(values), profileValues(many)).distinct()).toEqual(alone);
    expect(foldValues(profileValues(many), profileValues(values)).distinct()).toEqual(alone);
  });
});

describe("the most frequent values", () => {
  it("are exact up to 64 of them over all splits", () => {
    const values = Array.from({ length: 64 * 3 }, (_, index) => index % 64);
    const fold = foldValues(profileValues(values.slice(0, 100)), profileValues(values.slice(100)));
    expect(fold.taken).toBe(0);
    expect(fold.distinct()).toEqual({ count: 64, error: 0 });
    expect(fold.top(100).map(({ rows }) => rows)).toEqual(Array.from({ length: 64 }, () => 3));
  });

  it("are estimated if splits that are exact have more than 64 together", () => {
    const [one, other] = [0, 64].map((first) =>
      profileValues(Array.from({ length: 64 }, (_, index) => first + index)),
    );
    const { count, error } = foldValues(one as SplitProfile, other as SplitProfile).distinct();
    expect(error).toBeCloseTo(1.04 / 16, 6);
    expect(Math.abs(count - 128)).toBeLessThanOrEqual(4 * error * 128);
  });

  it("never have too many rows, and lack at most the rows that were subtracted", () => {
    // Few frequent values among many rare ones, cut into splits anywhere.
    const value = fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 8 }) },
      { weight: 2, arbitrary: fc.integer({ min: 9, max: 100_000 }) },
    );
    const splits = fc.array(fc.array(value, { minLength: 1, maxLength: 1_500 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(splits, (parts) => {
        const fold = foldValues(...parts.map(profileValues));
        const exact = new Map<string, number>();
        for (const one of parts.flat()) exact.set(`${one}`, (exact.get(`${one}`) ?? 0) + 1);
        const found = new Map(fold.top(64).map(({ text, rows }) => [text, rows]));
        for (const [text, rows] of exact) {
          const told = found.get(text);
          if (told === undefined) expect(rows).toBeLessThanOrEqual(2 * fold.taken);
          else expect([told <= rows, rows - told <= fold.taken]).toEqual([true, true]);
        }
        expect(fold.taken).toBeLessThanOrEqual(parts.flat().length / 64);
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});
