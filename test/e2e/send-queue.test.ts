import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type CommandResult,
  endProcesses,
  runInProcess,
  runSwitchyard,
} from "../support/command-line.js";
import { FaultyService } from "../support/faulty-service.js";
import { amplitudeLines, writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { isCi } from "../support/property-runs.js";
import { accepted } from "../support/reaction.js";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.js";
import { hasS3Server, type S3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";
import { runSend, type SendEnd, testSecret } from "../support/send-command.js";

const ROWS = isCi ? 3_000 : 2_000;
const CONCURRENCY = 4;
const scratch = scratchDirectory("send-queue");
const slowly = () => ({ ...accepted, manner: "read_slowly" as const });

interface StartedWorker {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
}

let redis: RedisServer;
const workers: StartedWorker[] = [];

function startWorker(
  environment: Readonly<Record<string, string>> = secretOnly,
  more: readonly string[] = [],
): StartedWorker {
  const children: ChildProcess[] = [];
  const ended = runSwitchyard(["worker", "--queue", redis.url, ...more], {
    cwd: scratch,
    env: environment,
    started: (child) => void children.push(child),
  });
  const [child] = children;
  if (child === undefined) throw new Error("no worker");
  const worker = { child, ended };
  workers.push(worker);
  return worker;
}

const secretOnly = { SWITCHYARD_SERVER_SECRET: testSecret };

async function stopWorkers(): Promise<readonly CommandResult[]> {
  for (const { child } of workers) {
    child.kill("SIGTERM");
    // A test that failed may have left it paused.
    child.kill("SIGCONT");
  }
  return Promise.all(workers.splice(0).map(({ ended }) => ended));
}

const wordsFor = (url: string, runs: string) =>
  `rows.jsonl --to ${url} --runs ${runs} --split-size ${ROWS / 50}KiB --max-rejects 1% --concurrency ${CONCURRENCY}`.split(
    " ",
  );

const coordinate = (url: string, runs: string, ...more: readonly string[]): Promise<SendEnd> =>
  runSend(scratch, [...wordsFor(url, runs), "--queue", redis.url, ...more]);

/** Resolves as soon as workers wait for splits, so that none of them can take all. */
const workersWait = (count: number) =>
  expect
    .poll(async () => /blocked_clients:(\d+)/.exec(await redis.client.info("clients"))?.[1], {
      timeout: 90_000,
    })
    .toBe(String(count));

function expectedIndexes(): readonly number[] {
  const lines = amplitudeLines(0, ROWS, 2).trimEnd().split("\n");
  return lines.flatMap((line, index) => (line.includes('"broken') ? [] : [index]));
}

function manifestOf(runs: string) {
  const [run = ""] = readdirSync(join(scratch, runs));
  const text = readFileSync(join(scratch, runs, run, "manifest.json"), "utf8");
  const { run: _, delivery, ...manifest } = JSON.parse(text);
  return { ...manifest, delivered: delivery.delivered };
}

const sentMoreThan = (service: FaultyService, count: number) =>
  expect
    .poll(() => service.requests.length, { timeout: 90_000, interval: 5 })
    .toBeGreaterThan(count);

describe.skipIf(!hasRedis())("send with a queue", () => {
  beforeAll(async () => {
    await writeAmplitudeRows(join(scratch, "rows.jsonl"), ROWS, 2);
    redis = await startRedis(join(scratch, "redis"));
  });
  afterEach(async () => {
    await stopWorkers();
  });
  afterAll(async () => {
    endProcesses();
    redis.client.disconnect();
    await redis.stop();
  });

  test("two workers send each event once, with the keys and the manifest of one process", async () => {
    const alone = new FaultyService(() => accepted);
    const shared = new FaultyService(() => accepted);
    const name = await alone.listen();
    const single = await runSend(scratch, wordsFor(name, "single"));
    expect(single, single.stderr).toMatchObject({ exitCode: 0 });
    await alone.close();
    await new Promise((resolve) => setTimeout(resolve, 0));
    await shared.reopen(name);
    startWorker();
    startWorker();
    await workersWait(2);
    const end = await coordinate(name, "shared");
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
    await shared.close();
    expect(shared.storedIndexes()).toEqual(expectedIndexes());
    expect(shared.repeated).toBe(0);
    expect([...shared.stored.keys()].sort()).toEqual([...alone.stored.keys()].sort());
    expect(manifestOf("shared")).toEqual(manifestOf("single"));
    expect(end.json.rows).toEqual(single.json.rows);
    expect(end.json.delivery).toMatchObject({ delivered: expectedIndexes().length });
    const results = await stopWorkers();
    const splits = results.map(({ stdout }) => Number(/read (\d+) splits?,/.exec(stdout)?.[1]));
    expect(splits[0]! + splits[1]!).toBe(end.json.splitsTotal);
    expect(Math.min(...splits)).toBeGreaterThan(0);
    const again = await coordinate(name, "shared");
    expect(again.json, again.stderr).toMatchObject({ exitCode: 0, alreadyDone: true });
  });

  longTest(
    "workers that are killed lose what was in flight, and no event; Redis may lose everything",
    async () => {
      const service = new FaultyService(slowly);
      const url = await service.listen();
      const coordinated = coordinate(url, "killed");
      startWorker();
      let kills = 0;
      for (const share of [0.1, 0.2, 0.3, 0.4, 0.5]) {
        const worker = startWorker();
        await sentMoreThan(service, share * ROWS);
        worker.child.kill("SIGKILL");
        await worker.ended;
        kills++;
        await redis.client.flushall();
      }
      const end = await coordinated;
      expect(end, end.stderr).toMatchObject({ exitCode: 0 });
      expect(service.storedIndexes()).toEqual(expectedIndexes());
      expect(service.repeated).toBeLessThanOrEqual(kills * CONCURRENCY);
      expect(end.json.delivery.delivered).toBe(expectedIndexes().length);
      expect(end.json.delivery.possiblyDuplicated).toBeGreaterThanOrEqual(service.repeated);
    },
    300_000,
  );

  longTest(
    "a coordinator that was killed is run again, and a worker that is told to stop leaves its split to others",
    async () => {
      const service = new FaultyService(slowly);
      const url = await service.listen();
      const first = startWorker();
      const killed = await runSend(scratch, [...wordsFor(url, "again"), "--queue", redis.url], {
        started: (child) => {
          void sentMoreThan(service, 100).finally(() => child.kill("SIGKILL"));
        },
      });
      expect(killed.signal).toBe("SIGKILL");
      await sentMoreThan(service, service.requests.length + 20);
      first.child.kill("SIGTERM");
      expect(await first.ended).toMatchObject({ exitCode: 0 });
      const before = service.requests.length;
      expect(before).toBeLessThan(expectedIndexes().length);
      startWorker();
      const end = await coordinate(url, "again");
      expect(end, end.stderr).toMatchObject({ exitCode: 0 });
      expect(service.storedIndexes()).toEqual(expectedIndexes());
      expect(service.repeated).toBe(0);
    },
    300_000,
  );

  longTest("a worker without the secret says so, and no file of the run has it", async () => {
    const service = new FaultyService(() => accepted);
    const url = await service.listen();
    const queue = redis.url.replace("//", "//default:sesame@");
    const coordinated = runSend(scratch, [...wordsFor(url, "secret"), "--queue", queue]);
    const none = startWorker({});
    expect(await none.ended).toMatchObject({ exitCode: 2 });
    expect((await none.ended).stderr).toContain("[secret_missing]");
    startWorker();
    expect(await coordinated).toMatchObject({ exitCode: 0 });
    for (const text of textsIn(join(scratch, "secret")))
      for (const secret of [testSecret, "sesame"]) expect(text).not.toContain(secret);
  });

  longTest("the rate is that of all workers together", async () => {
    const service = new FaultyService(() => accepted);
    const url = await service.listen();
    startWorker();
    startWorker();
    const [rate, burst] = [1_000, 100];
    const end = await coordinate(url, "rate", "--rate", `${rate},burst=${burst}`);
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
    expect(service.storedIndexes()).toEqual(expectedIndexes());
    const times = service.requests.map(({ timeMs }) => timeMs);
    const tookMs = Math.max(...times) - Math.min(...times);
    expect(tookMs).toBeGreaterThan(((times.length - burst) / rate) * 1_000 - 50);
  });

  /** Pauses a worker until others have sent its split. `bound`: requests that may be sent again. */
  async function pauseWorker(
    runs: string,
    start: () => StartedWorker,
    bound: number,
    ...more: readonly string[]
  ): Promise<void> {
    const service = new FaultyService(slowly);
    const url = await service.listen();
    const paused = start();
    const coordinated = coordinate(url, runs, ...more);
    await sentMoreThan(service, 100);
    paused.child.kill("SIGSTOP");
    await redis.client.flushall();
    start();
    const indexes = expectedIndexes();
    await expect
      .poll(() => service.copies.size, { timeout: 180_000, interval: 200 })
      .toBe(indexes.length);
    const before = service.requests.length;
    paused.child.kill("SIGCONT");
    const end = await coordinated;
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
    await stopWorkers();
    // Requests that were under way when it was paused arrive twice.
    expect(service.requests.length - before).toBeLessThanOrEqual(CONCURRENCY);
    expect(service.repeated).toBeLessThanOrEqual(bound);
    expect(service.storedIndexes()).toEqual(indexes);
    expect((await paused.ended).stderr).toContain("other workers send the rest of the split");
  }

  longTest(
    "a worker that was paused sends nothing more once others have its split",
    () => pauseWorker("paused", startWorker, CONCURRENCY),
    300_000,
  );

  describe.skipIf(!hasS3Server())("with runs in a bucket", () => {
    /** Confirmations that wait for the store. */
    const UNSTORED_MAX = 500;
    const keys = {
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "testsecret",
      AWS_REGION: "us-east-1",
    };
    let server: S3Server;
    const startStoreWorker = () => startWorker({ ...secretOnly, ...keys }, server.flags);

    beforeAll(async () => {
      server = await useS3Server();
      await server.createBucket("sent");
    });

    longTest(
      "two workers send each event once, and the run is listed",
      async () => {
        const service = new FaultyService(() => accepted);
        const url = await service.listen();
        startStoreWorker();
        startStoreWorker();
        const end = await coordinate(url, "s3://sent/two", ...server.flags);
        expect(end, end.stderr).toMatchObject({ exitCode: 0 });
        expect(service.storedIndexes()).toEqual(expectedIndexes());
        expect(service.repeated).toBe(0);
        expect(end.json.delivery.delivered).toBe(expectedIndexes().length);
        const listed = await runInProcess(
          ["runs", "--runs", "s3://sent/two", "--json", ...server.flags],
          { cwd: scratch },
        );
        expect(JSON.parse(listed.stdout).runs).toMatchObject([
          { runId: end.json.runId, state: "done", delivered: expectedIndexes().length },
        ]);
        const left = await server.keys("sent", `two/${end.json.runId}/_switchyard/`);
        expect(left.filter((key) => /lock|claim|acknowledged/.test(key))).toEqual([]);
        const again = await coordinate(url, "s3://sent/two", ...server.flags);
        expect(again.json, again.stderr).toMatchObject({ exitCode: 0, alreadyDone: true });
      },
      300_000,
    );

    longTest(
      "workers that are killed or stopped resume from the journals in the bucket",
      async () => {
        const service = new FaultyService(slowly);
        const url = await service.listen();
        const coordinated = coordinate(url, "s3://sent/killed", ...server.flags);
        for (const [index, signal] of (["SIGKILL", "SIGTERM", "SIGKILL"] as const).entries()) {
          const worker = startStoreWorker();
          await sentMoreThan(service, (ROWS / 5) * (index + 1));
          worker.child.kill(signal);
          await worker.ended;
          await redis.client.flushall();
        }
        startStoreWorker();
        const end = await coordinated;
        expect(end, end.stderr).toMatchObject({ exitCode: 0 });
        expect(service.storedIndexes()).toEqual(expectedIndexes());
        expect(service.repeated).toBeLessThanOrEqual(2 * (CONCURRENCY + UNSTORED_MAX));
        expect(service.repeated).toBeLessThan(ROWS / 4);
      },
      300_000,
    );

    longTest(
      "a worker that was paused sends nothing more once others have its split",
      () => {
        const bound = CONCURRENCY + UNSTORED_MAX;
        return pauseWorker("s3://sent/paused", startStoreWorker, bound, ...server.flags);
      },
      300_000,
    );

    test("a run in a bucket needs a queue", async () => {
      const refused = await runSend(scratch, wordsFor("http://127.0.0.1:9", "s3://sent/alone"));
      expect(refused).toMatchObject({ exitCode: 2 });
      expect(refused.stderr).toContain("[runs_in_store]");
    });
  });
});

function textsIn(directory: string): readonly string[] {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}
