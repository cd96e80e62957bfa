import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import { fetchSpan } from "../../src/fetch/fetch-span.js";
import type { Send } from "../../src/fetch/http.js";
import { canonical } from "../../src/fetch/late-rows.js";
import type { FetchTools, Vendor } from "../../src/fetch/vendor.js";
import { amplitude } from "../../src/fetch/vendors/amplitude.js";
import { mixpanel } from "../../src/fetch/vendors/mixpanel.js";
import { posthog } from "../../src/fetch/vendors/posthog.js";
import { posthogQueries } from "../../src/fetch/vendors/posthog-queries.js";
import { WindowFiles, type WindowRecord } from "../../src/fetch/window-files.js";
import type { Window } from "../../src/fetch/windows.js";
import { directoryFiles } from "../../src/output/directory-files.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { faultyNetwork } from "./faulty-network.js";
import { readZip } from "./read-zip.js";
import { SimulatedAmplitude, type UploadedEvent } from "./vendors/simulated-amplitude.js";
import { type DayEvent, SimulatedMixpanel } from "./vendors/simulated-mixpanel.js";
import { type ReceivedEvent, SimulatedPosthog } from "./vendors/simulated-posthog.js";
import {
  exportedLine,
  SimulatedPosthogQueries,
  type StoredEvent,
} from "./vendors/simulated-posthog-queries.js";
import { VirtualClock } from "./virtual-clock.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);
const scratch = scratchDirectory("fetch-runs");
const FIRST_DAY = Date.parse("2026-01-05T00:00:00Z");

/** Mixpanel has events of a day for days after it. */
const LATE_MS = 5 * DAY_MS;

class Killed extends Error {}

/** Files of a process that dies at a call: that call is made or not, and none after it. */
class MortalFiles extends WindowFiles {
  constructor(
    directory: string,
    account: string,
    private readonly clock: VirtualClock,
    private readonly random: () => number,
    private readonly life: { left: number },
  ) {
    super(directoryFiles(directory), account);
  }

  #call<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.clock.working(async () => {
      const { life } = this;
      life.left -= 1;
      if (life.left < 0 || (life.left === 0 && this.random() < 0.5)) throw new Killed();
      const result = await work();
      if (life.left === 0) throw new Killed();
      return result;
    });
  }

  override clear = () => this.#call(() => super.clear());
  override records = () => this.#call(() => super.records());
  override requestTimes = () => this.#call(() => super.requestTimes());
  override rememberRequests: WindowFiles["rememberRequests"] = (times) =>
    this.#call(() => super.rememberRequests(times));
  override names = () => this.#call(() => super.names());
  override write: WindowFiles["write"] = (bytes) => {
    this.life.left -= 1;
    return this.life.left < 0 ? Promise.reject(new Killed()) : super.write(bytes);
  };
  override discard: WindowFiles["discard"] = (file) => this.#call(() => super.discard(file));
  override keep: WindowFiles["keep"] = (file, name) => this.#call(() => super.keep(file, name));
  override record: WindowFiles["record"] = (record) => this.#call(() => super.record(record));
  override using: WindowFiles["using"] = (names, use) =>
    this.clock.working(() => super.using(names, use));
}

/** Holds the clock while a file is checked. */
function held(vendor: Vendor, clock: VirtualClock): Vendor {
  const { older } = vendor;
  return {
    ...vendor,
    ...(older !== undefined && { older: held(older, clock) }),
    download: (window, tools) =>
      vendor.download(window, {
        signal: tools.signal,
        clock: tools.clock,
        job: tools.job,
        ask: (call) => tools.ask(call),
        repeat: (steps) => tools.repeat(steps),
        discard: (file) => tools.discard(file),
        note: (text) => tools.note(text),
        remember: (job) => tools.remember(job),
        store: (bytes, check) => tools.store(bytes, (path) => clock.working(() => check(path))),
      }),
  };
}

/** A vendor with its events, and what its files must hold. */
interface World {
  readonly vendor: Vendor;
  readonly send: Send;
  /** Returns the lines of the events of a span that the vendor has at a time. */
  wanted(span: Window, at: number): readonly string[];
  /** Returns the lines that it has or has had until a time, if that is more. */
  possible?(span: Window, at: number): readonly string[];
  /** Set if events come to days that were fetched, for up to this time. */
  readonly lateMs?: number;
  disconnect(): void;
  /** Checks that the vendor's limits were kept. */
  requireLimits(): void;
}

function amplitudeWorld(random: () => number, days: number, clock: VirtualClock): World {
  const events: UploadedEvent[] = [];
  const count = Math.floor(random() * 60);
  for (let number = 0; number < count; number++) {
    // Some hours have many events, and the edges of hours are frequent.
    const hour = Math.floor(random() ** 2 * days * 24);
    const edge = [0, HOUR_MS - 1, Math.floor(random() * HOUR_MS)][Math.floor(random() * 3)] ?? 0;
    const uploaded = FIRST_DAY + hour * HOUR_MS + edge;
    const padding = "x".repeat(Math.floor(random() * 2_000));
    events.push({ uploaded, line: JSON.stringify({ uuid: `e${number}`, padding }) });
  }
  const bytesMax = 500 + random() * 20_000;
  const simulation = new SimulatedAmplitude({ now: () => clock.now(), events, bytesMax });
  const origin = "https://amplitude.com";
  const vendor = amplitude({ apiKey: "key", secretKey: "secret", origin });
  return {
    vendor,
    send: simulation.send,
    wanted: ({ start, end }) =>
      events.filter(({ uploaded }) => uploaded >= start && uploaded < end).map(({ line }) => line),
    disconnect: () => simulation.disconnect(),
    requireLimits: () => expect(simulation.busiest).toBeLessThanOrEqual(vendor.concurrency),
  };
}

function mixpanelWorld(random: () => number, days: number, clock: VirtualClock): World {
  const events: DayEvent[] = [];
  const count = Math.floor(random() * 200);
  for (let number = 0; number < count; number++) {
    const day = FIRST_DAY + Math.floor(random() ** 2 * days) * DAY_MS;
    const padding = "x".repeat(Math.floor(random() * 200));
    const id = random() < 0.7 ? { $insert_id: `i${number}` } : {};
    const row = { event: `e${number % 40}`, properties: { time: day, ...id }, padding };
    const arrives = day + DAY_MS + random() * (random() < 0.2 ? LATE_MS : 0);
    // A row without an insert id may be there several times.
    const copies = random() < 0.05 ? 2 : 1;
    const one = { day, line: JSON.stringify(row), arrives };
    for (let copy = 0; copy < copies; copy += 1) events.push(one);
  }
  const simulation = new SimulatedMixpanel({ now: () => clock.now(), events, random });
  const about = { username: "user", secret: "secret", project: "12", region: "us" } as const;
  const vendor = mixpanel({ ...about, origin: "https://data.mixpanel.com" });
  return {
    // Answers as small as these would all fit into one.
    vendor: { ...vendor, answerBytes: 200 + random() * 5_000 },
    send: simulation.send,
    lateMs: LATE_MS,
    wanted: ({ start, end }, at) =>
      events
        .filter(({ day, arrives = 0 }) => day >= start && day < end && arrives <= at)
        .map(({ line }) => line),
    disconnect: () => undefined,
    requireLimits: () => expect(simulation.limited).toBe(0),
  };
}

function posthogWorld(random: () => number, days: number, clock: VirtualClock): World {
  const events: ReceivedEvent[] = [];
  const count = Math.floor(random() * 150);
  for (let number = 0; number < count; number++) {
    const hour = Math.floor(random() ** 2 * days * 24);
    const edge = [0, HOUR_MS - 1, Math.floor(random() * HOUR_MS)][Math.floor(random() * 3)] ?? 0;
    const padding = "x".repeat(Math.floor(random() * 100));
    const received = FIRST_DAY + hour * HOUR_MS + edge;
    // PostHog may have an event twice; each row is one of its rows.
    const uuid = `e${random() < 0.1 ? 0 : number}`;
    events.push({ received, line: JSON.stringify({ uuid, padding }) });
  }
  const isOld = random() < 0.2;
  const fileEvents = 1 + Math.floor(random() * 40);
  // Each hour can be exported.
  const inHours = new Array<number>(days * 24).fill(0);
  for (const { received } of events) {
    const hour = Math.floor((received - FIRST_DAY) / HOUR_MS);
    inHours[hour] = (inHours[hour] ?? 0) + 1;
  }
  const slowEvents = Math.max(...inHours) + 1 + Math.floor(random() * 40);
  const about = { random, faults: 0.1, fileEvents, slowEvents, isOld };
  const simulation = new SimulatedPosthog({ now: () => clock.now(), events, ...about });
  const origin = "https://us.posthog.com";
  const vendor = posthog({ key: "phx_key", project: "12", origin });
  return {
    vendor: { ...vendor, answerBytes: 200 + random() * 5_000 },
    send: simulation.send,
    wanted: ({ start, end }) =>
      events.filter(({ received }) => received >= start && received < end).map(({ line }) => line),
    disconnect: () => undefined,
    requireLimits: () => expect(simulation.limited).toBe(0),
  };
}

/** An old server, with rows that it has twice until it merges them. */
function queriesWorld(random: () => number, days: number, clock: VirtualClock): World {
  const events: StoredEvent[] = [];
  const count = Math.floor(random() * 150);
  for (let number = 0; number < count; number++) {
    const hour = Math.floor(random() ** 2 * days * 24);
    // Many rows have one time, and windows have rows at their very edges.
    const minute = Math.floor(random() * 3) * 20;
    const fraction = ["00.000000", "59.999999", "00.000001"][Math.floor(random() * 3)];
    const received = FIRST_DAY + hour * HOUR_MS + minute * 60_000;
    const arrives = received + random() * (random() < 0.2 ? LATE_MS : HOUR_MS);
    const event = {
      uuid: `${Math.floor(random() * 1e9).toString(16)}-${number}`,
      time: `${new Date(received).toISOString().slice(0, 17).replace("T", " ")}${fraction}`,
      distinctId: `it's ${number}`,
      properties: `{"number": ${number},\n "text": "x\\ny"}`,
      personProperties: "{}",
    };
    events.push({ ...event, arrives });
    const merges = arrives + random() * 4 * DAY_MS;
    if (random() < 0.2) events.push({ ...event, arrives, merges });
  }
  const about = { random, faults: 0.03, slowRows: 20 + Math.floor(random() * 60) };
  const simulation = new SimulatedPosthogQueries({ now: () => clock.now(), events, ...about });
  const options = { key: "phx_key", project: "12", origin: "https://posthog.example" };
  const older = posthogQueries(options, 3 + Math.floor(random() * 20));
  const inSpan = ({ start, end }: Window) => {
    const [first, last] = [start, end].map((ms) =>
      new Date(ms).toISOString().slice(0, -1).replace("T", " "),
    );
    return events.filter(({ time }) => time >= (first ?? "") && time < (last ?? ""));
  };
  return {
    vendor: { ...posthog(options), older: { ...older, answerBytes: 200 + random() * 5_000 } },
    send: simulation.send,
    lateMs: LATE_MS,
    wanted: (span, at) =>
      inSpan(span)
        // Rows that are merged during a run may be in it or not.
        .filter(
          ({ arrives = 0, merges }) => arrives <= at && (merges ?? clock.now() + 1) > clock.now(),
        )
        .map(exportedLine),
    possible: (span, at) =>
      inSpan(span)
        .filter(({ arrives = 0 }) => arrives <= at)
        .map(exportedLine),
    disconnect: () => simulation.disconnect(),
    requireLimits: () => expect(simulation.limited).toBe(0),
  };
}

function requireTiles(records: readonly WindowRecord[], span: Window): void {
  let covered = span.start;
  for (const { start, end } of records) {
    expect(start).toBe(covered);
    covered = end;
  }
  expect(covered).toBe(span.end);
}

async function rowsIn(
  directory: string,
  records: readonly WindowRecord[],
): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const file of records.flatMap(({ files }) => files)) {
    const bytes = readFileSync(join(directory, file.name));
    const members = file.name.endsWith(".zip") ? await readZip(bytes) : [bytes];
    const isPlain = file.name.endsWith(".jsonl");
    const texts = members.map((member) => (isPlain ? member : gunzipSync(member)).toString());
    const lines = texts.flatMap((text) => text.trimEnd().split("\n"));
    expect([members.length, lines.length]).toEqual([file.members, file.rows]);
    rows.push(...lines);
  }
  return rows.sort();
}

/** Counts rows, whatever the order of their keys is. */
function countsOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) {
    const row = canonical(JSON.parse(line));
    counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  return counts;
}

/** Each world has about four and a half runs, of which a third is killed. */
test.each([
  ["amplitude", amplitudeWorld, 3, 80],
  ["mixpanel", mixpanelWorld, 90, 60],
  ["posthog", posthogWorld, 20, 40],
  ["an old posthog", queriesWorld, 4, 16],
] as const)(
  `any faults and kills give each event once: %s (SWITCHYARD_SEED=${seed})`,
  async (_, createWorld, daysMax, worlds) => {
    const random = createRandom(seed);
    let kills = 0;
    for (let run = propertyRuns(worlds); run > 0; run--) {
      const directory = join(scratch, `run-${run}`);
      mkdirSync(directory, { recursive: true });
      const days = 1 + Math.floor(random() * daysMax);
      const clock = new VirtualClock(FIRST_DAY + Math.floor((days + random()) * DAY_MS));
      const world = createWorld(random, days + 2, clock);
      kills += await runWorld(world, directory, clock, random);
      world.requireLimits();
      rmSync(directory, { recursive: true });
    }
    expect(kills).toBeGreaterThan(0);
  },
  900_000,
);

/** Fetches four times or more, as time goes on, and returns how often a run was killed. */
async function runWorld(
  world: World,
  directory: string,
  clock: VirtualClock,
  random: () => number,
): Promise<number> {
  const vendor = held(world.vendor, clock);
  const network = { clock, random, share: random() * 0.15 };
  let kills = 0;
  for (let attempt = 1; ; attempt++) {
    const isMortal = attempt < 6 && random() < 0.7;
    const life = { left: isMortal ? Math.floor(random() ** 2 * 60) : Number.POSITIVE_INFINITY };
    const filesOf = (account: string) => new MortalFiles(directory, account, clock, random, life);
    const signal = new AbortController().signal;
    const tools: FetchTools = { send: faultyNetwork(world.send, network), clock, random, signal };
    const began = clock.now();
    const { lateMs } = world;
    // Runs that are killed in a row take days.
    const recheckMs = lateMs === undefined ? DAY_MS : lateMs + 20 * DAY_MS;
    const outcome = await clock
      .run(fetchSpan({ vendor, filesOf, from: FIRST_DAY, recheckMs, observer: {} }, tools))
      .catch((error: unknown) => {
        if (error instanceof Killed) return undefined;
        throw error;
      });
    if (outcome === undefined) {
      kills += 1;
      world.disconnect();
      continue;
    }
    const { span } = outcome;
    requireTiles(outcome.records, span);
    const rows = countsOf(await rowsIn(directory, outcome.records));
    // What arrives during a run may be in it or not.
    const least = countsOf(world.wanted(span, began));
    const most = countsOf((world.possible ?? world.wanted)(span, clock.now()));
    for (const [row, count] of most) {
      expect(rows.get(row) ?? 0, row).toBeLessThanOrEqual(count);
      expect(rows.get(row) ?? 0, row).toBeGreaterThanOrEqual(least.get(row) ?? 0);
    }
    for (const row of rows.keys()) expect(most.has(row), row).toBe(true);
    if (attempt >= 4) return kills;
    await clock.run(clock.sleep(random() * DAY_MS));
  }
}
