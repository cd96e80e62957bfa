import { afterEach, describe, expect, it } from "vitest";
import {
  CursorError,
  type EventCommit,
  type EventPage,
  type EventQuery,
  type EventStore,
  EventsUnavailableError,
} from "../../src/storage/event-store.js";
import type { OpenEventStore } from "../../src/storage/sqlite-store.js";
import {
  countSuite,
  intake,
  newestSuite,
  type Open,
  stored,
  wholeRange,
} from "./event-figures-suite.js";

export interface EventStoreKit {
  /** A place that no store has been opened at. */
  newPlace(): string;
  open(place: string, onCommit?: (commit: EventCommit) => void): Promise<OpenEventStore>;
  /** True if data outlives its store and several stores can be open on one directory. */
  readonly isLasting: boolean;
}

const firstPage: EventQuery = { day: undefined, event: undefined, limit: 100, cursor: undefined };

/** Every sentence of the interface, on any implementation. */
export function eventStoreSuite(name: string, kit: EventStoreKit): void {
  const opened: OpenEventStore[] = [];
  const open = async (place = kit.newPlace(), onCommit?: (commit: EventCommit) => void) => {
    const store = await kit.open(place, onCommit);
    opened.push(store);
    return store;
  };
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  describe(name, () => {
    describe("append", () => appendSuite(open));
    describe("countDays and countNames", () => countSuite(open));
    describe("latest and recentUsers", () => newestSuite(open));
    describe("list", () => listSuite(open));
    describe("close", () => closeSuite(open));
    if (kit.isLasting) describe("places", () => placeSuite(open, kit.newPlace));
  });
}

async function total(events: EventStore): Promise<number> {
  const counts = await events.counts(wholeRange, 10_000);
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function appendSuite(open: Open): void {
  it("keeps every event with its day, name, time and text, also unusual ones", async () => {
    const { events } = await open();
    const names = ["plain", "", "a\0b", "a\0c", "\u0001", "half \ud83d", "whole 😀", "'\"\\", "%_"];
    const given = names.map((name, n) =>
      stored(name, "2024-01-01", { n, text: name, quote: '"\\' }),
    );
    await events.append(intake(given));
    const { items, nextCursor } = await events.list(firstPage);
    expect(nextCursor).toBeUndefined();
    expect(new Set(items)).toEqual(new Set(given));
    const counts = await events.counts(wholeRange, 100);
    expect(new Set(counts.map(({ event }) => event))).toEqual(new Set(names));
    for (const name of names) {
      const { items } = await events.list({ ...firstPage, event: name });
      expect(items.map(({ event }) => event)).toEqual([name]);
    }
  });

  it("keeps the text of a body to the byte", async () => {
    const { events } = await open();
    const body =
      '{"event":"e","metadata":{\r\n "n": 9007199254740993123, "s":"\\u0000\\ud800",\t"x":1.50e+01}}';
    await events.append(intake([{ ...stored("e", "2024-01-01"), body }]));
    expect((await events.list(firstPage)).items[0]?.body).toBe(body);
  });

  it("counts the events of concurrent requests, in fewer transactions than requests", async () => {
    const commits: EventCommit[] = [];
    const { events } = await open(undefined, (commit) => commits.push(commit));
    const days = ["2024-01-01", "2024-01-02"];
    await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        events.append(
          intake([stored(`e${n % 3}`, days[n % 2] as string), stored("all", "2024-01-03")]),
        ),
      ),
    );
    const count = 50;
    expect(await events.counts(wholeRange, 100)).toEqual([
      ...days.flatMap((day) => ["e0", "e1", "e2"].map((event) => ({ day, event, count }))),
      { day: "2024-01-03", event: "all", count: 300 },
    ]);
    const sum = (key: keyof EventCommit) => commits.reduce((all, commit) => all + commit[key], 0);
    expect([sum("requests"), sum("events")]).toEqual([300, 600]);
    expect(commits.length).toBeLessThan(300);
  });

  it("stores requests with the same key once, concurrent or later", async () => {
    const commits: EventCommit[] = [];
    const { events } = await open(undefined, (commit) => commits.push(commit));
    const one = intake([stored("a", "2024-01-01"), stored("b", "2024-01-01")], "key 1");
    await Promise.all([events.append(one), events.append(one), events.append(one)]);
    await events.append(one);
    await events.append(intake(one.events, "key 2"));
    await events.append(intake(one.events));
    expect(await total(events)).toBe(6);
    expect(commits.reduce((sum, commit) => sum + commit.events, 0)).toBe(6);
  });

  it("returns at most the requested number of counts, for the requested days", async () => {
    const { events } = await open();
    const days = ["2024-01-01", "2024-01-02", "2024-01-03"];
    await events.append(intake(days.map((day) => stored("e", day))));
    const found = async (from?: string, to?: string, limit = 10) =>
      (await events.counts({ from, to }, limit)).map(({ day }) => day);
    expect(await found()).toEqual(days);
    expect(await found("2024-01-02")).toEqual(days.slice(1));
    expect(await found(undefined, "2024-01-02")).toEqual(days.slice(0, 1));
    expect(await found("2024-01-02", "2024-01-03")).toEqual(days.slice(1, 2));
    expect(await found(undefined, undefined, 2)).toEqual(days.slice(0, 2));
  });

  it("counts more names than it reads in one turn", async () => {
    const { events } = await open();
    const given = Array.from({ length: 4_100 }, (_, n) => stored(`e${n}`, "2024-01-01"));
    await events.append(intake(given));
    const counts = await events.counts(wholeRange, 10_000);
    expect(counts.map(({ event }) => event)).toEqual(given.map(({ event }) => event).sort());
    expect(await events.counts(wholeRange, 4_000)).toEqual(counts.slice(0, 4_000));
    expect(await events.counts(wholeRange, 3_000)).toEqual(counts.slice(0, 3_000));
  });
}

async function pages(
  events: EventStore,
  query: Partial<EventQuery>,
): Promise<readonly EventPage[]> {
  const found: EventPage[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await events.list({ ...firstPage, ...query, cursor });
    found.push(page);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
}

function listSuite(open: Open): void {
  it("lists all events in pages, also those stored meanwhile", async () => {
    const { events } = await open();
    await events.append(intake(["c", "a", "b"].map((event) => stored(event, "2024-01-02"))));
    const first = await events.list({ ...firstPage, limit: 2 });
    await events.append(intake(["a", "b", "d"].map((event) => stored(event, "2024-01-02"))));
    await events.append(intake([stored("a", "2024-01-01")]));
    const rest = await events.list({ ...firstPage, cursor: first.nextCursor });
    expect(first.items.map(({ event }) => event)).toEqual(["a", "b"]);
    expect(rest.items.map(({ event }) => event)).toEqual(["b", "c", "d"]);
  });

  it("ends a page before it is too large, and returns large events one by one", async () => {
    const { events } = await open();
    const megabytes = (n: number) => stored("e", "2024-01-01", "x".repeat(n * 1024 * 1024));
    for (const size of [3, 3, 3, 9, 1, 1]) await events.append(intake([megabytes(size)]));
    const found = await pages(events, {});
    expect(found.map(({ items }) => items.length)).toEqual([2, 1, 1, 2]);
  });

  it("lists the events of one name, of all days or of one, in pages", async () => {
    const { events } = await open();
    const days = ["2024-01-01", "2024-01-02", "2024-01-03"];
    const given = days.flatMap((day) =>
      ["a", "b", "b", "c"].map((event, n) => stored(event, day, { n })),
    );
    await events.append(intake(given));
    for (const day of [undefined, ...days]) {
      const found = await pages(events, { event: "b", day, limit: 1 });
      const wanted = given.filter((one) => one.event === "b" && one.day === (day ?? one.day));
      expect(found.flatMap(({ items }) => items)).toEqual(wanted);
    }
  });

  it("refuses cursors from other queries", async () => {
    const { events } = await open();
    await events.append(intake(["a", "a", "b", "b"].map((event) => stored(event, "2024-01-01"))));
    const { nextCursor: cursor } = await events.list({ ...firstPage, event: "a", limit: 1 });
    expect((await events.list({ ...firstPage, cursor })).items).toHaveLength(3);
    const text = (place: string) => Buffer.from(place).toString("base64url");
    const others: readonly Partial<EventQuery>[] = [
      { event: "b", cursor },
      { day: "2024-01-02", cursor },
      { cursor: "" },
      { cursor: `${cursor}=` },
      { cursor: ` ${cursor}` },
      { cursor: text("99.1") },
      { cursor: text("1") },
      { cursor: text("1.1e3") },
      { cursor: text("1.01") },
    ];
    for (const other of others) {
      await expect(events.list({ ...firstPage, ...other })).rejects.toThrow(CursorError);
    }
  });
}

function closeSuite(open: Open): void {
  it("finishes accepted requests, refuses later ones, and can be repeated", async () => {
    const { events, close } = await open();
    const acknowledged = Promise.all(
      Array.from({ length: 20 }, () => events.append(intake([stored("e", "2024-01-01")]))),
    );
    const closed = close();
    await expect(events.append(intake([stored("e", "2024-01-01")]))).rejects.toThrow(
      EventsUnavailableError,
    );
    await acknowledged;
    await closed;
    await close();
  });
}

function placeSuite(open: Open, newPlace: () => string): void {
  it("has all data after it is reopened, with the keys of requests", async () => {
    const place = newPlace();
    const before = await open(place);
    const one = intake([stored("a", "2024-01-01"), stored("a", "2024-01-02")], "key");
    await before.events.append(one);
    await before.close();
    const { events } = await open(place);
    await events.append(one);
    expect(await total(events)).toBe(2);
    expect((await events.list(firstPage)).items).toEqual(one.events);
  });

  it("lets several stores write to one directory, and each sees the writes of the others", async () => {
    const place = newPlace();
    const stores = [await open(place), await open(place)];
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        stores[n % 2]?.events.append(intake([stored("e", "2024-01-01")], `key ${n >> 2}`)),
      ),
    );
    for (const { events } of stores) expect(await total(events)).toBe(25);
  });
}
