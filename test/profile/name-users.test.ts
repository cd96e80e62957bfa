import { expect, it } from "vitest";
import { sum } from "../../src/base/sum.js";
import { Kernel } from "../../src/batch/kernel.js";
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

const INDEXES = 2 ** 16;

/** Users as kernels take them out: hashes of 48 bits with one row, and a number each. */
class Taken {
  readonly kernel = new Kernel();
  readonly numbers = this.kernel.allocate(INDEXES * 4);
  readonly #taken = this.kernel.allocate(INDEXES * 8);
  readonly #indexes = this.kernel.allocate(INDEXES * 2);
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    const indexes = new Uint16Array(this.kernel.memory.buffer, this.#indexes, INDEXES);
    for (const index of indexes.keys()) indexes[index] = index;
    this.takeOthers();
  }

  /** Takes other users, and numbers them from 0. */
  takeOthers(): void {
    const { u32 } = this.kernel;
    for (let index = 0; index < INDEXES; index++) {
      u32[this.#taken / 4 + index * 2] = Math.floor(this.#random() * 2 ** 16) * 2 ** 16 + 1;
      u32[this.#taken / 4 + index * 2 + 1] = Math.floor(this.#random() * 2 ** 32);
      u32[this.numbers / 4 + index] = index;
    }
  }

  /** Adds the first `count` users. */
  addTo(users: NameUsers, count: number, numbers: number | undefined): void {
    users.addAll(this.#indexes, count, { taken: this.#taken, numbers });
  }
}

/** Users of a name whose budget is too small: relative errors of the estimate at each count. */
function errorsAt(counts: readonly number[], seed: number): readonly number[] {
  const taken = new Taken(seed);
  const users = new NameUsers(taken.kernel, 0, { left: 0 });
  let before = 0;
  return counts.map((count) => {
    for (; count - before > INDEXES; before += INDEXES) {
      taken.addTo(users, INDEXES, taken.numbers);
      taken.takeOthers();
    }
    taken.addTo(users, count - before, taken.numbers);
    return users.estimate().count / count - 1;
  });
}

it("estimates users without a bias once they are too many to be counted", () => {
  const counts = [1, 10, 100, 1_000, 10_000, 30_000, 50_000, 100_000, 1_000_000];
  const seeds = Array.from({ length: isCi ? 24 : 15 }, (_, seed) => seed);
  const errors = seeds.map((seed) => errorsAt(counts, seed + 1));
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
  const taken = new Taken(3);
  const counts = Array.from({ length: 48 }, (_, salt) => {
    const users = new NameUsers(taken.kernel, salt, { left: 0 });
    taken.addTo(users, 50_000, taken.numbers);
    return users.estimate().count;
  });
  const above = counts.filter((count) => count > 50_000).length;
  expect(above).toBeGreaterThan(8);
  expect(above).toBeLessThan(40);
});

it("counts a user once, before and after the budget is used up", () => {
  const budget = { left: 1_000 };
  const taken = new Taken(5);
  const users = new NameUsers(taken.kernel, 1, budget);
  taken.addTo(users, 1_000, taken.numbers);
  taken.addTo(users, 500, taken.numbers);
  expect(users.estimate()).toEqual({ count: 1_000, error: 0 });
  expect(budget.left).toBeLessThan(1_000);
  taken.addTo(users, 20_000, taken.numbers);
  taken.addTo(users, 20_000, undefined);
  const { count, error } = users.estimate();
  expect(Math.abs(count - 20_000)).toBeLessThan(4 * error * 20_000);
  expect(budget.left).toBe(1_000);
});
