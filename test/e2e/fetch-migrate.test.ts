import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import { SqliteDatabase } from "../../src/storage/sqlite-database.js";
import { type ServedVendor, serveVendor } from "../fetch/vendors/serve-vendor.js";
import { SimulatedAmplitude, type UploadedEvent } from "../fetch/vendors/simulated-amplitude.js";
import { runSwitchyard } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);
const KILLS = propertyRuns(8);
const FIRST = Date.parse("2026-03-01T00:00:00Z");
const DAYS = 3;
const MORE_DAYS = 2;
const EVENTS_OF_HOUR = 12;
const scratch = scratchDirectory("fetch-migrate");
const keys = { AMPLITUDE_API_KEY: "key-of-amplitude", AMPLITUDE_SECRET_KEY: "secret-of-amplitude" };

let server: ServedVendor | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/**
 * Events in the order of their upload: some happened up to two days before, and some are repeated later, as
 * devices do that get no answer.
 */
function uploads(random: () => number): readonly UploadedEvent[] {
  const events: UploadedEvent[] = [];
  const count = (DAYS + MORE_DAYS) * 24 * EVENTS_OF_HOUR;
  for (let number = 0; number < count; number++) {
    const uploaded = FIRST + Math.floor((number / EVENTS_OF_HOUR) * HOUR_MS);
    const isLate = random() < 0.1;
    const time = new Date(uploaded - Math.floor(random() * (isLate ? 2 * DAY_MS : 60_000)));
    const row = {
      event_type: `event ${number % 7}`,
      event_time: time.toISOString().replace("T", " ").replace("Z", "000"),
      user_id: `user ${number % 40}`,
      device_id: `device ${number % 50}`,
      uuid: `uuid-${number}`,
      $insert_id: `insert-${number}`,
      event_properties: { number },
      user_properties: { plan: "free" },
    };
    events.push({ uploaded, line: JSON.stringify(row) });
    if (random() < 0.05) {
      const again = JSON.stringify({ ...row, uuid: `uuid-${number}-again` });
      events.push({ uploaded: uploaded + Math.floor(random() * DAY_MS), line: again });
    }
  }
  return events;
}

interface EventFacts {
  readonly $insert_id: string;
  readonly event_type: string;
  readonly event_time: string;
}

/** Counts what has been uploaded before a time by day and name, each insert id once. */
function expectedCounts(events: readonly UploadedEvent[], until: number): Map<string, number> {
  const rows = events
    .filter(({ uploaded }) => uploaded < until)
    .map(({ line }) => JSON.parse(line) as EventFacts);
  const single = new Map(rows.map((row) => [row.$insert_id, row]));
  return countBy([...single.values()], (row) => `${row.event_time.slice(0, 10)} ${row.event_type}`);
}

function countBy<T>(all: Iterable<T>, keyOf: (one: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return new Map([...counts].sort());
}

interface StoredRow {
  readonly body: string;
  /** ms since 1970. */
  readonly timestamp: number;
}

/** Counts the events that the service has stored, without its own sums. */
function storedCounts(directory: string): Map<string, number> {
  const database = new SqliteDatabase(join(directory, ".switchyard/events.db"));
  try {
    const bodies = database.all("SELECT body, timestamp FROM event") as StoredRow[];
    return countBy(bodies, ({ body, timestamp }) => {
      const { event } = JSON.parse(body) as { event: string };
      return `${new Date(timestamp).toISOString().slice(0, 10)} ${event}`;
    });
  } finally {
    database.close();
  }
}

/** Returns what all files hold, as text. */
function textOf(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

it(`fetches, validates, exports, sends, qualifies and verifies once through any kills, and later what has come since (SWITCHYARD_SEED=${seed})`, {
  timeout: 900_000,
}, async () => {
  const random = createRandom(seed);
  const events = uploads(random);
  const vendor = new SimulatedAmplitude({
    apiKey: keys.AMPLITUDE_API_KEY,
    secretKey: keys.AMPLITUDE_SECRET_KEY,
    now: () => FIRST + 99 * DAY_MS,
    events,
    bytesMax: 20_000,
  });
  server = await serveVendor(vendor.send);
  const directory = join(scratch, "migration");
  mkdirSync(directory);
  const configuration = {
    steps: ["fetch", "validate", "export", "send", "qualify", "verify"],
    inputs: ["raw"],
    preset: "amplitude",
    dedupe: "all",
    service: "embedded",
    fetch: { vendor: "amplitude", from: "2026-03-01", to: "raw", host: server.url },
    export: { to: "out", format: "jsonl" },
  };
  writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(configuration));

  const migrate = (until: number, killAfterMs?: number) =>
    runSwitchyard(["migrate", "--json"], {
      cwd: directory,
      env: { ...keys, SWITCHYARD_FETCH_UNTIL: new Date(until).toISOString().slice(0, 10) },
      started: (child) => {
        if (killAfterMs === undefined) return;
        const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
        child.once("close", () => clearTimeout(timer));
      },
    });

  let kills = 0;
  let wholeMs = 3_000;
  for (const days of [DAYS, DAYS + MORE_DAYS]) {
    const until = FIRST + days * DAY_MS;
    for (let attempt = 0; attempt < Math.ceil(KILLS / 2); attempt++)
      if ((await migrate(until, random() * wholeMs)).signal === "SIGKILL") kills += 1;
    const started = performance.now();
    const { exitCode, stdout, stderr } = await migrate(until);
    wholeMs = Math.max(wholeMs, performance.now() - started);
    expect(exitCode, stderr + stdout).toBe(0);
    const expected = expectedCounts(events, until);
    const exported = await readDelivered(join(directory, "out/events"));
    const ids = new Set(exported.map(({ text }) => /"insertID":"([^"]+)"/.exec(text)?.[1]));
    const total = [...expected.values()].reduce((sum, count) => sum + count, 0);
    expect([exported.length, ids.size]).toEqual([total, total]);
    expect(storedCounts(directory)).toEqual(expected);
    const again = JSON.parse((await migrate(until)).stdout);
    expect(again).toMatchObject({ exitCode: 0, nothingNew: true });
    expect(again.steps[0]).toMatchObject({ command: "fetch", fetched: 0, requests: 0 });
  }
  expect(kills).toBeGreaterThan(0);
  expect(vendor.busiest).toBeLessThanOrEqual(4);
  expect(textOf(directory)).not.toMatch(/(?:key|secret)-of-amplitude/);
});
