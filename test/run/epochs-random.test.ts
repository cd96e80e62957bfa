import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { longTest } from "../support/long-test.js";
import { processScript } from "../support/process-scripts.js";
import { propertyRuns } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { type FakeExport, fakeExport } from "./kit/fake-export.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);

const SPLIT_BYTES = 60;

/** A directory of inputs that grows, breaks and is repaired, and what its export has to hold. */
class GrowingInputs {
  readonly run = fakeExport();
  readonly #lines = new Map<string, readonly string[]>();
  readonly #broken = new Set<string>();
  #gone = 0;

  constructor(private readonly random: () => number) {}

  #below(count: number): number {
    return Math.floor(this.random() * count);
  }

  /** Adds files; one in ten cannot be read, or only in part. */
  add(): void {
    for (let left = 1 + this.#below(3); left > 0; left--) {
      const name = `f${String(this.#below(1_000)).padStart(3, "0")}-${this.#lines.size}.txt`;
      const lines = Array.from({ length: this.#below(8) }, (_, row) => {
        const word = this.random() < 0.1 ? "bad" : `w${this.#lines.size}-${row}`;
        return `2026-01-0${1 + this.#below(7)} ${word}`;
      });
      this.#lines.set(name, lines);
      if (this.random() < 0.1) this.#break(name);
      else this.run.input(name, ...lines);
    }
  }

  #break(name: string): void {
    this.#broken.add(name);
    const lines = this.#lines.get(name) ?? [];
    if (this.random() < 0.5) this.run.input(name, "unreadable");
    else this.run.input(name, ...lines.slice(0, 3), "2026-01-01 break");
  }

  repair(): void {
    for (const name of this.#broken) this.run.input(name, ...(this.#lines.get(name) ?? []));
    this.#broken.clear();
  }

  /** Removes an input that was read; call it only after a run that is done. */
  removeOne(): void {
    const names = readdirSync(this.run.root).filter((name) => name.endsWith(".txt"));
    if (names.length < 2) return;
    this.run.remove(names[this.#below(names.length)] ?? "");
    this.#gone++;
  }

  /** Loses a part, unless the input that has to be read again may be gone. */
  losePart(): void {
    const days = join(this.run.output, "events");
    // Inputs without rows have made no days.
    if (this.#gone > 0 || !existsSync(days)) return;
    const parts = readdirSync(days, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.includes("part-"),
    );
    const part = parts[this.#below(parts.length)];
    if (part !== undefined) rmSync(join(days, part));
  }

  /** Returns the rows of all files, sorted. */
  expected(): readonly string[] {
    const rows = [...this.#lines.values()].flat();
    return rows.filter((line) => !line.endsWith(" bad")).sort();
  }
}

function rowsOf(run: FakeExport): readonly string[] {
  return Object.entries(run.files())
    .filter(([name]) => name.startsWith("events/"))
    .flatMap(([name, text]) => {
      const rows = text.split("\n").slice(0, -1);
      expect(rows.every((row) => row.startsWith(name.slice(7, 17)))).toBe(true);
      return rows;
    })
    .sort();
}

/** Runs the export; stops it after some milliseconds if given. */
async function runOnce({ run }: GrowingInputs, stopAfterMs?: number): Promise<string> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), stopAfterMs ?? 1e6);
  try {
    return (await run.run({ splitBytes: SPLIT_BYTES }, controller.signal)).outcome;
  } catch (error) {
    // Interrupted before it was planned.
    if (!controller.signal.aborted) throw error;
    return "interrupted";
  } finally {
    clearTimeout(timer);
  }
}

async function disturb(inputs: GrowingInputs, random: () => number): Promise<void> {
  inputs.add();
  if (random() < 0.4) await runOnce(inputs, random() * 150);
  if (random() < 0.3) inputs.repair();
  const outcome = await runOnce(inputs);
  if (outcome === "done" && random() < 0.5) inputs.removeOne();
  if (outcome === "done" && random() < 0.3) inputs.losePart();
}

it(`any sequence of new, broken, repaired and removed inputs gives each row once (SWITCHYARD_SEED=${seed})`, async () => {
  const random = createRandom(seed);
  for (let left = propertyRuns(4); left > 0; left--) {
    const inputs = new GrowingInputs(random);
    const { run } = inputs;
    for (let steps = 2 + Math.floor(random() * 5); steps > 0; steps--) {
      await disturb(inputs, random);
    }
    inputs.repair();
    expect(await runOnce(inputs)).toBe("done");
    expect(rowsOf(run)).toEqual(inputs.expected());
    const { manifest, alreadyDone } = await run.run({ splitBytes: SPLIT_BYTES });
    expect(alreadyDone).toBe(true);
    const { epochs, rows, totals, events, days } = manifest;
    const delivered = inputs.expected().length;
    const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
    expect([rows.delivered, totals.rows]).toEqual([delivered, delivered]);
    expect(sum(epochs.map((epoch) => epoch.rows.delivered))).toBe(delivered);
    expect(sum(events.map((event) => event.rows))).toBe(delivered);
    expect([...new Set(epochs.flatMap((epoch) => epoch.days))].sort()).toEqual(
      days.map(({ day }) => day),
    );
  }
}, 600_000);

/** Each has up to nine kills of a process; kills at each step are generated in test/ledger/output-actions.test.ts. */
const ROUNDS = 3;
const FRESH_RUNS = 20;

/** Runs the export in its own process; returns `killed` if the process was killed before its end. */
async function runProcess(run: FakeExport, killAfterMs?: number, fresh = false) {
  const task = JSON.stringify(await run.portable({ splitBytes: 100, fresh }));
  const child = spawn(process.execPath, [processScript("fake-run"), task], { stdio: "ignore" });
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const [code, signal] = await once(child, "close");
  clearTimeout(timer);
  if (signal === "SIGKILL") return "killed";
  expect(code).toBe(0);
  return "done";
}

function addBatch(run: FakeExport, batch: number): void {
  for (let file = 0; file < 3; file++) {
    const rows = Array.from({ length: 40 }, (_, row) => {
      const word = row % 17 === 5 ? "bad" : `r${batch}-${file}-${row}`;
      return `2026-01-0${1 + ((row * 7 + file) % (3 + batch * 2))} ${word}`;
    });
    run.input(`${batch}-${file}.txt`, ...rows);
  }
}

longTest(
  `epochs that are killed repeatedly end with the bytes of undisturbed ones (SWITCHYARD_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const quiet = fakeExport();
    const expected: Readonly<Record<string, string>>[] = [];
    let quietMs = 0;
    for (let batch = 0; batch < 3; batch++) {
      addBatch(quiet, batch);
      const startedMs = performance.now();
      await runProcess(quiet);
      quietMs = performance.now() - startedMs;
      expected.push(quiet.files());
    }
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const disturbed = fakeExport();
      for (let batch = 0; batch < 3; batch++) {
        addBatch(disturbed, batch);
        // The first fifth is the start of Node, which a kill cannot harm.
        for (let left = 3; left > 0; left--) {
          if ((await runProcess(disturbed, quietMs * (0.2 + random()))) !== "killed") break;
          kills++;
        }
        await runProcess(disturbed);
        expect(disturbed.files()).toEqual(expected[batch]);
      }
    }
    expect(kills).toBeGreaterThan(0);
  },
  300_000,
);

longTest(
  `epochs that a killed run with --fresh has left in part are not lost or repeated (SWITCHYARD_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const run = fakeExport();
    for (let batch = 0; batch < 3; batch++) {
      addBatch(run, batch);
      await runProcess(run);
    }
    const rows = rowsOf(run);
    const startedMs = performance.now();
    await runProcess(run);
    const startMs = performance.now() - startedMs;
    let kills = 0;
    for (let runs = 0; runs < FRESH_RUNS; runs++) {
      if ((await runProcess(run, startMs * (0.5 + random()), true)) === "killed") kills++;
      await runProcess(run);
      expect(rowsOf(run)).toEqual(rows);
      const { days } = JSON.parse(run.read("manifest.json"));
      const listed = days.flatMap((day: { files: { path: string }[] }) => day.files);
      const names = Object.keys(run.files()).filter((name) => name.startsWith("events/"));
      expect(listed.map(({ path }: { path: string }) => path).sort()).toEqual(names.sort());
    }
    expect(kills).toBeGreaterThan(0);
  },
  300_000,
);
