import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { omitUndefined } from "../../src/base/omit-undefined.js";
import { openEventStore, openSqliteStore } from "../../src/storage/sqlite-store.js";
import { scratchDirectory } from "../support/scratch.js";
import { gate, noEventStore } from "./records.js";
import { storeSuite } from "./store-suite.js";
import { versioned } from "./versioned-writes.js";

const newDirectory = () => scratchDirectory("sqlite-store");

storeSuite("SQLite in a directory", {
  newPlace: () => join(newDirectory(), "made as needed"),
  open: (place, now) => openSqliteStore(place, openEventStore, omitUndefined({ now })),
  isLasting: true,
});

storeSuite("SQLite in memory", {
  newPlace: () => ":memory:",
  open: (place, now) => openSqliteStore(place, openEventStore, omitUndefined({ now })),
  isLasting: false,
});

it("keeps entities and events in separate databases", async () => {
  const directory = newDirectory();
  const before = await openSqliteStore(directory, openEventStore);
  const event = { day: "2026-01-02", event: "bought", timestamp: 1, body: "{}" };
  await versioned(before).entities.insert(gate("a"));
  await before.events.append({ events: [event], idempotencyKey: undefined });
  await before.close();
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(["console.db", "events.db"]));

  const store = await openSqliteStore(directory, openEventStore);
  expect(await store.entities.get(gate("a"))).toEqual(gate("a"));
  const query = { day: undefined, event: undefined, limit: 10, cursor: undefined };
  expect((await store.events.list(query)).items).toEqual([event]);
  await store.close();
});

it("finishes accepted writes even if the events fail to close", async () => {
  const directory = newDirectory();
  const failure = new Error("events");
  const store = await openSqliteStore(directory, async () => ({
    events: noEventStore,
    close: () => Promise.reject(failure),
  }));
  const written = versioned(store).entities.insert(gate("a"));
  await expect(store.close()).rejects.toBe(failure);
  expect(await written).toBe("inserted");
  await expect(store.entities.get(gate("a"))).rejects.toMatchObject({ code: "database_failed" });
});

it("is not opened if the events cannot be opened", async () => {
  const failure = new Error("events");
  const opened = openSqliteStore(newDirectory(), () => Promise.reject(failure));
  await expect(opened).rejects.toBe(failure);
});
