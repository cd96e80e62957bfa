import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { FaultyService } from "../support/faulty-service.js";
import { amplitudeLines } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { createRandom } from "../support/random.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend } from "../support/send-command.js";

const ROWS = 300;
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

function addFile(directory: string, number: number): void {
  const inputs = join(directory, "in");
  mkdirSync(inputs, { recursive: true });
  writeFileSync(join(inputs, `${number}.jsonl`), amplitudeLines(number * ROWS, ROWS, 3));
}

async function open(name: string) {
  const directory = scratchDirectory(name);
  const service = new FaultyService(() => accepted);
  return { directory, service, url: await service.listen() };
}

test("the same send with more files sends only the new ones, also if old ones are gone", async () => {
  const { directory, service, url } = await open("send-epochs");
  const words = ["in", "--to", url];
  addFile(directory, 0);
  const first = await runSend(directory, words);
  addFile(directory, 1);
  rmSync(join(directory, "in/0.jsonl"));
  const second = await runSend(directory, words);
  expect(second, second.stderr).toMatchObject({
    exitCode: 0,
    json: {
      runId: first.json.runId,
      alreadyDone: false,
      epochs: [{ number: 1, sources: 1, rows: { read: ROWS } }],
      delivery: { delivered: 2 * ROWS },
      splitsDone: 2,
      splitsTotal: 2,
    },
  });
  expect(service.requests).toHaveLength(2 * ROWS);
  expect((await runSend(directory, words)).json).toMatchObject({ alreadyDone: true, epochs: [] });
  const { runs } = JSON.parse((await runInProcess(["runs", "--json"], { cwd: directory })).stdout);
  expect(runs).toMatchObject([{ state: "done", delivered: 2 * ROWS, splitsTotal: 2 }]);
});

test("files that a shell lists one by one belong to the run that has sent the first of them", async () => {
  const { directory, service, url } = await open("send-listed");
  const send = () => {
    const names = readdirSync(join(directory, "in")).map((name) => `in/${name}`);
    return runSend(directory, [...names, "--to", url]);
  };
  for (const number of [0, 1, 2]) {
    addFile(directory, number);
    expect((await send()).json).toMatchObject({
      exitCode: 0,
      delivery: { delivered: (number + 1) * ROWS },
    });
  }
  expect(service.requests).toHaveLength(3 * ROWS);
});

longTest(
  `epochs that are killed while they send have each event once (KILL_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    const { directory, service, url } = await open("send-epochs-killed");
    const words = ["in", "--to", url, "--batch-size", "10", "--rate", "1500"];
    for (let number = 0; number < 4; number++) {
      addFile(directory, number);
      await runSend(directory, words, {
        env: { SWITCHYARD_SERVER_SECRET: "secret-of-the-test" },
        started: (child) => void setTimeout(() => child.kill("SIGKILL"), 100 + random() * 500),
      });
    }
    const last = await runSend(directory, words);
    expect(last, last.stderr).toMatchObject({ json: { delivery: { delivered: 4 * ROWS - 1 } } });
    const expected = Array.from({ length: 4 * ROWS }, (_, index) => index);
    expect(service.storedIndexes()).toEqual(expected.filter((index) => index !== 996));
  },
);
