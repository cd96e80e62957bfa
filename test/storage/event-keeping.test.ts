import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { builtFile } from "../../src/base/package-files.js";
import { eventSchema } from "../../src/storage/database-schemas.js";
import { EventsUnavailableError, type StoredEvent } from "../../src/storage/event-store.js";
import { checkDatabase } from "../../src/storage/open-database.js";
import { SqliteDatabase } from "../../src/storage/sqlite-database.js";
import { type OpenEventStore, openEventStore } from "../../src/storage/sqlite-store.js";
import { processScript } from "../support/process-scripts.js";
import { isCi } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";
import { stored } from "./event-figures-suite.js";

const scratch = scratchDirectory("event-keeping");
let places = 0;
const newPlace = () => join(scratch, `data${++places}`);

const opened: OpenEventStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** Opens a store whose threads are its own; `time` is its clock. */
async function open(place: string, time = () => Date.UTC(2026, 5, 1)) {
  const store = await openEventStore(place, {
    writerEntry: builtFile("event-writer-thread.js"),
    readerEntry: builtFile("event-reader-thread.js"),
    now: time,
  });
  opened.push(store);
  return store.events;
}

const wholeRange = { from: undefined, to: undefined };
const first = { day: undefined, event: undefined, limit: 100, cursor: undefined };
const intake = (events: readonly StoredEvent[], idempotencyKey?: string) => ({
  events,
  idempotencyKey,
});
const many = (count: number, day: string, user: object = {}) =>
  Array.from({ length: count }, (_, n) => stored(`e${n % 3}`, day, { event: "e", user, n }));

describe("removeBefore", () => {
  it("removes the days before, in more than one slice, and leaves the sums right", async () => {
    const place = newPlace();
    const events = await open(place);
    await events.append(intake(many(2_500, "2026-01-01")));
    await events.append(intake(many(5, "2026-01-02")));
    await events.append(intake(many(7, "2026-01-03")));
    expect(await events.removeBefore("2026-01-03")).toBe(2_505);
    const counts = await events.counts(wholeRange, 100);
    expect(counts.map(({ day, count }) => [day, count])).toEqual([
      ["2026-01-03", 3],
      ["2026-01-03", 2],
      ["2026-01-03", 2],
    ]);
    expect((await events.list(first)).items).toHaveLength(7);
    expect(await events.removeBefore("2026-01-03")).toBe(0);
    expect((await events.size()).count).toBe(7);
    for (const store of opened.splice(0)) await store.close();
    expect(checkDatabase(join(place, "events.db"), eventSchema)).toEqual([]);
  });

  it("lets others write meanwhile", async () => {
    const events = await open(newPlace());
    await events.append(intake(many(5_000, "2026-01-01")));
    let isRemoved = false;
    const removed = events.removeBefore("2026-01-02").finally(() => {
      isRemoved = true;
    });
    await events.append(intake(many(1, "2026-01-03")));
    expect(isRemoved).toBe(false);
    expect(await removed).toBe(5_000);
  });

  it("forgets idempotency keys that are as old as removed events, and at least a week old", async () => {
    let time = Date.UTC(2026, 5, 1);
    const events = await open(newPlace(), () => time);
    const count = async () => (await events.size()).count;
    const send = () => events.append(intake(many(1, "2026-06-01"), "key"));
    await send();
    time = Date.UTC(2026, 5, 7);
    await events.removeBefore("2026-06-07");
    await send();
    expect(await count()).toBe(0);
    time = Date.UTC(2026, 5, 9);
    await events.removeBefore("2026-06-01");
    await send();
    expect(await count()).toBe(0);
    await events.removeBefore("2026-06-09");
    await send();
    expect(await count()).toBe(1);
  });

  it("keeps idempotency keys of earlier versions as if they arrived at the first look", async () => {
    const place = newPlace();
    let time = Date.UTC(2026, 5, 1);
    const events = await open(place, () => time);
    await events.append(intake(many(1, "2026-01-01"), "key"));
    const database = new SqliteDatabase(join(place, "events.db"));
    database.run("UPDATE event_request SET arrived_day = NULL");
    const days = () => database.all("SELECT arrived_day AS day FROM event_request");
    await events.removeBefore("2026-05-01");
    expect(days()).toEqual([{ day: time / 86_400_000 }]);
    time = Date.UTC(2026, 6, 2);
    await events.removeBefore("2026-06-02");
    expect(days()).toEqual([]);
    database.close();
  });
});

describe("removePerson", () => {
  const depth = 1_500;
  const deep = `{"event":"e","user":{"userID":"u"},"metadata":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const bodies = {
    user: { event: "e", user: { userID: "u", plan: "secret-plan" } },
    number: { event: "e", user: { userID: 7 } },
    device: { event: "e", user: { stableID: "d" } },
    customDevice: { event: "e", user: { userID: "x", customIDs: { stableID: "d" } } },
    openFeature: { event: "e", user: { userID: "y", targetingKey: "d" } },
    other: { event: "e", user: { userID: "d", stableID: "u" }, metadata: { userID: "u" } },
    nobody: { event: "e" },
    noUser: { event: "e", user: null },
  };

  async function filled(place = newPlace()) {
    const events = await open(place);
    const all = Object.values(bodies).map((body) => stored("e", "2026-01-01", body));
    const unread = { ...stored("e", "2026-01-01"), body: deep };
    const other = { ...unread, body: deep.replace('"u"', '"v"') };
    await events.append(intake([...all, unread, other]));
    const left = async () => (await events.list(first)).items.map(({ body }) => body);
    return { events, left };
  }

  const texts = (...names: (keyof typeof bodies)[]) =>
    names.map((name) => JSON.stringify(bodies[name]));

  it("removes what has one of the ids, wherever SDKs put them, and nothing else", async () => {
    const { events, left } = await filled();
    const user = { userID: "u", stableID: undefined };
    expect(await events.removePerson(user, true)).toBe(2);
    expect(await left()).toHaveLength(10);
    expect(await events.removePerson(user, false)).toBe(2);
    expect(await events.removePerson(user, false)).toBe(0);
    expect(await events.removePerson({ userID: "7", stableID: "d" }, false)).toBe(4);
    expect(await left()).toEqual([
      ...texts("other", "nobody", "noUser"),
      deep.replace('"u"', '"v"'),
    ]);
    expect(await events.counts(wholeRange, 10)).toMatchObject([{ count: 4 }]);
    expect(await events.removePerson({ userID: "none", stableID: undefined }, false)).toBe(0);
  });

  it("leaves nothing of them in the files, also in pages with events of others", async () => {
    const place = newPlace();
    const events = await open(place);
    const others = many(20, "2026-01-01", { userID: "v" });
    const own = stored("e0", "2026-01-01", bodies.user);
    await events.append(intake([...others, own, ...others]));
    const files = ["events.db", "events.db-wal"].map((name) => join(place, name));
    const isThere = () =>
      files.some((file) => existsSync(file) && readFileSync(file).includes("secret-plan"));
    expect(isThere()).toBe(true);
    await events.removePerson({ userID: "u", stableID: undefined }, false);
    expect(isThere()).toBe(false);
  });

  it("stops when the store closes, and the same call removes the rest", async () => {
    const place = newPlace();
    const events = await open(place);
    for (let n = 0; n < 4; n += 1) {
      await events.append(intake(many(2_000, "2026-01-01", { userID: "u" })));
    }
    const user = { userID: "u", stableID: undefined };
    const removed = events.removePerson(user, false);
    const refused = expect(removed).rejects.toThrow(EventsUnavailableError);
    for (const store of opened.splice(0)) await store.close();
    await refused;
    const again = await open(place);
    expect(await again.removePerson(user, false)).toBeGreaterThan(0);
    expect((await again.size()).count).toBe(0);
  });

  it("survives kills halfway: sums stay right, and repeats remove the rest", async () => {
    const place = newPlace();
    const file = join(place, "events.db");
    const events = await open(place);
    for (let n = 0; n < 4; n += 1) {
      await events.append(intake(many(2_000, "2026-01-01", { userID: n % 2 ? "u" : "v" })));
    }
    for (const store of opened.splice(0)) await store.close();
    for (let kill = 0; kill < (isCi ? 3 : 1); kill += 1) {
      const child = spawn(process.execPath, [processScript("delete-person"), file], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout.once("data", () => child.kill("SIGKILL"));
      await once(child, "close");
      expect(checkDatabase(file, eventSchema)).toEqual([]);
    }
    const again = await open(place);
    const left = (await again.size()).count;
    expect(left).toBeLessThan(8_000);
    expect(await again.removePerson({ userID: "u", stableID: undefined }, false)).toBe(
      left - 4_000,
    );
    expect((await again.size()).count).toBe(4_000);
  });
});
