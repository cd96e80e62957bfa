import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import type { Report, TopID } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("true-numbers");
const file = join(directory, "events.jsonl");
const ROWS = isCi ? 60_000 : 30_000;

/** Rows of 6,000 users in no order, a few of them busy, a device that many share, and pages with a long tail. */
function rowsOfManyUsers(): string {
  const random = createRandom(16);
  const below = (count: number) => Math.floor(random() * count);
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const user = below(50) === 0 ? below(12) : 12 + below(5_988);
    const device = below(80) === 0 ? "kiosk" : `device-${user}-${below(3) === 0 ? 1 : 0}`;
    const page = below(4) === 0 ? `/page/${below(5)}` : `/item/${below(20_000)}`;
    return JSON.stringify({
      event_type: `event ${below(7)}`,
      event_time: new Date(Date.UTC(2026, 0, 1) + index * 20_000).toISOString(),
      user_id: `user ${String(user).padStart(5, "0")}`,
      device_id: device,
      event_properties: { page },
    });
  });
  return `${rows.join("\n")}\n`;
}

async function validate(...words: readonly string[]): Promise<Report> {
  await runInProcess(["validate", ...words, "--preset", "amplitude"], { cwd: directory });
  return JSON.parse(readFileSync(join(directory, "report/report.json"), "utf8")) as Report;
}

const validateFile = (...words: readonly string[]) =>
  validate(file, "--split-size", "1MiB", ...words);

/** Rows of an independent count. */
async function query(sql: string, from = file): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql.replace("EVENTS", `read_json('${from}')`));
  return reader
    .getRowsJS()
    .map((row) => row.map((one) => (typeof one === "bigint" ? Number(one) : one)));
}

const listed = (ids: readonly TopID[]) =>
  ids.map(({ id, rows, others }) => [id, rows, others.count]);

describe("the numbers of a report", () => {
  let report: Report;
  beforeAll(async () => {
    writeFileSync(file, rowsOfManyUsers());
    report = await validateFile();
  });

  it("names the users and devices with the most events and the most ids of the other kind", async () => {
    const top = (id: string, other: string, order: string) =>
      query(`SELECT ${id}, count(*) AS n, count(DISTINCT ${other}) AS o FROM EVENTS
             GROUP BY ALL ${order} LIMIT 10`);
    const byRows = (id: string) => `ORDER BY n DESC, ${id}`;
    const byOthers = "HAVING o >= 10 ORDER BY o DESC";
    const { identity } = report;
    expect(listed(identity.topUsers)).toEqual(await top("user_id", "device_id", byRows("user_id")));
    expect(listed(identity.topDevices)).toEqual(
      await top("device_id", "user_id", byRows("device_id")),
    );
    expect(listed(identity.sharedUsers)).toEqual(await top("user_id", "device_id", byOthers));
    expect(listed(identity.sharedDevices)).toEqual(await top("device_id", "user_id", byOthers));
  });

  it("counts users and devices exactly, and the users of each event", async () => {
    const [[users, devices] = []] = await query(
      "SELECT count(DISTINCT user_id), count(DISTINCT device_id) FROM EVENTS",
    );
    const { identity, events } = report;
    expect(identity.users).toEqual({ count: users, error: 0 });
    expect(identity.devices).toEqual({ count: devices, error: 0 });
    const ofEvents = await query(
      "SELECT event_type, count(DISTINCT user_id) FROM EVENTS GROUP BY ALL ORDER BY event_type",
    );
    const told = events.map((event) => [event.event, event.users?.count, event.users?.error]);
    expect(told.sort()).toEqual(ofEvents.map((one) => [...one, 0]));
  });

  it("names a shared device with its true numbers", async () => {
    const finding = report.findings.find(({ code }) => code === "device_shared");
    const [[rows, users] = []] = await query(
      "SELECT count(*), count(DISTINCT user_id) FROM EVENTS WHERE device_id = 'kiosk'",
    );
    expect(finding?.rows).toBe(rows);
    expect(finding?.title).toContain(`"kiosk" has ${users} users`);
  });

  it("shows only frequent values that exceed the error, with that error", async () => {
    const exact = new Map(
      (
        await query("SELECT event_type, event_properties.page, count(*) FROM EVENTS GROUP BY ALL")
      ).map(([event, page, rows]) => [`${event} ${page}`, rows as number]),
    );
    for (const { event, properties } of report.events) {
      const [page] = properties?.keys ?? [];
      const [values, error] = [page?.topValues ?? [], page?.topValuesError ?? 0];
      expect(values.map(({ value }) => value).sort()).toEqual(
        [0, 1, 2, 3, 4].map((number) => `/page/${number}`),
      );
      for (const { value, rows } of values) {
        const truth = exact.get(`${event} ${value}`) ?? 0;
        expect(rows).toBeGreaterThan(error);
        expect(rows).toBeLessThanOrEqual(truth);
        expect(rows + error).toBeGreaterThanOrEqual(truth);
      }
    }
  });

  longTest("does not depend on the number of threads", async () => {
    const { run: _, ...others } = await validateFile("--threads", "1");
    const { run: __, ...more } = await validateFile("--threads", "2");
    expect({ ...others, estimates: 0 }).toEqual({ ...more, estimates: 0 });
  });
});

describe("rejected rows", () => {
  const rejectedFile = join(directory, "rejected.jsonl");
  const transformFile = join(directory, "transform.mjs");
  // Every third row has no id, every seventh no name, every eleventh no time, and the transform fails for
  // every fifth.
  const rows = Array.from({ length: 600 }, (_, index) => ({
    event_type: index % 7 === 0 ? null : index % 5 === 0 ? "fails" : "works",
    event_time:
      index % 11 === 0 ? null : new Date(Date.UTC(2026, 2, 1) + index * 900_000).toISOString(),
    user_id: index % 3 === 0 ? null : "mina",
  }));

  const cases: readonly [string, readonly string[], string][] = [
    ["without a transform", [], "user_id IS NULL OR event_type IS NULL"],
    [
      "with one",
      ["--transform", transformFile],
      "user_id IS NULL OR event_type IS NULL OR event_type = 'fails'",
    ],
  ];
  it.each(someOf(cases, 2))("count on their own days %s", async (_, words, condition) => {
    writeFileSync(rejectedFile, rows.map((row) => JSON.stringify(row)).join("\n"));
    writeFileSync(
      transformFile,
      'export default (event) => {\n  if (event.event === "fails") throw new Error("it fails");\n  return event;\n};\n',
    );
    const { days } = await validate(rejectedFile, ...words);
    const expected = await query(
      `SELECT strftime(event_time, '%Y-%m-%d') AS day, count(*) FROM EVENTS
       WHERE event_time IS NOT NULL AND (${condition})
       GROUP BY day ORDER BY day`,
      rejectedFile,
    );
    expect(days.map(({ day, rejected }) => [day, rejected])).toEqual(expected);
  });
});

describe("fields without values", () => {
  const vanishing = join(directory, "vanishing.jsonl");
  // From 1 February on, the properties are in another field, and some rows have no user.
  const rows = Array.from({ length: 5_900 }, (_, index) => {
    const time = Date.UTC(2026, 0, 1) + index * 864_000;
    const properties = index % 50 === 0 ? {} : { plan: "free" };
    return {
      event_type: index % 3 === 0 ? "open" : "close",
      event_time: new Date(time).toISOString(),
      user_id: index % 7 === 0 ? null : `user ${index % 100}`,
      device_id: "phone",
      [index < 3_100 ? "event_properties" : "event_props"]: properties,
    };
  });

  it("are counted by day, and a field that vanishes is found with its first day", async () => {
    writeFileSync(vanishing, rows.map((row) => JSON.stringify(row)).join("\n"));
    const { days, findings } = await validate(vanishing);
    const truth = await query(
      `SELECT strftime(event_time, '%Y-%m-%d') AS day, count(*) FILTER (user_id IS NULL),
         count(*) FILTER (event_properties.plan IS NULL) FROM EVENTS GROUP BY day ORDER BY day`,
      vanishing,
    );
    expect(days.map(({ day, empty }) => [day, empty.userID, empty.metadata])).toEqual(truth);
    expect(findings.filter(({ code }) => code === "field_vanished")).toMatchObject([
      { title: "metadata has no values from 2026-02-01 on", rows: 2_800, day: "2026-02-01" },
    ]);
  });
});

describe("properties that are renamed", () => {
  const renamed = join(directory, "renamed.jsonl");
  const rows = Array.from({ length: 2_800 }, (_, index) => ({
    event_type: index % 3 === 0 ? "open" : "close",
    event_time: new Date(Date.UTC(2026, 0, 1) + index * 864_000).toISOString(),
    user_id: "mina",
    event_properties: {
      page: 1,
      [index < 1_450 ? "plan" : "tier"]: index % 9 === 0 ? null : "free",
    },
  }));

  it("are found with the days of their first and last values", async () => {
    writeFileSync(renamed, rows.map((row) => JSON.stringify(row)).join("\n"));
    const { events, findings } = await validate(renamed, "--split-size", "64KiB");
    for (const key of ["page", "plan", "tier"]) {
      const truth = await query(
        `SELECT event_type AS name, strftime(min(event_time), '%Y-%m-%d'), strftime(max(event_time), '%Y-%m-%d')
         FROM EVENTS WHERE event_properties.${key} IS NOT NULL GROUP BY name ORDER BY name`,
        renamed,
      );
      const told = events.map(({ event, properties }) => {
        const days = properties?.keys.find((one) => one.key === key)?.days;
        return [event, days?.first, days?.last];
      });
      expect(told.sort()).toEqual(truth);
    }
    expect(findings.filter(({ code }) => code === "property_vanished")).toMatchObject([
      { title: 'Property "plan" was last seen on 2026-01-15', rows: 1_300, property: "plan" },
    ]);
  });
});

describe("user ids of anonymous visitors", () => {
  const shapes = join(directory, "shapes.jsonl");
  const generated = [
    "0190f3c8-7a5e-7cc2-9d6b-3f1c2a4b5d6e",
    "0190F3C8-7A5E-7CC2-9D6B-3F1C2A4B5D6ER",
    "182d1a7d3f2b4e-0e6e5e1f7a2d8b-26021c51-1fa400-182d1a7d3f3c4d",
  ];
  const others = [
    "mina@example.com",
    "0190f3c8-7a5e-7cc2-9d6b-3f1c2a4b5d6g",
    "a-b-c-d-e",
    "$device:x",
  ];
  const rows = Array.from({ length: 700 }, (_, index) => ({
    event_type: "open",
    event_time: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
    user_id: [...generated, ...others, "00000000-0000-0000-0000-000000000000"][index % 8],
    device_id: index % 16 >= 3 ? "phone" : null,
  }));

  it("are counted by their shape", async () => {
    writeFileSync(shapes, rows.map((row) => JSON.stringify(row)).join("\n"));
    const { identity } = await validate(shapes);
    const [truth] = await query(
      `SELECT count(*) FILTER (user_id LIKE '$device:%'),
         count(*) FILTER (device_id IS NULL AND user_id IN ('${generated.join("','")}')),
         count(*) FILTER (device_id IS NOT NULL AND user_id IN ('${generated.join("','")}')) FROM EVENTS`,
      shapes,
    );
    const { devicePrefixes, generatedAlone, generatedBeside } = identity;
    expect([devicePrefixes, generatedAlone, generatedBeside]).toEqual(truth);
  });
});
