import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drawScenario, type Scenario } from "../support/fault-scenario.js";
import { FaultyService } from "../support/faulty-service.js";
import { amplitudeLines, writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend, type SendEnd } from "../support/send-command.js";

const given = process.env["SWITCHYARD_SEED"];
const SCENARIOS = given === undefined ? 8 : 1;
const firstSeed = Number(given ?? Date.now() % 1_000_000);
const seeds = Array.from({ length: SCENARIOS }, (_, index) => firstSeed + index);

/** One of which is malformed. */
const ROWS = 1_000;
const malformed = amplitudeLines(0, ROWS, 2)
  .split("\n")
  .findIndex((line) => line.includes('"broken'));

// test/e2e/send-kill.test.ts kills, too. A seed that is given is run anywhere.
const scenarioTest = given === undefined ? longTest : test;
scenarioTest.each(seeds)(
  "SWITCHYARD_SEED=%i: every event is delivered or rejected, and none twice by key",
  async (seed) => {
    const scenario = drawScenario(seed);
    const directory = scratchDirectory("send-scenario");
    writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 2);
    let kill: (() => void) | undefined;
    let killAt = Number.POSITIVE_INFINITY;
    let arrivals = 0;
    const service = new FaultyService((request) => {
      arrivals = Math.max(arrivals, request.index + 1);
      if (request.index >= killAt) kill?.();
      return scenario.decide(request);
    });
    const words = ["rows.jsonl", "--to", await service.listen(), ...scenario.words];
    let kills = 0;
    for (const after of scenario.kills) {
      killAt = arrivals + after;
      const end = await runSend(directory, words, {
        started: (child) => {
          kill = () => child.kill("SIGKILL");
        },
      });
      if (end.signal === "SIGKILL") kills++;
    }
    killAt = Number.POSITIVE_INFINITY;
    const end = await runSend(directory, words);
    expectAccounts(end, scenario);
    expect(rejectedIndexes(directory, end.json.runId)).toEqual(
      indexes.filter((index) => !isGood(index, scenario)),
    );
    expect(service.storedIndexes()).toEqual(indexes.filter((index) => isGood(index, scenario)));
    expect(service.repeated).toBeLessThanOrEqual(end.json.delivery.possiblyDuplicated);
    const doubts = service.doubtful + kills * scenario.concurrency;
    if (!scenario.isSilent) {
      expect(end.json.delivery.possiblyDuplicated).toBeLessThanOrEqual(doubts * scenario.batchRows);
    }
  },
);

const indexes = Array.from({ length: ROWS }, (_, index) => index);

function isGood(index: number, { isRefused }: Scenario): boolean {
  return index !== malformed && !isRefused(index);
}

function expectAccounts({ json, stderr }: SendEnd, scenario: Scenario): void {
  const delivered = indexes.filter((index) => isGood(index, scenario)).length;
  expect(json, stderr).toMatchObject({
    exitCode: 3,
    rows: { read: ROWS, delivered, rejected: ROWS - delivered },
    delivery: { delivered },
  });
}

/** Returns the rows in the files of rejects, sorted. */
function rejectedIndexes(directory: string, runId: string): readonly number[] {
  const rejects = join(directory, ".switchyard/runs", runId, "rejects");
  if (!existsSync(rejects)) return [];
  return readdirSync(rejects)
    .flatMap((name) => readFileSync(join(rejects, name), "utf8").trimEnd().split("\n"))
    .map((line) => {
      const { raw } = JSON.parse(line) as { readonly raw: string };
      return Number(/"index":(\d+)/.exec(raw)?.[1] ?? malformed);
    })
    .sort((a, b) => a - b);
}
