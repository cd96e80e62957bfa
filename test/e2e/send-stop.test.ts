import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { FaultyService, type ReceivedRequest } from "../support/faulty-service.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend, testSecret } from "../support/send-command.js";

const ROWS = 2_000;
/** Each 997th row is malformed. */
const MALFORMED = 2;
const EVENTS = ROWS - MALFORMED;
const refusal = { status: 400, body: { message: "odd", errors: [] } };

function directoryWithRows(name: string): string {
  const directory = scratchDirectory(name);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 3);
  return directory;
}

/** Picks the event of the first request from `first` on, to be refused whenever it comes. */
function oddEvent(first: number): (request: ReceivedRequest) => boolean {
  let odd: number | undefined;
  return ({ index, events: [event] }) => {
    if (event === undefined) return false;
    if (index >= first) odd ??= event.metadata.index;
    return event.metadata.index === odd;
  };
}

/** Several splits, so that one is finished and another is not. */
function wordsTo(url: string): readonly string[] {
  return ["rows.jsonl", "--to", url, "--split-size", "128KiB", "--max-rejects", "1%"];
}

test("a run that fails reports what was delivered so far, and later runs continue these counts", async () => {
  const directory = directoryWithRows("send-stopped");
  let isOpen = false;
  // In the second split, which is not finished when the secret is refused.
  const isOdd = oddEvent(620);
  const failed = new Set<string>();
  const repeated = new Set<string>();
  const service = new FaultyService((request) => {
    const { index, key, events } = request;
    const isFault = index >= 600 && failed.size < 5 && !failed.has(key);
    if (isFault && events.length > 0) failed.add(key);
    if (isFault) return { status: 502 };
    if (!isOpen && index >= 900 && repeated.size === 5) return { status: 401 };
    if (failed.has(key) && events.length > 0) repeated.add(key);
    return isOdd(request) ? refusal : accepted;
  });
  const url = await service.listen();
  // Slow enough for the failed requests to be repeated in time.
  const words = [...wordsTo(url), "--rate", "800,burst=40"];
  const stopped = await runSend(directory, words);
  const delivered = service.storedIndexes().length;
  expect(stopped.json, stopped.stderr).toMatchObject({
    exitCode: 1,
    error: { code: "send_unauthorized" },
    delivery: { delivered, rejected: 1, retried: 5, possiblyDuplicated: 5 },
    resume: { directory, command: ["send", ...words, "--json"] },
  });
  expect(delivered).toBeGreaterThan(800);
  expect(stopped.json.splitsDone).toBeGreaterThan(0);
  expect(stopped.json.splitsDone).toBeLessThan(stopped.json.splitsTotal);

  const again = await runSwitchyard(["send", ...wordsTo(url)], {
    cwd: directory,
    env: { SWITCHYARD_SERVER_SECRET: testSecret },
  });
  expect(again.exitCode).toBe(1);
  expect(again.stdout).toContain(`Stopped: ${delivered} events to ${url}/v1/webhooks/`);
  expect(again.stdout).toMatch(/rejected {2}1 row so far\n {2}splits {4}\d of \d done/);
  expect(again.stdout).toMatch(/retried {3}5 requests\n {2}resent {4}5 events possibly duplicated/);
  expect(again.stdout).toMatch(/resume {4}cd .* && node \S+switchyard\.js send rows\.jsonl --to /);
  expect(again.stderr).toMatch(/^error: the service answered 401/m);

  isOpen = true;
  const end = await runSend(directory, wordsTo(url));
  expect(end.json, end.stderr).toMatchObject({
    exitCode: 0,
    delivery: { delivered: EVENTS - 1, rejected: MALFORMED + 1, retried: 5, possiblyDuplicated: 5 },
  });
  expect(end.json.resume).toBeUndefined();
});

longTest(
  "a run that is interrupted reports what was delivered so far, and how to resume",
  async () => {
    const directory = directoryWithRows("send-interrupted");
    let child: ChildProcess | undefined;
    const isOdd = oddEvent(720);
    const interruptAt = new Set([900, 1_300]);
    const service = new FaultyService((request) => {
      if (interruptAt.delete(request.index)) child?.kill("SIGINT");
      return isOdd(request) ? refusal : accepted;
    });
    const url = await service.listen();
    const options = {
      cwd: directory,
      env: { SWITCHYARD_SERVER_SECRET: testSecret },
      started(started: ChildProcess) {
        child = started;
      },
    };
    const first = await runSend(directory, wordsTo(url), options);
    expect(first.json, first.stderr).toMatchObject({
      exitCode: 130,
      outcome: "interrupted",
      delivery: { delivered: service.storedIndexes().length, rejected: 1 },
      resume: { directory, command: ["send", ...wordsTo(url), "--json"] },
    });
    expect(first.json.splitsDone).toBeLessThan(first.json.splitsTotal);

    const second = await runSwitchyard(["send", ...wordsTo(url)], options);
    const delivered = service.storedIndexes().length.toLocaleString("en-US");
    expect(second.exitCode).toBe(130);
    expect(second.stdout).toContain(`Interrupted: ${delivered} events to ${url}/v1/webhooks/`);
    expect(second.stdout).toMatch(/splits {4}\d of \d done/);
    expect(second.stdout).toMatch(
      /resume {4}cd .* && node \S+switchyard\.js send rows\.jsonl --to /,
    );

    const end = await runSend(directory, wordsTo(url), options);
    expect(end.json, end.stderr).toMatchObject({
      exitCode: 0,
      delivery: { delivered: EVENTS - 1, rejected: MALFORMED + 1, possiblyDuplicated: 0 },
    });
    expect(service.storedIndexes()).toHaveLength(EVENTS - 1);
  },
);

test("a run that reaches no service reports that nothing was delivered", async () => {
  const directory = directoryWithRows("send-nowhere");
  const words = ["rows.jsonl", "--to", "http://127.0.0.1:9", "--give-up-after", "1"];
  const end = await runSend(directory, words);
  expect(end.json, end.stderr).toMatchObject({
    exitCode: 1,
    error: { code: "send_unreachable" },
    delivery: { delivered: 0, rejected: 0, possiblyDuplicated: 0 },
  });
  expect(end.json.delivery.retried).toBeGreaterThan(0);
  expect(end.json.delivery.waitedMs).toBeGreaterThan(0);
});
