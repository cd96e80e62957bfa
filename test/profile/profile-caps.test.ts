import { expect, it } from "vitest";
import { sum } from "../../src/base/sum.js";
import type { EventProfile } from "../../src/profile/event-profile.js";
import { ProfileFold } from "../../src/profile/profile-fold.js";
import type { SplitProfile } from "../../src/profile/split-profile.js";
import { eventRow } from "../sinks/event-rows.js";
import { usedKernel } from "../support/used-kernel.js";
import { foldOf, profileInKernel, smallProfile } from "./kit/profile-rows.js";

function rowsWith(...metadata: readonly object[]) {
  return metadata.map((properties) => eventRow({ metadata: JSON.stringify(properties) }));
}

function propertiesOf({ names: [name] }: SplitProfile) {
  if (name?.properties === undefined) throw new Error("no properties were profiled");
  return name.properties;
}

it("profiles the properties of names up to the limit, and counts all other names", () => {
  const rows = ["a", "b", "c", "a"].map((event) => eventRow({ event, metadata: '{"p":1}' }));
  const { names } = profileInKernel([rows], smallProfile({ namesMax: 2 }));
  expect(names.map(({ properties }) => properties?.rows)).toEqual([2, 1, undefined]);
  expect(names.every(({ bytes, bytesMax }) => bytes >= bytesMax && bytesMax > 0)).toBe(true);
});

it("describes keys up to the limit, and counts the values of all other keys", () => {
  const rows = rowsWith({ a: 1, b: 2 }, { c: 3, a: 1, d: 4 }, { b: 5 });
  // The user's ids use up keys, too.
  const properties = propertiesOf(profileInKernel([rows], smallProfile({ keysMax: 3 })));
  expect(properties.keys.map(({ key, rows: count }) => [key, count])).toEqual([
    ["a", 2],
    ["b", 2],
  ]);
  expect(properties.otherValues).toBe(2);
});

it("counts keys that are too long with those beyond the limit, escaped or not", () => {
  const long = "x".repeat(1_000_000);
  const rows = [
    ...rowsWith({ [long]: 1, short: 2 }, { ["y".repeat(512)]: 1 }, { ["y".repeat(513)]: 1 }),
    eventRow({ metadata: `{"${"\\u0041".repeat(513)}":1}` }),
    eventRow({ metadata: `{"${"\\u0041".repeat(512)}":1}` }),
  ];
  const properties = propertiesOf(profileInKernel([rows]));
  expect(properties.keys.map(({ key }) => key)).toEqual([
    "short",
    "y".repeat(512),
    "A".repeat(512),
  ]);
  expect(properties.otherValues).toBe(3);
});

it("distinguishes fewer values if memory is short, and reports the possible error", () => {
  const rows = rowsWith(...Array.from({ length: 40 }, (_, index) => ({ p: index % 20 })));
  const { keys } = propertiesOf(profileInKernel([rows], smallProfile({ valueBytes: 3_000 })));
  expect(keys[0]?.rows).toBe(40);
  expect(keys[0]?.values.entries.length).toBeLessThanOrEqual(8);
  expect(keys[0]?.values.taken).toBeGreaterThan(0);
});

it("keeps keys with a lone surrogate as written, and reads values of any depth", () => {
  const deep = `${"[".repeat(500)}${"]".repeat(500)}`;
  const rows = [eventRow({ metadata: `{"\\ud800":1,"\\ud800":${deep}}` })];
  const { keys } = propertiesOf(profileInKernel([rows]));
  expect(keys.map(({ key, types }) => [key, types])).toEqual([["\\ud800", [0, 0, 0, 0, 1, 0]]]);
});

it("keeps no more names, keys and samples over many splits than in one", () => {
  const fold = new ProfileFold(usedKernel());
  for (let split = 0; split < 5; split++) {
    const rows = Array.from({ length: 30 }, (_, index) =>
      eventRow({ event: `event ${index}`, metadata: JSON.stringify({ [`key ${split}`]: index }) }),
    );
    const profile = profileInKernel([rows]);
    fold.add(
      profile,
      profile.names.map(() => true),
    );
  }
  expect(fold.names.size).toBe(30);
  expect([...fold.samples.values()].every((samples) => samples.length === 3)).toBe(true);
  const properties = fold.names.get("event 7")?.properties?.result();
  expect(properties?.rows).toBe(5);
  expect(properties?.keys.map(({ key, rows, fill }) => [key, rows, fill])).toEqual(
    [0, 1, 2, 3, 4].map((split) => [`key ${split}`, 1, 0.2]),
  );
});

it("keeps the best samples of all splits, without those that rank behind three of earlier splits", () => {
  const rows = Array.from({ length: 200 }, (_, index) =>
    eventRow({ event: index % 2 === 0 ? "even" : "odd", userID: `u${index}` }),
  );
  const splits = [1, 2, 3, 4, 5, 6, 7, 8];
  const inOneThread = smallProfile({});
  const read = (seed: number, profile: EventProfile) => {
    profile.clear(seed);
    return profileInKernel([rows], profile);
  };
  const alone = splits.map((seed) => read(seed, smallProfile({})));
  // The last one first: rows of different splits can have the same order.
  const after = splits
    .toReversed()
    .map((seed) => read(seed, inOneThread))
    .toReversed();
  expect(foldOf(...after).samples).toEqual(foldOf(...alone).samples);
  const kept = after.map(({ samples }) => samples.length);
  expect([Math.max(...kept), kept.at(-1)]).toEqual([6, 6]);
  expect(sum(kept, Number)).toBeLessThan(alone.length * 3);
  // A split is read again by another thread.
  expect(foldOf(alone[0]!, ...after.slice(1)).samples).toEqual(foldOf(...alone).samples);
});
