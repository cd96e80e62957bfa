import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import { runFetch } from "../../src/fetch/run-fetch.js";
import type { FetchTools, Vendor } from "../../src/fetch/vendor.js";
import { amplitude } from "../../src/fetch/vendors/amplitude.js";
import { WindowFiles, type WindowRecord } from "../../src/fetch/window-files.js";
import type { Window } from "../../src/fetch/windows.js";
import { directoryFiles } from "../../src/output/directory-files.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { faultyNetwork } from "./faulty-network.js";
import { readZip } from "./read-zip.js";
import { SimulatedAmplitude, type UploadedEvent } from "./vendors/simulated-amplitude.js";
import { VirtualClock } from "./virtual-clock.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);
const scratch = scratchDirectory("fetch-runs");
const FIRST_DAY = Date.parse("2026-01-05T00:00:00Z");

class Killed extends Error {}

/** Files of a process that dies at a call: that call is made or not, and none after it. */
class MortalFiles extends WindowFiles {
  left = Number.POSITIVE_INFINITY;

  constructor(
    directory: string,
    account: string,
    private readonly clock: VirtualClock,
    private readonly random: () => number,
  ) {
    super(directoryFiles(directory), account);
  }

  #call<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.clock.working(async () => {
      this.left -= 1;
      if (this.left < 0 || (this.left === 0 && this.random() < 0.5)) throw new Killed();
      const result = await work();
      if (this.left === 0) throw new Killed();
      return result;
    });
  }

  override clear = () => this.#call(() => super.clear());
  override records = () => this.#call(() => super.records());
  override names = () => this.#call(() => super.names());
  override write: WindowFiles["write"] = (bytes) => {
    this.left -= 1;
    return this.left < 0 ? Promise.reject(new Killed()) : super.write(bytes);
  };
  override discard: WindowFiles["discard"] = (file) => this.#call(() => super.discard(file));
  override keep: WindowFiles["keep"] = (file, name) => this.#call(() => super.keep(file, name));
  override record: WindowFiles["record"] = (record) => this.#call(() => super.record(record));
}

/** Holds the clock while a file is checked. */
function held(vendor: Vendor, clock: VirtualClock): Vendor {
  return { ...vendor, check: (...file) => clock.working(() => vendor.check(...file)) };
}

function eventsOf(random: () => number, days: number): UploadedEvent[] {
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
  return events;
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
  for (const { file } of records) {
    if (file === undefined) continue;
    const members = await readZip(readFileSync(join(directory, file.name)));
    const texts = members.map((bytes) => gunzipSync(bytes).toString().trimEnd());
    const lines = texts.flatMap((text) => text.split("\n"));
    expect([members.length, lines.length]).toEqual([file.members, file.rows]);
    rows.push(...lines);
  }
  return rows.sort();
}

/** Each world has about four and a half runs, of which a third is killed: in CI they are 10,000 together. */
test(`any faults and kills give each uploaded event once (SWITCHYARD_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  let kills = 0;
  for (let run = propertyRuns(2_300); run > 0; run--) {
    const directory = join(scratch, `run-${run}`);
    mkdirSync(directory, { recursive: true });
    const days = 1 + Math.floor(random() * 3);
    const clock = new VirtualClock(FIRST_DAY + Math.floor((days + random()) * DAY_MS));
    const events = eventsOf(random, days + 2);
    const vendorSide = new SimulatedAmplitude({
      now: () => clock.now(),
      events,
      bytesMax: 500 + random() * 20_000,
    });
    const vendor = held(
      amplitude({ apiKey: "key", secretKey: "secret", origin: "https://amplitude.com" }),
      clock,
    );
    const network = { clock, random, share: random() * 0.15 };
    for (let attempt = 1; ; attempt++) {
      const files = new MortalFiles(directory, vendor.account, clock, random);
      if (attempt < 6 && random() < 0.7) files.left = Math.floor(random() ** 2 * 60);
      const controller = new AbortController();
      const tools: FetchTools = {
        send: faultyNetwork(vendorSide.send, network),
        clock,
        random,
        signal: controller.signal,
      };
      const span = { start: FIRST_DAY, end: vendor.completeUntil(clock.now()) };
      const outcome = await clock
        .run(runFetch({ vendor, files, span, observer: {} }, tools))
        .catch((error: unknown) => {
          if (error instanceof Killed) return undefined;
          throw error;
        });
      kills += outcome === undefined ? 1 : 0;
      if (outcome === undefined) {
        vendorSide.disconnect();
        continue;
      }
      requireTiles(outcome.records, span);
      const wanted = events.filter(({ uploaded }) => uploaded < span.end && uploaded >= span.start);
      expect(await rowsIn(directory, outcome.records)).toEqual(
        wanted.map(({ line }) => line).sort(),
      );
      if (attempt >= 4) break;
      await clock.run(clock.sleep(random() * DAY_MS));
    }
    expect(vendorSide.busiest).toBeLessThanOrEqual(vendor.concurrency);
    rmSync(directory, { recursive: true });
  }
  expect(kills).toBeGreaterThan(0);
}, 900_000);
