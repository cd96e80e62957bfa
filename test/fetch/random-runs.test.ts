import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { DAY_MS } from "../../src/base/day.js";
import { fetchSpan } from "../../src/fetch/fetch-span.js";
import { canonical } from "../../src/fetch/late-rows.js";
import type { FetchTools, Vendor } from "../../src/fetch/vendor.js";
import type { WindowRecord } from "../../src/fetch/window-files.js";
import type { Window } from "../../src/fetch/windows.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { faultyNetwork } from "./faulty-network.js";
import { Killed, MortalFiles } from "./mortal-files.js";
import { readZip } from "./read-zip.js";
import { VirtualClock } from "./virtual-clock.js";
import { amplitudeWorld, mixpanelWorld, posthogWorld, queriesWorld, type World } from "./worlds.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);
const scratch = scratchDirectory("fetch-runs");
/** Within 90 days from these, clocks go back or forward in most zones. */
const firstDays = ["2025-10-06T00:00:00Z", "2026-01-05T00:00:00Z"].map((day) => Date.parse(day));

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
        masked: (words) => tools.masked(words),
        remember: (job) => tools.remember(job),
        store: (bytes, check) => tools.store(bytes, (path) => clock.working(() => check(path))),
      }),
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
      const first = firstDays[Math.floor(random() * 2)] ?? 0;
      const clock = new VirtualClock(first + Math.floor((days + random()) * DAY_MS));
      const world = createWorld(random, days + 2, clock, first);
      kills += await runWorld({ ...world, first }, directory, clock, random);
      world.requireLimits();
      rmSync(directory, { recursive: true });
    }
    expect(kills).toBeGreaterThan(0);
  },
  900_000,
);

/** Fetches four times or more, as time goes on, and returns how often a run was killed. */
async function runWorld(
  world: World & { readonly first: number },
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
      .run(fetchSpan({ vendor, filesOf, from: world.first, recheckMs, observer: {} }, tools))
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
