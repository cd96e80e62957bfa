import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { exitCodes, SwitchyardError } from "../../src/base/errors.js";
import { type Migration, migration } from "../../src/contract/migration.js";
import type { RunProgress } from "../../src/ledger/run-observer.js";
import { Journal } from "../../src/migration/journal.js";
import type { StepReport } from "../../src/migration/step.js";
import { loadConfiguration } from "../../src/options/configuration.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("journal-writer");
let directory: string;
let tests = 0;
let notes: string[];
/** Called for each second that passes. */
let tick: () => void;
let nowMs: number;

beforeEach(() => {
  directory = join(scratch, String(tests++));
  mkdirSync(directory);
  writeFileSync(join(directory, "pipeline.config.json"), `{"inputs":["a"],"export":{"to":"out"}}`);
  notes = [];
  nowMs = 1_000;
});

const place = () => join(directory, "data", "migrations");

function read(): Migration {
  const [name = ""] = readdirSync(place()).filter((one) => one.endsWith(".json"));
  return migration.parse(JSON.parse(readFileSync(join(place(), name), "utf8")));
}

async function open(commandLine: readonly string[] = ["migrate"]): Promise<Journal> {
  const configuration = await loadConfiguration({
    flags: {},
    environment: {},
    currentDirectory: directory,
    configPath: undefined,
  });
  const run = {
    configuration,
    command: "migrate",
    names: ["validate", "export"],
    commandLine,
    program: "npx switchyard",
    currentDirectory: directory,
  } as const;
  const journal = await Journal.open(join(directory, "data"), run, {
    note: (text) => notes.push(text),
    now: () => nowMs,
    clock: {
      now: () => nowMs,
      repeat: (_, work) => {
        tick = work;
        return () => undefined;
      },
    },
  });
  if (journal === undefined) throw new Error(notes.join("\n"));
  return journal;
}

const done: StepReport = { exitCode: 0, summary: "Done", json: {}, results: {} };
const outcome = { command: "migrate", exitCode: 0, names: [], reports: [] } as const;

const progress: RunProgress = {
  threads: [],
  bytesTotal: 100,
  bytesDone: 10.5,
  rows: 1_000,
  rejects: 2,
  splitsTotal: 1,
  splitsDone: 0,
};

test("each second has the progress of the step, its speed and the time left", async () => {
  const journal = await open();
  const seen: string[] = [];
  const observer = journal.begin("validate", { note: (text) => void seen.push(text) });
  observer.note?.("Resumed.");
  observer.started?.(() => ({ ...progress, rows: 0, bytesDone: 0 }));
  observer.started?.(() => (nowMs === 1_000 ? { ...progress, rows: 0, bytesDone: 0 } : progress));
  nowMs = 2_000;
  tick();
  await journal.end("validate", done);
  expect(read().steps[0]).toEqual({
    name: "validate",
    state: "done",
    startedTime: 1_000,
    endedTime: 2_000,
    progress: {
      phase: "reading",
      rows: 1_000,
      rejected: 2,
      delivered: 0,
      rowsPerSecond: 1_000,
      bytesPerSecond: 11,
      bytesDone: 11,
      bytesTotal: 100,
      leftMs: expect.any(Number),
      waiting: null,
    },
    notes: ["Resumed."],
    summary: "Done",
    accounts: null,
    rejects: [],
    days: [],
    daysLeftOut: 0,
    error: null,
  });
  expect(seen).toEqual(["Resumed."]);
  await journal.close(outcome);
});

test("a step that throws is failed, and those after it are skipped", async () => {
  const journal = await open();
  journal.begin("validate", {});
  const error = new SwitchyardError("input_missing", "There is no a. Pass another path.");
  await journal.fail("validate", error, exitCodes.failed);
  await journal.close({ ...outcome, exitCode: exitCodes.failed, error });
  const { attempts, steps, nextCommand } = read();
  expect(attempts).toMatchObject([{ state: "failed", error: null }]);
  expect(steps.map(({ state, error }) => [state, error?.code])).toEqual([
    ["failed", "input_missing"],
    ["skipped", undefined],
  ]);
  expect(nextCommand).toBe("npx switchyard migrate");
});

test("a run that fails before its first step says why in its attempt", async () => {
  const journal = await open();
  const error = new SwitchyardError("data_in_use", "Another service runs. Stop it.");
  await journal.close({ ...outcome, exitCode: exitCodes.busy, error });
  expect(read().attempts[0]).toMatchObject({ state: "failed", error: { code: "data_in_use" } });
});

test("an interrupted step is not failed, and the same command resumes it", async () => {
  const journal = await open(["migrate", "--quiet"]);
  journal.begin("validate", {});
  await journal.fail("validate", new Error("aborted"), exitCodes.interrupted);
  await journal.close({ ...outcome, exitCode: exitCodes.interrupted });
  expect(read()).toMatchObject({
    attempts: [{ state: "interrupted", error: null }],
    steps: [{ state: "interrupted", error: null }, { state: "skipped" }],
    nextCommand: "npx switchyard migrate --quiet",
  });
});

test("a journal that cannot be written any more is a note, once, and the run continues", async () => {
  const journal = await open();
  rmSync(place(), { recursive: true });
  journal.begin("validate", {});
  await journal.end("validate", done);
  await journal.close(outcome);
  expect(notes).toEqual([
    expect.stringContaining("cannot be written (ENOENT). The run continues."),
  ]);
});

test("addresses that may be secrets are not written", async () => {
  const words = ["migrate", "--notify", "https://hooks.example.com/s3cret", "--quiet"];
  await (await open(words)).close(outcome);
  await (await open(["migrate", "--notify=https://hooks.example.com/s3cret"])).close(outcome);
  expect(read().attempts.map(({ command }) => command)).toEqual(["migrate --quiet", "migrate"]);
  expect(JSON.stringify(read())).not.toContain("s3cret");
});

test("long texts are cut, and only the last attempts are kept", async () => {
  for (let count = 0; count < 102; count++) await (await open()).close(outcome);
  const journal = await open();
  const observer = journal.begin("validate", {});
  for (let count = 0; count < 60; count++) observer.note?.(`${count} ${"x".repeat(5_000)}`);
  await journal.end("validate", { ...done, summary: "y".repeat(100_000) });
  await journal.close(outcome);
  const { attempts, steps } = read();
  expect(attempts).toHaveLength(100);
  expect(attempts.at(-1)?.number).toBe(103);
  expect(steps[0]?.notes).toHaveLength(50);
  expect(steps[0]?.notes[49]).toMatch(/^59 x+…$/);
  expect(steps[0]?.notes[49]).toHaveLength(2_000);
  expect(steps[0]?.summary).toHaveLength(16_384);
});
