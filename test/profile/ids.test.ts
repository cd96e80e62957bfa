import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HashCounts } from "../../src/profile/hash-counts.js";
import { TABLE_IDS_MAX } from "../../src/profile/id-counts.js";
import { IdFold } from "../../src/profile/id-fold.js";
import { IdPairs } from "../../src/profile/id-pairs.js";
import type { SplitProfile } from "../../src/profile/split-profile.js";
import { eventRow } from "../sinks/event-rows.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { usedKernel } from "../support/used-kernel.js";
import { profileInKernel } from "./kit/profile-rows.js";

/** A hash as kernels make them: spread over 48 bits. */
const hashOf = (number: number) => (number * 0x9e37_79b9_7f4b) % 2 ** 48;

const kernel = usedKernel();

/** Adds a row of each number, in the order of their hashes, as splits give them. */
function addRows(counts: HashCounts, numbers: readonly number[]) {
  const hashes = numbers.map(hashOf).sort((one, other) => one - other);
  counts.addHashes(hashes, 1);
}

describe("counts by hash", () => {
  it("are exact up to the limit, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat({ max: 300 }), { maxLength: 1_000 })), (lists) => {
        const counts = new HashCounts(kernel, 301);
        for (const list of lists) addRows(counts, list);
        const numbers = lists.flat();
        for (let number = 0; number <= 300; number++) {
          const rows = numbers.filter((one) => one === number).length;
          expect(counts.rowsOf(hashOf(number))).toBe(rows);
        }
        expect(counts.dropped).toBe(0);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("beyond the limit lack at most the rows that they say, and keep the most frequent", () => {
    const counts = new HashCounts(kernel, 100);
    const exact = new Map<number, number>();
    for (let step = 0; step < 20_000; step++) {
      const number = step % 3 === 0 ? step % 5 : 10 + ((step * 7_919) % 4_000);
      exact.set(number, (exact.get(number) ?? 0) + 1);
      addRows(counts, [number]);
    }
    for (const [number, rows] of exact) {
      const told = counts.rowsOf(hashOf(number));
      expect([told <= rows, rows - told <= counts.dropped]).toEqual([true, true]);
    }
    for (let number = 0; number < 5; number++) {
      expect(counts.rowsOf(hashOf(number))).toBe(exact.get(number));
    }
  });
});

/** Adds pairs of numbers, a few thousand at once, as splits give them. */
function addPairs(pairs: IdPairs, numbers: readonly (readonly [user: number, device: number])[]) {
  const [words, ids] = [kernel.allocate(4 * 5_000), kernel.allocate(8 * 2 * 5_000)];
  for (let start = 0; start < numbers.length; start += 5_000) {
    const part = numbers.slice(start, start + 5_000);
    for (const [index, both] of part.entries()) {
      kernel.u32[words / 4 + index] = index * 2 ** 16 + index;
      for (const [kind, number] of both.entries()) {
        const hash = BigInt(hashOf(number)) << 16n;
        kernel.longs[ids / 8 + kind * 5_000 + index] = hash;
      }
    }
    pairs.addAll(words, part.length, ids, ids + 8 * 5_000);
  }
  kernel.free(words);
  kernel.free(ids);
}

describe("pairs of ids", () => {
  const numbers = (count: number, pairOf: (step: number) => readonly [number, number]) =>
    Array.from({ length: count }, (_, step) => pairOf(step));

  it("are counted once up to the limit", () => {
    const pairs = new IdPairs(kernel, 1_000);
    addPairs(
      pairs,
      numbers(13_000, (step) => [step % 50, step % 20]),
    );
    expect(pairs.count).toBe(100);
    expect(pairs.estimate(100)).toEqual({ count: 100, error: 0 });
  });

  it("give the distinct others of the ids that are asked for", () => {
    const pairs = new IdPairs(kernel, 1_000);
    addPairs(
      pairs,
      numbers(13_000, (step) => [step % 50, step % 20]),
    );
    const [users, devices] = [new HashCounts(kernel, 10), new HashCounts(kernel, 10)];
    users.addHashes([hashOf(3), hashOf(77)], 0);
    devices.addHashes([hashOf(4)], 0);
    pairs.countOthers(users, devices);
    expect([3, 77, 4].map((number) => users.rowsOf(hashOf(number)))).toEqual([2, 0, 0]);
    expect(devices.rowsOf(hashOf(4))).toBe(5);
    expect(users.distinct).toBe(2);
  });

  it("are a sample beyond it, within four standard errors", () => {
    const pairs = new IdPairs(kernel, 2_000);
    addPairs(
      pairs,
      numbers(40_000, (step) => [1 + (step % 20_000), 1]),
    );
    const { count, error } = pairs.estimate(pairs.count);
    expect(pairs.count).toBeLessThanOrEqual(2_000);
    expect(Math.abs(count - 20_000)).toBeLessThanOrEqual(4 * error * 20_000);
  });
});

/** Adds up the ids of splits. `idsMax`: ids that are counted one by one. */
function foldIds({ ids }: Pick<SplitProfile, "ids">, idsMax?: number): IdFold {
  const fold = new IdFold(kernel, idsMax);
  fold.add(ids, () => undefined);
  return fold;
}

/** Profiles a row for each of these users, in one split. */
const profileUsers = (users: readonly string[]) =>
  profileInKernel([users.map((userID) => eventRow({ userID }))]);

describe("the ids with the most rows", () => {
  it("are left out if an id without a text may have more", () => {
    // In each split, 1,300 others have more rows than the user who has the most over all splits.
    const splits = [0, 1, 2].map((split) => {
      const others = Array.from({ length: 1_300 }, (_, index) => `user ${split} ${index}`);
      return profileUsers([...others, ...others, ...others, "most", "most"]);
    });
    const fold = new IdFold(kernel);
    for (const { ids } of splits) fold.add(ids, () => undefined);
    expect(fold.top(10).users.byRows).toEqual([]);
  });

  it.each([
    ["skewed", 1.5],
    ["slightly skewed", 4],
    ["flat", 0],
  ])("are exactly those of a plain count, as far as they are listed: %s", (name, exponent) => {
    const random = createRandom(name.length);
    const exact = new Map<string, number>();
    const fold = new IdFold(kernel, 5_000);
    for (let split = 0; split < 6; split++) {
      const users = Array.from({ length: 6_000 }, () => {
        const share = exponent === 0 ? random() : random() ** (6 / exponent);
        return `user ${Math.floor(share * 20_000)}`;
      });
      for (const user of users) exact.set(user, (exact.get(user) ?? 0) + 1);
      fold.add(profileUsers(users).ids, () => undefined);
    }
    const { byRows, distinct } = fold.top(10).users;
    expect(distinct).toBeUndefined();
    const rows = [...exact.values()].sort((one, other) => other - one);
    expect(byRows.map((one) => one.rows)).toEqual(rows.slice(0, byRows.length));
    for (const one of byRows) expect(one.rows).toBe(exact.get(one.id));
    if (name === "skewed") expect(byRows).toHaveLength(10);
    if (name === "flat") expect(byRows).toEqual([]);
  });
});

it("counts ids on when a table is full in the middle of a batch", () => {
  const batches = Array.from({ length: 8 }, (_, batch) =>
    Array.from({ length: 10_000 }, (__, index) => {
      const number = batch * 10_000 + index;
      return eventRow({ userID: number % 10 === 0 ? "often" : `user ${number}`, stableID: "d" });
    }),
  );
  const { ids } = profileInKernel([...batches, ...batches.slice(0, 1)]);
  expect(ids).toHaveLength(2);
  expect(8 * 9_000).toBeGreaterThan(TABLE_IDS_MAX);
  const { users, devices } = foldIds({ ids }).top(3);
  expect(users.byRows[0]).toEqual({ id: "often", rows: 9_000, others: { count: 1, error: 0 } });
  expect(users.byRows[1]?.rows).toBe(2);
  expect(devices.byOthers).toEqual([
    { id: "d", rows: 90_000, others: { count: 72_001, error: 0 } },
  ]);
});

describe("ids in an odd form", () => {
  const oddOf = (...splits: readonly (readonly (string | null)[])[]) => {
    const fold = new IdFold(kernel);
    for (const users of splits) {
      const rows = users.map((userID) => eventRow({ userID, stableID: "d" }));
      fold.add(profileInKernel([rows]).ids, () => undefined);
    }
    return fold.top(3).users.odd;
  };

  it("are counted with those that are the same as another one", () => {
    const ids = ["u1", " u1", "u1 ", "u1 ", "\u200bu2", "u2\u00a0", "u 3", null];
    expect(oddOf(ids)).toEqual([
      { form: "blanks", rows: 5, ids: 4, twins: 3, examples: [" u1", "u1 ", "\u200bu2"] },
    ]);
    expect(oddOf(ids, ["u2"])).toMatchObject([{ rows: 5, ids: 4, twins: 4 }]);
  });

  it("are in quotes, or decimals up to 2^53", () => {
    const quoted = ['"u1"', '"u\\"2"', "u1", '"', '""', '"u3', '"u"4"'];
    expect(oddOf(quoted)).toMatchObject([{ form: "quotes", ids: 3, twins: 1 }]);
    const numbers = ["1000", "1000.0", "1e+03", "1e3", "1.5", "1.0.0", "v1.0", "007.0", "-5.0"];
    expect(oddOf(numbers, ["9007199254740993.0"])).toMatchObject([
      { form: "decimal", ids: 3, twins: 2, examples: ["1000.0", "1e+03", "-5.0"] },
    ]);
  });

  it("are shown without email addresses", () => {
    const long = `${"x".repeat(50)}.mina@example.com`;
    expect(oddOf([" mina@example.com", ` ${long}`])[0]?.examples).toEqual([" m…@…", " x…@…"]);
  });

  it("are looked at up to 64 bytes", () => {
    const long = "x".repeat(64);
    expect(oddOf([`${long} `, `"${long}"`, ` ${long}`, `${long.slice(1)} `])).toMatchObject([
      { form: "blanks", ids: 2 },
    ]);
  });

  it("are found among more ids than a table holds", () => {
    const plain = Array.from({ length: TABLE_IDS_MAX + 10 }, (_, index) => `${index + 1_000}`);
    const odd = plain.slice(0, 20).map((id) => `${id}.0`);
    expect(oddOf(plain, odd)).toMatchObject([{ form: "decimal", rows: 20, ids: 20, twins: 20 }]);
  });

  it("are absent from the profile of ordinary ids", () => {
    const ids = ["u1", "1000", "a@b.c", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "ü", "-", "12e3"];
    const [split] = profileInKernel([ids.map((userID) => eventRow({ userID }))]).ids;
    expect(split?.users).not.toHaveProperty("odd");
  });
});
