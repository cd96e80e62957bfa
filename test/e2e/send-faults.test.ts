import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  busyFaults,
  decide,
  doubtfulFaults,
  faultPlan,
  judgeOf,
} from "../support/fault-scenario.js";
import { FaultyService } from "../support/faulty-service.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { createRandom } from "../support/random.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend } from "../support/send-command.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);
const ROWS = 600;
/** Difference that the clocks of two processes may have when they count milliseconds. */
const CLOCK_MS = 5;

function directoryWithRows(name: string): string {
  const directory = scratchDirectory(name);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 2);
  return directory;
}

/** Always refused; a function of the event, as with a service that checks events. */
const isRefused = (index: number) => index % 90 === 40;

describe(`with faults of seed ${seed}`, () => {
  const judge = judgeOf({ rowsMax: 12, hasNames: false, isRefused });
  const object: readonly string[] = [];
  const array = ["--batch-size", "32"];
  const services: readonly [
    string,
    typeof busyFaults | typeof doubtfulFaults,
    readonly string[],
  ][] = [
    ["a busy service that takes arrays", busyFaults, array],
    ["a busy service", busyFaults, object],
    ["a service that breaks off and fails", doubtfulFaults, object],
    ["a service that breaks off, fails and takes arrays", doubtfulFaults, array],
  ];
  test.each(someOf(services, 4))(
    "%s ends with every event delivered or rejected",
    async (_, kinds, words) => {
      const directory = directoryWithRows("send-faults");
      const faultOf = faultPlan(createRandom(seed), { kinds, share: 0.15 });
      const service = new FaultyService((request) => decide(faultOf(request), judge(request)));
      const url = await service.listen();
      const end = await runSend(directory, ["rows.jsonl", "--to", url, ...words]);
      const good = Array.from({ length: ROWS }, (_, index) => index).filter(
        (index) => !isRefused(index),
      );
      expect(end.json, end.stderr).toMatchObject({
        exitCode: 3,
        rows: { read: ROWS, delivered: good.length, rejected: ROWS - good.length },
      });
      // By key: nothing lost, nothing twice.
      expect(service.storedIndexes()).toEqual(good);
      expect(service.repeated).toBeLessThanOrEqual(end.json.delivery.possiblyDuplicated);
      expect(end.json.delivery.retried).toBeGreaterThan(0);
    },
  );
});

longTest("an answer that does not come is not waited for longer than --timeout", async () => {
  const directory = directoryWithRows("send-mute");
  const service = new FaultyService(({ index }) => (index === 5 ? "mute" : accepted));
  const url = await service.listen();
  const end = await runSend(directory, ["rows.jsonl", "--to", url, "--timeout", "1"]);
  expect(end.json, end.stderr).toMatchObject({
    exitCode: 0,
    delivery: { delivered: ROWS, retried: 1, possiblyDuplicated: 1 },
  });
  expect(service.storedIndexes()).toHaveLength(ROWS);
});

test("a service that goes away in the middle and comes back is sent the rest", async () => {
  const directory = directoryWithRows("send-restart");
  let restarted: Promise<void> | undefined;
  const service = new FaultyService(({ index }) => {
    if (index === 200) restarted ??= service.close().then(() => service.reopen(url));
    return accepted;
  });
  const url = await service.listen();
  const end = await runSend(directory, ["rows.jsonl", "--to", url]);
  expect(restarted).toBeDefined();
  expect(end.json, end.stderr).toMatchObject({ exitCode: 0, delivery: { delivered: ROWS } });
  expect(service.storedIndexes()).toHaveLength(ROWS);
  expect(service.repeated).toBeLessThanOrEqual(end.json.delivery.possiblyDuplicated);
});

describe("Retry-After", () => {
  const CONCURRENCY = 8;
  /** Dates have no milliseconds: the first full second that is at least one second away. */
  const forms: readonly [string, (nowMs: number) => { value: string; untilMs: number }][] = [
    ["in seconds", (nowMs) => ({ value: "2", untilMs: nowMs + 2_000 })],
    [
      "as a date",
      (nowMs) => {
        const untilMs = Math.ceil(nowMs / 1000 + 1) * 1000;
        return { value: new Date(untilMs).toUTCString(), untilMs };
      },
    ],
  ];
  test.each(someOf(forms, 2))(
    "%s holds all requests but those that were under way",
    async (_, pauseFrom) => {
      const directory = directoryWithRows("send-retry-after");
      let untilMs = 0;
      const service = new FaultyService(({ index, timeMs }) => {
        if (index !== 100) return accepted;
        const pause = pauseFrom(timeMs);
        untilMs = pause.untilMs;
        return { status: 429, headers: { "retry-after": pause.value } };
      });
      const words = ["rows.jsonl", "--to", await service.listen()];
      const end = await runSend(directory, [...words, "--concurrency", String(CONCURRENCY)]);
      expect(end.json, end.stderr).toMatchObject({
        exitCode: 0,
        delivery: { delivered: ROWS, retried: 1, possiblyDuplicated: 0 },
      });
      const early = service.requests.filter(
        ({ index, timeMs }) => index > 100 && timeMs < untilMs - CLOCK_MS,
      );
      expect(early.length).toBeLessThan(CONCURRENCY);
      expect(end.json.delivery.waitedMs).toBeGreaterThan(0);
      expect(service.storedIndexes()).toHaveLength(ROWS);
    },
  );
});

/** Makes a body of 60 KB and more, so that it is still on its way when the service answers. */
const large = ["--batch-size", "200"];

test("an array that is refused as too large before it was read is sent in halves", async () => {
  const directory = directoryWithRows("send-large");
  const service = new FaultyService(({ headers }) =>
    Number(headers["content-length"]) > 20_000 ? { status: 413, manner: "unread" } : accepted,
  );
  const words = ["rows.jsonl", "--to", await service.listen(), ...large];
  const end = await runSend(directory, words);
  expect(end.json, end.stderr).toMatchObject({ exitCode: 0, delivery: { delivered: ROWS } });
  expect(service.storedIndexes()).toHaveLength(ROWS);
});

test("connections that break within large arrays cost no event", async () => {
  const directory = directoryWithRows("send-within");
  const service = new FaultyService(({ index }) => (index < 3 ? "reset_within" : accepted));
  const words = ["rows.jsonl", "--to", await service.listen(), ...large];
  const end = await runSend(directory, words);
  expect(end.json, end.stderr).toMatchObject({
    exitCode: 0,
    delivery: { delivered: ROWS, retried: 3, possiblyDuplicated: ROWS },
  });
  expect(service.storedIndexes()).toHaveLength(ROWS);
  expect(service.repeated).toBe(0);
});
