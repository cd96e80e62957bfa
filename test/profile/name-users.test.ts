import { expect, it } from "vitest";
import { sum } from "../../src/base/sum.js";
import { TABLE_IDS_MAX } from "../../src/profile/id-counts.js";
import { NameUsers } from "../../src/profile/name-users.js";
import type { ProfileFold } from "../../src/profile/profile-fold.js";
import { eventRow } from "../sinks/event-rows.js";
import { isCi } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { foldOf, profileInKernel } from "./kit/profile-rows.js";

const usersOf = (fold: ProfileFold, event: string) => fold.names.get(event)?.users?.estimate();

it("counts the users of each event exactly, also if all events have the same ones", () => {
  const events = Array.from({ length: 12 }, (_, index) => `event ${index}`);
  const splitOf = (first: number) =>
    profileInKernel([
      events.flatMap((event, index) =>
        Array.from({ length: 3_000 - index }, (_, user) =>
          eventRow({ event, userID: `user ${first + user}` }),
        ),
      ),
    ]);
  const fold = foldOf(splitOf(0), splitOf(1_500), splitOf(0));
  for (const [index, event] of events.entries()) {
    expect(usersOf(fold, event)).toEqual({ count: 4_500 - index, error: 0 });
  }
});

it("counts them on when the ids of a split are more than its table has room for", () => {
  const users = TABLE_IDS_MAX + 4_000;
  const rows = Array.from({ length: users }, (_, user) =>
    eventRow({ event: user === 5 ? "once" : "often", userID: `user ${user}`, stableID: "d" }),
  );
  const fold = foldOf(profileInKernel([rows, rows.slice(0, 100)]));
  expect(usersOf(fold, "often")).toEqual({ count: users - 1, error: 0 });
  expect(usersOf(fold, "once")).toEqual({ count: 1, error: 0 });
  expect(fold.names.get("once")?.properties?.result().rows).toBe(2);
});

/** Hashes of users as kernels make them, of 48 bits. */
function randomHashes(count: number, seed: number): Float64Array {
  const random = createRandom(seed);
  return Float64Array.from({ length: count }, () => Math.floor(random() * 2 ** 48));
}

/** Users of a name whose budget is too small: relative errors of the estimate at each count. */
function errorsAt(counts: readonly number[], hashes: Float64Array, salt = 0): readonly number[] {
  const users = new NameUsers(salt, { left: 0 });
  const indexes = Uint16Array.from({ length: 2 ** 16 }, (_, index) => index);
  let done = 0;
  return counts.map((count) => {
    for (; done < count; done += 2 ** 16) {
      const part = hashes.subarray(done, Math.min(count, done + 2 ** 16));
      const numbers = new Uint32Array(part.length);
      users.addAll(indexes.subarray(0, part.length), { hashAt: (index) => part[index]!, numbers });
    }
    done = count;
    return users.estimate().count / count - 1;
  });
}

it("estimates users without a bias once they are too many to be counted", () => {
  const counts = [1, 10, 100, 1_000, 10_000, 30_000, 50_000, 100_000, 1_000_000];
  const seeds = Array.from({ length: isCi ? 40 : 15 }, (_, seed) => seed);
  const errors = seeds.map((seed) => errorsAt(counts, randomHashes(1_000_000, seed + 1)));
  for (const [index, count] of counts.entries()) {
    const found = errors.map((ofSeed) => ofSeed[index] as number);
    const mean = sum(found, (error) => error) / seeds.length;
    const spread = Math.sqrt(sum(found, (error) => error * error) / seeds.length);
    // The standard error of 16,384 registers is 0.81 %, and that of a mean is smaller.
    expect(Math.abs(mean), `mean of ${count}`).toBeLessThan((4 * 0.0081) / Math.sqrt(seeds.length));
    expect(spread, `spread of ${count}`).toBeLessThan(0.012);
  }
});

it("gives events with the same users errors that do not depend on each other", () => {
  const hashes = randomHashes(50_000, 3);
  const signs = Array.from({ length: 48 }, (_, salt) => errorsAt([50_000], hashes, salt)[0] ?? 0);
  const above = signs.filter((error) => error > 0).length;
  expect(above).toBeGreaterThan(8);
  expect(above).toBeLessThan(40);
});

it("counts a user once, before and after the budget is used up", () => {
  const budget = { left: 1_000 };
  const users = new NameUsers(1, budget);
  const hashes = randomHashes(20_000, 5);
  const hashAt = (index: number) => hashes[index]!;
  const numbers = Uint32Array.from(hashes.keys());
  const indexes = Uint16Array.from(hashes.keys());
  users.addAll(indexes.subarray(0, 1_000), { hashAt, numbers });
  users.addAll(indexes.subarray(0, 500), { hashAt, numbers });
  expect(users.estimate()).toEqual({ count: 1_000, error: 0 });
  users.addAll(indexes, { hashAt, numbers });
  users.addAll(indexes, { hashAt, numbers: undefined });
  const { count, error } = users.estimate();
  expect(Math.abs(count - 20_000)).toBeLessThan(4 * error * 20_000);
  expect(budget.left).toBe(1_000);
});
