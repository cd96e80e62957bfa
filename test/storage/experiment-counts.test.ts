import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtFile } from "../../src/base/package-files.js";
import { eventSchema } from "../../src/storage/database-schemas.js";
import { packIntake } from "../../src/storage/event-queue.js";
import type { EventIntake, StoredEvent } from "../../src/storage/event-store.js";
import {
  countExperiment,
  type ExperimentCounts,
  type ExperimentQuestion,
} from "../../src/storage/experiment-counts.js";
import { openDatabase } from "../../src/storage/open-database.js";
import { SqliteEventWriter } from "../../src/storage/sqlite-event-writer.js";
import { openEventStore } from "../../src/storage/sqlite-store.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("experiment-counts");

const DAY = 86_400_000;
const start = Date.UTC(2026, 0, 10, 15);

interface Body {
  readonly event: string;
  readonly user?: Readonly<Record<string, unknown>> | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

function event(timestamp: number, body: Body): StoredEvent {
  const day = new Date(timestamp).toISOString().slice(0, 10);
  return { day, event: body.event, timestamp, body: JSON.stringify({ ...body, timestamp }) };
}

const question: ExperimentQuestion = {
  experimentID: "exp",
  loggedNames: ["exp", "193491849"],
  groupIDs: ["control", "test"],
  idType: "userID",
  startTime: start,
  endTime: start + 30 * DAY,
  event: "buy",
  windowMs: undefined,
};

async function counted(
  events: readonly StoredEvent[],
  asked: Partial<ExperimentQuestion> = {},
  unitsMax?: number,
): Promise<ExperimentCounts> {
  const database = await openDatabase(":memory:", eventSchema);
  new SqliteEventWriter(database).write([packIntake({ events, idempotencyKey: undefined }, start)]);
  const counts = countExperiment(database, { ...question, ...asked }, unitsMax);
  database.close();
  return counts;
}

const config = (user: Body["user"], ruleID: unknown, name = "exp"): Body => ({
  event: "statsig::config_exposure",
  user: user ?? null,
  metadata: { config: name, ruleID, rulePassed: "true" },
});

describe("countExperiment", () => {
  it("counts both kinds of exposures, and those of this experiment's groups alone", async () => {
    const layer = (userID: string, allocatedExperiment: string) => ({
      event: "statsig::layer_exposure",
      user: { userID },
      metadata: { config: "a_layer", ruleID: "test", allocatedExperiment },
    });
    const counts = await counted([
      event(start, config({ userID: "a" }, "control")),
      event(start, config({ userID: "b" }, "control", "other")),
      event(start, config({ userID: "c" }, "layerAssignment")),
      event(start, config({ userID: "d" }, "test:userID:id_override")),
      event(start, config({ userID: "e" }, null)),
      event(start, layer("f", "exp")),
      event(start, layer("g", "193491849")),
      event(start, layer("h", "other")),
      event(start, {
        event: "statsig::gate_exposure",
        user: { userID: "i" },
        metadata: { config: "exp", ruleID: "test" },
      }),
    ]);
    expect(counts.groups.map(({ units }) => units)).toEqual([1, 2]);
  });

  it("counts a unit once, on the day of its first exposure by its own time", async () => {
    const counts = await counted([
      event(start + 2 * DAY, config({ userID: "a" }, "control")),
      event(start + DAY, config({ userID: "a" }, "control")),
      event(start + 3 * DAY, config({ userID: "b" }, "control")),
    ]);
    expect(counts.groups[0]?.firstExposures).toEqual([
      { day: "2026-01-11", units: 1 },
      { day: "2026-01-13", units: 1 },
    ]);
  });

  it("leaves out units of two groups, exposures outside of the time, and users without an id", async () => {
    const counts = await counted([
      event(start, config({ userID: "a" }, "control")),
      event(start + 1, config({ userID: "a" }, "test")),
      event(start - 1, config({ userID: "b" }, "test")),
      event(start + 30 * DAY, config({ userID: "c" }, "test")),
      event(start, config({ customIDs: { userID: "d" } }, "test")),
      event(start, config({ userID: "" }, "test")),
      event(start, config(null, "test")),
      event(start, { event: "buy", user: { userID: "a" } }),
    ]);
    expect(counts).toEqual({
      groups: [
        { units: 0, firstExposures: [], convertedUnits: 0 },
        { units: 0, firstExposures: [], convertedUnits: 0 },
      ],
      crossoverUnits: 1,
      exposuresWithoutUnitID: 3,
    });
  });

  it("counts conversions from the first exposure on, and within the window", async () => {
    const events = [
      ...["a", "b", "c", "d"].map((userID) => event(start + DAY, config({ userID }, "test"))),
      event(start + DAY, { event: "buy", user: { userID: "a" } }),
      event(start + 2 * DAY, { event: "buy", user: { userID: "a" } }),
      event(start + DAY - 1, { event: "buy", user: { userID: "b" } }),
      event(start + 2 * DAY, { event: "buy", user: { userID: "c" } }),
      event(start + 2 * DAY, { event: "sell", user: { userID: "d" } }),
      event(start + 2 * DAY, { event: "buy", user: { userID: "nobody" } }),
      event(start + 2 * DAY, { event: "buy" }),
    ];
    expect((await counted(events)).groups[1]?.convertedUnits).toBe(2);
    expect((await counted(events, { windowMs: DAY })).groups[1]?.convertedUnits).toBe(1);
    expect((await counted(events, { event: undefined })).groups[1]?.convertedUnits).toBe(0);
  });

  it("finds ids of other types as SDKs do, and the device of the event route", async () => {
    const events = [
      event(start, config({ userID: "u", customIDs: { STABLEID: "a" } }, "test")),
      event(start, config({ stableID: "b" }, "test")),
      event(start, config({ userID: "v" }, "test")),
      event(start, { event: "buy", user: { stableID: "a" } }),
      event(start, { event: "buy", user: { customIDs: { stableID: "b" } } }),
      event(start, config({ userID: "w", targetingKey: "c" }, "test")),
    ];
    const counts = await counted(events, { idType: "stableID" });
    expect(counts.groups[1]).toMatchObject({ units: 3, convertedUnits: 2 });
    expect(counts.exposuresWithoutUnitID).toBe(1);
    const numbers = [
      event(start, config({ userID: 12 }, "test")),
      event(start, { event: "buy", user: { userID: "12" } }),
    ];
    expect((await counted(numbers)).groups[1]).toMatchObject({ units: 1, convertedUnits: 1 });
  });

  it("skips events that are nested too deeply for the database", async () => {
    const depth = 1_500;
    const deep = `{"deep":${"[".repeat(depth)}${"]".repeat(depth)},"config":"exp","ruleID":"test"}`;
    const body = `{"event":"statsig::config_exposure","user":{"userID":"a"},"metadata":${deep}}`;
    const shallow = event(start, config({ userID: "b" }, "test"));
    const counts = await counted([{ ...shallow, body }, shallow]);
    expect(counts.groups[1]?.units).toBe(1);
  });

  it("agrees with a plain count of random events, in one part and in several", async () => {
    const random = createRandom(7);
    const events = Array.from({ length: 30_000 }, () => {
      const user = { userID: `u${Math.floor(random() * 2_000)}` };
      const time = start + Math.floor((random() - 0.05) * 10 * DAY);
      const kind = random();
      if (kind < 0.4) return event(time, { event: "buy", user });
      // Each unit has its group, except for some exposures.
      const isTest = user.userID.length % 2 === 0 || random() < 0.02;
      return event(time, config(user, isTest ? "test" : "control", kind < 0.9 ? "exp" : "other"));
    });
    const windowMs = 2 * DAY;
    const expected = plainCounts(events, windowMs);
    expect(expected.crossoverUnits).toBeGreaterThan(0);
    expect(expected.groups.every(({ convertedUnits }) => convertedUnits > 0)).toBe(true);
    expect(await counted(events, { windowMs })).toEqual(expected);
    expect(await counted(events, { windowMs }, 300)).toEqual(expected);
  });

  it("counts in a thread as on this one", async () => {
    const intake: EventIntake = {
      events: [event(start, config({ userID: "a" }, "control"))],
      idempotencyKey: undefined,
    };
    const { events, close } = await openEventStore(join(scratch, "data"), {
      writerEntry: builtFile("event-writer-thread.js"),
      readerEntry: builtFile("event-reader-thread.js"),
    });
    await events.append(intake);
    const counts = await events.countExperiment(question);
    expect(counts).toEqual(await counted(intake.events));
    await close();
  });
});

/** Counts without an index, a slice or a database. */
function plainCounts(events: readonly StoredEvent[], windowMs: number): ExperimentCounts {
  const parsed = events.map(({ body }) => JSON.parse(body));
  const inTime = parsed.filter(({ timestamp }) => timestamp >= start);
  const exposures = inTime.filter(({ metadata }) => metadata?.config === "exp");
  const units = [...new Set(exposures.map(({ user }) => user.userID as string))].map((userID) => {
    const own = exposures.filter(({ user }) => user.userID === userID);
    const first = Math.min(...own.map(({ timestamp }) => timestamp));
    const isConverted = inTime.some(
      ({ event, user, timestamp }) =>
        event === "buy" &&
        user.userID === userID &&
        timestamp >= first &&
        timestamp < first + windowMs,
    );
    const groups = [...new Set(own.map(({ metadata }) => metadata.ruleID))];
    return { groups, day: new Date(first).toISOString().slice(0, 10), isConverted };
  });
  const groups = question.groupIDs.map((id) => {
    const own = units.filter(({ groups }) => groups.length === 1 && groups[0] === id);
    const days = [...new Set(own.map(({ day }) => day))].sort();
    return {
      units: own.length,
      firstExposures: days.map((day) => ({
        day,
        units: own.filter((unit) => unit.day === day).length,
      })),
      convertedUnits: own.filter(({ isConverted }) => isConverted).length,
    };
  });
  const crossoverUnits = units.filter(({ groups }) => groups.length > 1).length;
  return { groups, crossoverUnits, exposuresWithoutUnitID: 0 };
}
