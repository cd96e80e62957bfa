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
import { profileInKernel } from "./kit/profile-rows.js";

/** A hash as kernels make them: spread over 48 bits. */
const hashOf = (number: number) => (number * 0x9e37_79b9_7f4b) % 2 ** 48;

/** Adds a row of each number, in the order of their hashes, as splits give them. */
function addRows(counts: HashCounts, numbers: readonly number[]) {
  const hashes = Float64Array.from(numbers, hashOf).sort();
  counts.addAll(hashes, new Float64Array(hashes.length).fill(1));
}

describe("counts by hash", () => {
  it("are exact up to the limit, in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat({ max: 300 }), { maxLength: 1_000 })), (lists) => {
        const counts = new HashCounts(301);
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
    const counts = new HashCounts(100);
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

describe("pairs of ids", () => {
  it("are counted once up to the limit", () => {
    const pairs = new IdPairs(1_000);
    for (let step = 0; step < 3_000; step++) pairs.add(hashOf(step % 50), hashOf(step % 20));
    expect([...pairs]).toHaveLength(100);
    expect(pairs.estimate(100)).toEqual({ count: 100, error: 0 });
  });

  it("are a sample beyond it, within four standard errors", () => {
    const pairs = new IdPairs(2_000);
    for (let step = 0; step < 40_000; step++) pairs.add(hashOf(1 + (step % 20_000)), hashOf(1));
    const { count, error } = pairs.estimate([...pairs].length);
    expect([...pairs].length).toBeLessThanOrEqual(2_000);
    expect(Math.abs(count - 20_000)).toBeLessThanOrEqual(4 * error * 20_000);
  });
});

/** Adds up the ids of splits. `idsMax`: ids that are counted one by one. */
function foldIds({ ids }: Pick<SplitProfile, "ids">, idsMax?: number): IdFold {
  const fold = new IdFold(idsMax);
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
    const fold = new IdFold();
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
    const fold = new IdFold(5_000);
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
    const fold = new IdFold();
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
