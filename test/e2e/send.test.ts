import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { FaultyService } from "../support/faulty-service.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend, testSecret } from "../support/send-command.js";

const ROWS = 2_000;
/** Each 997th row is malformed. */
const MALFORMED = 2;

function directoryWithRows(name: string): string {
  const directory = scratchDirectory(name);
  writeAmplitudeRows(join(directory, "rows.jsonl"), ROWS, 3);
  return directory;
}

function allText(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith("rows.jsonl"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

test("every event goes to the webhook below the base URL, and a second run has nothing to do", async () => {
  const directory = directoryWithRows("send");
  const service = new FaultyService(() => accepted);
  const url = await service.listen();
  const words = ["rows.jsonl", "--to", `${url}/region/eu/`, "--max-rejects", "1%"];
  const first = await runSend(directory, words);
  expect(first, first.stderr).toMatchObject({
    exitCode: 0,
    json: {
      rows: { read: ROWS, delivered: ROWS - MALFORMED, rejected: MALFORMED },
      delivery: { delivered: ROWS - MALFORMED, retried: 0, possiblyDuplicated: 0 },
    },
  });
  const [request] = service.requests;
  expect(request?.url).toBe("/region/eu/v1/webhooks/event_webhook");
  expect(request?.headers).toMatchObject({
    "service-api-key": testSecret,
    "content-type": "application/json",
  });
  expect(service.requests.every(({ events }) => events.length === 1)).toBe(true);
  const expected = Array.from({ length: ROWS }, (_, index) => index);
  expect(service.storedIndexes()).toEqual(expected.filter((index) => index % 997 !== 996));

  const second = await runSend(directory, words);
  expect(second.json).toMatchObject({ exitCode: 0, alreadyDone: true, runId: first.json.runId });
  expect(service.requests).toHaveLength(ROWS - MALFORMED);

  const third = await runSend(directory, [...words, "--fresh"]);
  const { command } = JSON.parse(
    readFileSync(join(directory, ".switchyard/runs", third.json.runId, "run.json"), "utf8"),
  );
  // The command that resumes a run must not start it again.
  expect(command).toEqual(["send", ...words, "--json"]);
  expect(third.json).toMatchObject({ exitCode: 0, alreadyDone: false });
  // The same keys: a service that honours them still has every event once.
  expect(service.storedIndexes()).toHaveLength(ROWS - MALFORMED);
});

test("arrays are sent to a service that accepts them, and the events that it names as faulty are rejected", async () => {
  const directory = directoryWithRows("send-array");
  const isFaulty = (index: number) => index % 100 === 50;
  const service = new FaultyService(({ events }) => {
    const errors = events.flatMap(({ metadata }, place) =>
      isFaulty(metadata.index) ? [{ property: `[${place}].event`, errorMessage: "odd" }] : [],
    );
    return errors.length === 0
      ? accepted
      : { status: 400, body: { status: 400, message: "Bad Request Exception", errors } };
  });
  const url = await service.listen();
  const words = ["rows.jsonl", "--to", url, "--batch-size", "64"];
  const end = await runSend(directory, words);
  expect(end.json).toMatchObject({
    exitCode: 3,
    rows: { delivered: ROWS - 22, rejected: 22 },
  });
  const rejects = readFileSync(
    join(directory, ".switchyard/runs", end.json.runId, "rejects/part-000000.jsonl"),
    "utf8",
  );
  const lines = rejects
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const refused = lines.filter(({ code }) => code === "destination_refused");
  expect(refused).toHaveLength(20);
  for (const { raw, message, row } of refused) {
    expect(isFaulty(JSON.parse(raw).event_properties.index)).toBe(true);
    expect(row).toBe(JSON.parse(raw).event_properties.index + 1);
    expect(message).toBe("event: odd");
  }
});

test("after a refusal of the secret no output or file contains it, and the run can be resumed", async () => {
  const directory = directoryWithRows("send-refused");
  let isOpen = false;
  const service = new FaultyService(({ index }) =>
    isOpen || index < 400
      ? accepted
      : { status: 401, body: { message: `the key ${testSecret} is not known` } },
  );
  const url = await service.listen();
  const words = ["rows.jsonl", "--to", url, "--max-rejects", "1%"];
  const refused = await runSend(directory, words);
  expect(refused.exitCode).toBe(1);
  expect(refused.json.error?.code).toBe("send_unauthorized");
  expect(refused.stderr).toContain("check the server secret");
  for (const text of [refused.stdout, refused.stderr, allText(directory)]) {
    expect(text).not.toContain(testSecret);
  }
  const listed = await runInProcess(["runs", "--json"], { cwd: directory });
  const [run] = JSON.parse(listed.stdout).runs;
  expect(run).toMatchObject({
    state: "interrupted",
    splitsDone: 0,
    splitsTotal: 1,
    destination: `${url}/v1/webhooks/event_webhook`,
    delivered: service.storedIndexes().length,
  });
  expect(["send", ...words, "--json"]).toEqual(run.command);
  isOpen = true;
  const before = service.requests.length;
  const end = await runSend(directory, words);
  expect(end.json, end.stderr).toMatchObject({ exitCode: 0, delivery: { possiblyDuplicated: 0 } });
  expect(service.storedIndexes()).toHaveLength(ROWS - MALFORMED);
  expect([...service.copies.values()].every((count) => count === 1)).toBe(true);
  const text = (await runInProcess(["runs"], { cwd: directory })).stdout;
  expect(text).toMatch(/^[0-9a-f]{12} {2}done {2}started 2/);
  expect(text).toContain("1,998 delivered, 2 rejected, 1 of 1 splits done");
  expect(service.requests.length - before).toBeLessThan(ROWS - MALFORMED - 150);
});

test("missing and useless options are reported before anything is read", async () => {
  const directory = scratchDirectory("send-usage");
  writeFileSync(join(directory, "secret"), "two words\n");
  const cases: readonly [readonly string[], Record<string, string>, string][] = [
    [["x"], {}, "destination_missing"],
    [["x", "--to", "http://127.0.0.1:1"], { SWITCHYARD_SERVER_SECRET: "" }, "secret_missing"],
    [
      ["x", "--to", "http://127.0.0.1:1", "--batch-size", "5", "--idempotency", "insertID"],
      {},
      "idempotency_useless",
    ],
    [["x", "--to", "ftp://127.0.0.1"], {}, "configuration_invalid"],
    [["x", "--to", "http://user:pass@127.0.0.1"], {}, "configuration_invalid"],
    [
      ["x", "--to", "http://127.0.0.1:1", "--server-secret-file", "secret"],
      { SWITCHYARD_SERVER_SECRET: "" },
      "secret_malformed",
    ],
  ];
  for (const [words, env, code] of cases) {
    const end = await runSend(directory, words, {
      env: { SWITCHYARD_SERVER_SECRET: testSecret, ...env },
    });
    expect([end.exitCode, end.json.error?.code], end.stderr).toEqual([2, code]);
  }
  const both = await runSend(directory, ["x"], { env: { SWITCHYARD_SERVER_SECRET: "" } });
  expect(both.stderr).toContain("No service to send to");
  expect(both.stderr).toContain("No server secret");
});
