import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  accepted,
  FaultyService,
  type Reaction,
  type ReceivedEvent,
} from "../support/faulty-service.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { createRandom } from "../support/random.js";
import { scratchDirectory } from "../support/scratch.js";
import { selfSigned } from "../support/self-signed.js";
import { runSend } from "../support/send-command.js";

const seed = Number(process.env["SWITCHYARD_SEED"] ?? Date.now() % 1_000_000);
const ROWS = 600;

const busy: readonly Reaction[] = [
  { status: 429, headers: { "retry-after": "0" } },
  { status: 429, headers: { "retry-after": new Date(0).toUTCString() } },
  { status: 408 },
  { status: 425 },
  { status: 503, body: { message: "not ready" } },
];
const doubtful: readonly Reaction[] = [
  { status: 500 },
  { status: 502 },
  { status: 504 },
  "reset_early",
  "reset_late",
  "half",
];

/** Always refused; a function of the event, as with a service that checks events. */
const isFaulty = (index: number) => index % 90 === 40;

function directoryWithRows(name: string): string {
  const directory = scratchDirectory(name);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 2);
  return directory;
}

function judge(events: readonly ReceivedEvent[], rowsMax: number): Reaction {
  if (events.length > rowsMax) return { status: 413, body: { message: "too large" } };
  const isRefused = events.some(({ metadata }) => isFaulty(metadata.index));
  return isRefused ? { status: 400, body: { message: "odd", errors: [] } } : accepted;
}

/** A service in which a share of the requests meets a fault; the same head meets the same one. */
function unreliable(faults: readonly Reaction[], share: number, rowsMax: number): FaultyService {
  const random = createRandom(seed);
  const drawn = new Map<number, Reaction | undefined>();
  return new FaultyService(({ index, events }) => {
    if (!drawn.has(index)) {
      const fault = faults[Math.floor(random() * faults.length)];
      drawn.set(index, random() < share ? fault : undefined);
    }
    const fault = drawn.get(index);
    const judged = judge(events, rowsMax);
    // What would be refused is not stored either before the service breaks off.
    if ((fault === "reset_late" || fault === "half") && judged !== accepted) return judged;
    return fault ?? judged;
  });
}

describe(`with faults of seed ${seed}`, () => {
  const object: readonly string[] = [];
  const array = ["--body", "array", "--batch-size", "32"];
  test.each([
    ["a busy service", busy, object],
    ["a busy service that takes arrays", busy, array],
    ["a service that breaks off and fails", doubtful, object],
    ["a service that breaks off, fails and takes arrays", doubtful, array],
    ["everything at once", [...busy, ...doubtful], object],
    ["everything at once and arrays", [...busy, ...doubtful], array],
  ])("%s ends with every event delivered or rejected", async (_, faults, words) => {
    const directory = directoryWithRows("send-faults");
    const service = unreliable(faults, 0.15, 12);
    const url = await service.listen();
    const end = await runSend(directory, ["rows.jsonl", "--to", url, ...words]);
    const expected = Array.from({ length: ROWS }, (_, index) => index);
    const good = expected.filter((index) => !isFaulty(index));
    expect(end.json, end.stderr).toMatchObject({
      exitCode: 3,
      rows: { read: ROWS, delivered: good.length, rejected: ROWS - good.length },
    });
    // By key: nothing lost, nothing twice.
    expect(service.storedIndexes()).toEqual(good);
    const copies = [...service.copies.values()].filter((count) => count > 1).length;
    expect(copies).toBeLessThanOrEqual(end.json.delivery.possiblyTwice);
    expect(end.json.delivery.retried).toBeGreaterThan(0);
  });
});

test("an answer that does not come is not waited for longer than --timeout", async () => {
  const directory = directoryWithRows("send-mute");
  const service = new FaultyService(({ index }) => (index === 5 ? "mute" : accepted));
  const url = await service.listen();
  const end = await runSend(directory, ["rows.jsonl", "--to", url, "--timeout", "1"]);
  expect(end.json, end.stderr).toMatchObject({
    exitCode: 0,
    delivery: { delivered: ROWS, retried: 1, possiblyTwice: 1 },
  });
  expect(service.storedIndexes()).toHaveLength(ROWS);
});

test("a redirect is not followed, and nothing is sent to where it leads", async () => {
  const directory = directoryWithRows("send-redirect");
  const elsewhere = new FaultyService(() => accepted);
  const location = await elsewhere.listen();
  const service = new FaultyService(() => ({ status: 307, headers: { location } }));
  const end = await runSend(directory, ["rows.jsonl", "--to", await service.listen()]);
  expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_redirected"]);
  expect(end.stderr).toContain(location);
  expect(elsewhere.requests).toHaveLength(0);
});

test("a certificate that nobody trusts ends the run before the secret is sent", async () => {
  const directory = directoryWithRows("send-certificate");
  const service = new FaultyService(() => accepted, selfSigned);
  const end = await runSend(directory, ["rows.jsonl", "--to", await service.listen()]);
  expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_certificate"]);
  expect(end.stderr).toContain("NODE_EXTRA_CA_CERTS");
  expect(service.requests).toHaveLength(0);
});

test("a closed port is given up, with words that say how to go on", async () => {
  const directory = directoryWithRows("send-closed");
  const words = ["rows.jsonl", "--to", "http://127.0.0.1:9", "--give-up-after", "1"];
  const end = await runSend(directory, words);
  expect([end.exitCode, end.json.error?.code]).toEqual([1, "send_gave_up"]);
  expect(end.stderr).toContain("ECONNREFUSED");
  expect(end.stderr).toContain("the same command goes on");
});
