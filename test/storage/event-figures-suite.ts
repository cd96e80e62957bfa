import { expect, it } from "vitest";
import type { EventCommit, StoredEvent } from "../../src/storage/event-store.js";
import type { OpenEventStore } from "../../src/storage/sqlite-store.js";
import {
  USER_EVENTS_PER_TURN,
  USER_EVENTS_SEARCHED_MAX,
} from "../../src/storage/storage-limits.js";

export type Open = (
  place?: string,
  onCommit?: (commit: EventCommit) => void,
) => Promise<OpenEventStore>;

export const wholeRange = { from: undefined, to: undefined };

export function stored(event: string, day: string, body: unknown = { event, day }): StoredEvent {
  return { day, event, timestamp: Date.parse(day), body: JSON.stringify(body) };
}

export const intake = (events: readonly StoredEvent[], idempotencyKey?: string) => ({
  events,
  idempotencyKey,
});

const counted = { ...wholeRange, search: undefined, limit: 100 };

/** The sums of the store. */
export function countSuite(open: Open): void {
  const [first, second, third] = ["2024-01-01", "2024-01-02", "2024-01-03"] as const;
  const openWith = async (given: readonly StoredEvent[]) => {
    const { events } = await open();
    await events.append(intake(given));
    return events;
  };
  const some = [
    ...[first, second, third].flatMap((day) => [stored("every day", day), stored("Often", day)]),
    stored("Often", second),
    stored("", second),
    stored("a\0b", third),
  ];

  it("counts the days of all names or of one, in order, and at most as many as asked for", async () => {
    const events = await openWith(some);
    const days = (event?: string, limit = 10, range = {}) =>
      events.countDays({ ...wholeRange, ...range }, event, limit);
    const counts = [
      { day: first, count: 2 },
      { day: second, count: 4 },
      { day: third, count: 3 },
    ];
    expect(await days()).toEqual(counts);
    expect(await days(undefined, 2)).toEqual(counts.slice(0, 2));
    expect(await days(undefined, 10, { from: second, to: third })).toEqual(counts.slice(1, 2));
    expect(await days("Often", 10, { from: second })).toEqual([
      { day: second, count: 2 },
      { day: third, count: 1 },
    ]);
    expect(await days("")).toEqual([{ day: second, count: 1 }]);
    expect(await days("a\0b")).toEqual([{ day: third, count: 1 }]);
    expect(await days("often")).toEqual([]);
  });

  it("counts the names with the most events first, and says what comes after the limit", async () => {
    const events = await openWith(some);
    const items = [
      { event: "Often", count: 4 },
      { event: "every day", count: 3 },
      { event: "", count: 1 },
      { event: "a\0b", count: 1 },
    ];
    expect(await events.countNames(counted)).toEqual({ items, others: { names: 0, count: 0 } });
    expect(await events.countNames({ ...counted, limit: 1 })).toEqual({
      items: items.slice(0, 1),
      others: { names: 3, count: 5 },
    });
    expect(await events.countNames({ ...counted, from: second, to: third, limit: 2 })).toEqual({
      items: [
        { event: "Often", count: 2 },
        { event: "", count: 1 },
      ],
      others: { names: 1, count: 1 },
    });
  });

  it("finds names by a part of them, in any case", async () => {
    const events = await openWith([...some, stored("LÄNGE", first)]);
    const found = async (search: string, range = {}) => {
      const { items, others } = await events.countNames({ ...counted, ...range, search });
      expect(others).toEqual({ names: 0, count: 0 });
      return items.map(({ event }) => event);
    };
    expect(await found("OFT")).toEqual(["Often"]);
    expect(await found("e")).toEqual(["Often", "every day", "LÄNGE"]);
    expect(await found("länge")).toEqual(["LÄNGE"]);
    expect(await found("e", { from: second, to: third })).toEqual(["Often", "every day"]);
    expect(await found("%")).toEqual([]);
  });

  it("counts more names than it reads in one turn", async () => {
    const many = Array.from({ length: 4_000 }, (_, n) => stored(`n${n}`, n % 2 ? first : second));
    const events = await openWith([...many, ...many]);
    for (const range of [{}, { from: first, to: third }]) {
      expect(await events.countNames({ ...counted, ...range, limit: 3 })).toEqual({
        items: ["n0", "n1", "n10"].map((event) => ({ event, count: 2 })),
        others: { names: 3_997, count: 7_994 },
      });
    }
  });

  it("forgets removed events, with the days and names that have none left", async () => {
    const events = await openWith([
      ...some,
      stored("Often", first, { event: "Often", user: { userID: "u" } }),
      stored("once", third, { event: "once", user: { userID: "u" } }),
    ]);
    expect((await events.size()).count).toBe(11);
    await events.removePerson({ userID: "u", stableID: undefined }, false);
    await events.removeBefore(second);
    expect(await events.countDays(wholeRange, undefined, 10)).toEqual([
      { day: second, count: 4 },
      { day: third, count: 3 },
    ]);
    expect((await events.countNames(counted)).items).toEqual([
      { event: "Often", count: 3 },
      { event: "every day", count: 2 },
      { event: "", count: 1 },
      { event: "a\0b", count: 1 },
    ]);
    expect((await events.size()).count).toBe(7);
  });
}

/** The newest events and their users. */
export function newestSuite(open: Open): void {
  const day = "2024-01-01";
  const ofUser = (event: string, user: unknown) => stored(event, day, { event, user });

  it("returns the events that were stored last, newest first, of any day", async () => {
    const { events } = await open();
    expect([events.lastSequence(), await events.latest(5)]).toEqual([0, []]);
    await events.append(intake([ofUser("a", { userID: "u" })]));
    await events.append(intake([stored("b\0", "2023-01-01"), ofUser("c", { userID: 7 })]));
    const newest = await events.latest(2);
    expect(new Set(newest)).toEqual(
      new Set([
        { event: "b\0", timestamp: Date.parse("2023-01-01"), userID: null },
        { event: "c", timestamp: Date.parse(day), userID: "7" },
      ]),
    );
    expect((await events.latest(9))[2]).toEqual({
      event: "a",
      timestamp: Date.parse(day),
      userID: "u",
    });
    expect(events.lastSequence()).toBe(3);
  });

  it("returns each recent user once, as in the newest event of the user", async () => {
    const { events } = await open();
    expect(await events.recentUsers(5)).toEqual([]);
    const users = [
      { userID: "u", plan: "old" },
      { stableID: "d" },
      { userID: "v", stableID: "d" },
      { userID: "u", plan: "new" },
      {},
      { userID: null },
      "u",
      undefined,
    ];
    for (const user of users) await events.append(intake([ofUser("e", user)]));
    const found = [{ userID: "u", plan: "new" }, { userID: "v", stableID: "d" }, { stableID: "d" }];
    expect(await events.recentUsers(5)).toEqual(found);
    expect(await events.recentUsers(2)).toEqual(found.slice(0, 2));
  });

  it("looks further back than one turn reads, and not without end", async () => {
    const { events } = await open();
    const same = Array.from({ length: USER_EVENTS_PER_TURN * 2 }, () =>
      ofUser("e", { userID: "u" }),
    );
    await events.append(intake([ofUser("e", { userID: "first" })]));
    await events.append(intake(same));
    expect(await events.recentUsers(2)).toEqual([{ userID: "u" }, { userID: "first" }]);
    const rest = Math.ceil(USER_EVENTS_SEARCHED_MAX / same.length);
    for (let n = 0; n < rest; n++) await events.append(intake(same));
    expect(await events.recentUsers(2)).toEqual([{ userID: "u" }]);
  });
}
