import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { builtFile } from "../../src/base/package-files.js";
import { eventSchema } from "../../src/storage/database-schemas.js";
import type { StoredEvent } from "../../src/storage/event-store.js";
import { openDatabase } from "../../src/storage/open-database.js";
import { SqliteDatabase } from "../../src/storage/sqlite-database.js";
import { type OpenEventStore, openEventStore } from "../../src/storage/sqlite-store.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("gate-answers");
let places = 0;
const now = Date.UTC(2026, 5, 30, 12);
const DAY = 86_400_000;

const opened: OpenEventStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function open(place = join(scratch, `data${++places}`)) {
  const store = await openEventStore(place, {
    writerEntry: builtFile("event-writer-thread.js"),
    readerEntry: builtFile("event-reader-thread.js"),
    now: () => now,
  });
  opened.push(store);
  return { events: store.events, place };
}

function asked(gate: unknown, gateValue: unknown, timestamp: number): StoredEvent {
  const event = "statsig::gate_exposure";
  const day = new Date(timestamp).toISOString().slice(0, 10);
  return { day, event, timestamp, body: JSON.stringify({ event, metadata: { gate, gateValue } }) };
}

it("counts the answers of gates by value, from a day on, with the last time of all", async () => {
  const { events } = await open();
  const early = now - 3 * DAY;
  await events.append({
    events: [asked("a", "true", now), asked("a", "true", now - 1), asked("b", "false", early)],
    idempotencyKey: "one",
  });
  await events.append({
    events: [asked("a", "false", early), asked("c", "true", now)],
    idempotencyKey: "two",
  });
  // A repeated request counts once.
  await events.append({ events: [asked("a", "true", now)], idempotencyKey: "one" });
  const gates = ["a", "b", "c", "unknown"];
  expect(await events.gateAnswers(gates, now - DAY)).toEqual([
    { gate: "a", trueExposures: 2, falseExposures: 0, lastExposureTime: now },
    { gate: "b", trueExposures: 0, falseExposures: 0, lastExposureTime: early },
    { gate: "c", trueExposures: 1, falseExposures: 0, lastExposureTime: now },
  ]);
  expect(await events.gateAnswers(["a"], early)).toMatchObject([
    { trueExposures: 2, falseExposures: 1 },
  ]);
});

it("skips what is not an answer of a gate, and forgets what is too old", async () => {
  const { events, place } = await open();
  const deep = `{"metadata":{"gate":"deep","gateValue":"true","x":${"[".repeat(1_500)}${"]".repeat(1_500)}}}`;
  await events.append({
    events: [
      asked(7, "true", now),
      asked("a", true, now),
      asked("b", "yes", now),
      asked("x".repeat(101), "true", now),
      { ...asked("deep", "true", now), body: deep },
      { ...asked("other", "true", now), event: "other" },
      { ...asked("nothing", "true", now), body: "{}" },
      asked("old", "true", now - 401 * DAY),
      asked("kept", "true", now - 399 * DAY),
    ],
    idempotencyKey: undefined,
  });
  const database = new SqliteDatabase(join(place, "events.db"));
  expect(database.all("SELECT gate FROM gate_answer")).toEqual([{ gate: "kept" }]);
  database.close();
});

it("counts the events of earlier versions when the database is updated", async () => {
  const file = join(scratch, "earlier.db");
  const earlier = { ...eventSchema, migrations: eventSchema.migrations.slice(0, 2) };
  const database = await openDatabase(file, earlier);
  database.run("INSERT INTO event_series VALUES (1, '2026-06-30', 'statsig::gate_exposure', 3)");
  for (const [gate, value] of [
    ["a", "true"],
    ["a", "true"],
    ["a", "false"],
  ]) {
    const { timestamp, body } = asked(gate, value, now);
    database.run("INSERT INTO event (series, timestamp, body) VALUES (1, ?, ?)", [timestamp, body]);
  }
  database.close();
  const updated = await openDatabase(file, eventSchema);
  expect(updated.all("SELECT * FROM gate_answer ORDER BY value")).toEqual([
    { gate: "a", day: "2026-06-30", value: 0, exposures: 1, last_time: now },
    { gate: "a", day: "2026-06-30", value: 1, exposures: 2, last_time: now },
  ]);
  updated.close();
});
