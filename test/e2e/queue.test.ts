import type { ChildProcess } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type CommandResult,
  endProcesses,
  runInProcess,
  runSwitchyard,
} from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { hasRedis, type RedisServer, startRedis } from "../support/redis-server.js";
import { hasS3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("queue");
const salt = "a salt that no file has";
const env = { SWITCHYARD_HASH_SALT: salt };

const options = "--max-rejects 1% --split-size 100KiB --threads 1 --hash user.email --quiet".split(
  " ",
);

const exportTo = (output: string, ...more: readonly string[]) => [
  "export",
  join(scratch, "rows.jsonl"),
  "--to",
  output,
  ...options,
  ...more,
];

/** A worker in a process of its own. */
interface StartedWorker {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
}

let redis: RedisServer;
let expected: Readonly<Record<string, string>> = {};
const workers: StartedWorker[] = [];

function startWorker(
  more: readonly string[] = [],
  environment: Readonly<Record<string, string>> = env,
): StartedWorker {
  const args = ["worker", "--queue", redis.url, "--threads", "1", ...more];
  const children: ChildProcess[] = [];
  const started = (child: ChildProcess) => void children.push(child);
  const ended = runSwitchyard(args, { cwd: scratch, env: environment, started });
  const [child] = children;
  if (child === undefined) throw new Error("no worker");
  const worker = { child, ended };
  workers.push(worker);
  return worker;
}

async function stopWorkers(): Promise<readonly CommandResult[]> {
  for (const { child } of workers) child.kill("SIGTERM");
  return Promise.all(workers.splice(0).map(({ ended }) => ended));
}

const coordinate = (output: string, ...more: readonly string[]) =>
  runInProcess(exportTo(output, "--queue", redis.url, ...more), { cwd: scratch, env });

const records = (output: string) => {
  const directory = join(scratch, output, "_switchyard", "splits");
  return existsSync(directory)
    ? readdirSync(directory).filter((name) => /^\d+\.json$/.test(name)).length
    : 0;
};

describe.skipIf(!hasRedis())("a queue", () => {
  beforeAll(async () => {
    await writeAmplitudeRows(join(scratch, "rows.jsonl"), 4_000, 5);
    redis = await startRedis(join(scratch, "redis"));
    const whole = await runInProcess(exportTo("whole"), { cwd: scratch, env });
    expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
    expected = digestExport(join(scratch, "whole"));
    expect(records("whole")).toBeGreaterThan(8);
  });
  afterEach(async () => {
    await stopWorkers();
  });
  afterAll(async () => {
    endProcesses();
    redis.client.disconnect();
    await redis.stop();
  });

  test("two workers have the bytes of one process, and no secret is in Redis", async () => {
    startWorker();
    startWorker();
    const seen = new Set<string>();
    const watch = new AbortController();
    const watched = watchKeys(seen, watch.signal);
    const result = await coordinate("two", "--json");
    watch.abort();
    await watched;
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    const { rowsRead, rows } = JSON.parse(result.stdout);
    expect(rowsRead).toBe(rows.read);
    expect(digestExport(join(scratch, "two"))).toEqual(expected);
    expect(await runInProcess(["verify", "two"], { cwd: scratch })).toMatchObject({ exitCode: 0 });
    const ended = await stopWorkers();
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const read = ended.map(({ stdout }) => Number(/read (\d+) splits?,/.exec(stdout)?.[1]));
    expect(read[0]! + read[1]!).toBe(records("two"));
    const texts = [...seen];
    expect(texts.some((text) => text.includes("split"))).toBe(true);
    for (const secret of [salt, "email"])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    const again = await coordinate("two", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ alreadyDone: true });
  });

  test("a worker that is told to stop reads its split to the end, and another one the rest", async () => {
    const first = startWorker();
    const coordinated = coordinate("stopped");
    // Often: all ten splits take a fifth of a second.
    await expect
      .poll(() => records("stopped"), { timeout: 90_000, interval: 5 })
      .toBeGreaterThan(0);
    first.child.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ exitCode: 0 });
    const before = records("stopped");
    expect(readdirSync(join(scratch, "stopped", "_switchyard")).join()).not.toContain("lock-");
    startWorker();
    expect(await coordinated).toMatchObject({ exitCode: 0 });
    expect(records("stopped")).toBeGreaterThan(before);
    expect(digestExport(join(scratch, "stopped"))).toEqual(expected);
  });

  longTest(
    "splits that Redis has lost are queued again, also after it was unreachable",
    async () => {
      const coordinated = coordinate("lost");
      await expect.poll(() => redis.client.dbsize(), { timeout: 90_000 }).toBeGreaterThan(8);
      await redis.client.flushall();
      await redis.stop();
      setTimeout(() => startWorker(), 1_000);
      await redis.start();
      const result = await coordinated;
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      expect(digestExport(join(scratch, "lost"))).toEqual(expected);
    },
  );

  longTest("a coordinator that was killed goes on, and two of them do no harm", async () => {
    const killed = await runSwitchyard(exportTo("killed", "--queue", redis.url), {
      cwd: scratch,
      env,
      started: (child) => {
        void expect
          .poll(() => redis.client.dbsize(), { timeout: 90_000 })
          .toBeGreaterThan(8)
          .finally(() => child.kill("SIGKILL"));
      },
    });
    expect(killed.signal).toBe("SIGKILL");
    startWorker();
    const results = await Promise.all([coordinate("killed"), coordinate("killed")]);
    for (const result of results) expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    expect(digestExport(join(scratch, "killed"))).toEqual(expected);
  });

  longTest("days are merged by workers, again if one of them is killed", async () => {
    await writeAmplitudeRows(join(scratch, "days.jsonl"), 12_000, 60);
    const words = (output: string) => ["export", "days.jsonl", "--to", output, ...options];
    const whole = await runInProcess(words("days-whole"), { cwd: scratch, env });
    expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
    const killed = startWorker();
    const queued = [...words("days"), "--queue", redis.url];
    const coordinated = runInProcess(queued, { cwd: scratch, env });
    const merges = join(scratch, "days", "_switchyard", "merges");
    const made = () => (existsSync(merges) ? readdirSync(merges).length : 0);
    // The plan and the first merge.
    await expect.poll(made, { timeout: 90_000, interval: 1 }).toBeGreaterThan(1);
    killed.child.kill("SIGKILL");
    const before = made();
    startWorker();
    const result = await coordinated;
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    expect(made()).toBeGreaterThan(before);
    expect(digestExport(join(scratch, "days"))).toEqual(digestExport(join(scratch, "days-whole")));
    const [, last] = await stopWorkers();
    expect(last?.stderr).toMatch(/made [1-9]\d* merges of/);
  });

  longTest("a worker with another salt, or none, refuses the splits and says why", async () => {
    const coordinated = coordinate("salted");
    const none = startWorker([], {});
    expect(await none.ended).toMatchObject({ exitCode: 2 });
    expect((await none.ended).stderr).toContain("[worker_differs]");
    expect((await none.ended).stderr).toContain("the salt is missing");
    const other = startWorker([], { SWITCHYARD_HASH_SALT: "another" });
    expect((await other.ended).stderr).toContain("the salt is another one");
    startWorker();
    expect(await coordinated).toMatchObject({ exitCode: 0 });
    expect(digestExport(join(scratch, "salted"))).toEqual(expected);
  });

  longTest(
    "a transform module of another content is refused, and the same one found elsewhere",
    async () => {
      const rename = (name: string) =>
        `export default (event) => ({ ...event, event: "${name} " + event.event });\n`;
      writeFileSync(join(scratch, "transform.mjs"), rename("my"));
      writeFileSync(join(scratch, "copy.mjs"), rename("my"));
      writeFileSync(join(scratch, "other.mjs"), rename("your"));
      const flags = ["--transform", "transform.mjs"];
      const alone = await runInProcess(exportTo("plain", ...flags), { cwd: scratch, env });
      expect(alone).toMatchObject({ exitCode: 0 });
      const coordinated = coordinate("transformed", ...flags);
      const other = startWorker(["--transform", "other.mjs"]);
      // Whatever ends early says why.
      const refused = await Promise.race([other.ended, coordinated]);
      expect(refused.stderr).toContain("the transform module is another one");
      const copy = startWorker(["--transform", "copy.mjs"]);
      const result = await Promise.race([coordinated, copy.ended]);
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      expect(await coordinated).toMatchObject({ exitCode: 0 });
      expect(digestExport(join(scratch, "transformed"))).toEqual(
        digestExport(join(scratch, "plain")),
      );
    },
  );

  longTest("workers remove the same duplicates as one process", async () => {
    copyFileSync(join(scratch, "rows.jsonl"), join(scratch, "rows-again.jsonl"));
    const more = [join(scratch, "rows-again.jsonl"), "--dedupe"];
    const one = await runInProcess(exportTo("deduped", ...more), { cwd: scratch, env });
    expect(one, one.stderr).toMatchObject({ exitCode: 0 });
    startWorker();
    startWorker();
    const shared = await coordinate("deduped-queue", ...more);
    expect(shared, shared.stderr).toMatchObject({ exitCode: 0 });
    const digest = (output: string) => digestExport(join(scratch, output));
    expect(digest("deduped-queue")).toEqual(digest("deduped"));
  });

  longTest("other runs are kept out while workers are at work", async () => {
    const coordinated = coordinate("busy");
    const { child } = startWorker();
    await expect.poll(() => records("busy"), { timeout: 90_000, interval: 5 }).toBeGreaterThan(0);
    child.kill("SIGSTOP");
    try {
      for (const more of [[], ["--fresh"], ["--shard", "0/2"]]) {
        const refused = await runInProcess(exportTo("busy", ...more), { cwd: scratch, env });
        expect(refused.stderr).toContain("[output_locked]");
        expect(refused.exitCode).toBe(4);
      }
    } finally {
      child.kill("SIGCONT");
    }
    expect(await coordinated).toMatchObject({ exitCode: 0 });
    expect(digestExport(join(scratch, "busy"))).toEqual(expected);
  });

  test("a Redis that evicts keys, refuses the password, or is not there is named", async () => {
    const evicts = ["--maxmemory-policy", "allkeys-lru"];
    const evicting = await startRedis(join(scratch, "evicting"), evicts);
    const guarded = await startRedis(join(scratch, "guarded"), ["--requirepass", "sesame"]);
    const secret = guarded.url.replace("//", "//:wrong-word@");
    try {
      const results = await Promise.all(
        [evicting.url, secret, "redis://127.0.0.1:1"].map((url) =>
          runInProcess(exportTo("never", "--queue", url), { cwd: scratch, env }),
        ),
      );
      const codes = ["queue_unsuitable", "queue_denied", "queue_unreachable"];
      for (const [index, { stderr }] of results.entries())
        expect(stderr).toContain(`[${codes[index]}]`);
      expect(results.map(({ stderr }) => stderr).join()).not.toContain("wrong-word");
    } finally {
      for (const server of [evicting, guarded]) {
        server.client.disconnect();
        await server.stop();
      }
    }
  });

  longTest(
    "workers that are killed again and again lose nothing",
    { timeout: 300_000 },
    async () => {
      for (let index = 0; index < 3; index++) startWorker();
      const coordinated = coordinate("kills");
      for (let kill = 0; kill < 3; kill++) {
        await sleep(700);
        workers.shift()?.child.kill("SIGKILL");
        startWorker();
      }
      const result = await coordinated;
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      expect(digestExport(join(scratch, "kills"))).toEqual(expected);
      const left = readdirSync(join(scratch, "kills", "_switchyard"));
      expect(left.filter((name) => name.startsWith("lock"))).toEqual([]);
    },
  );

  describe.skipIf(!hasS3Server())("with an output in a bucket", () => {
    longTest("two workers have the bytes of one process", async () => {
      const server = await useS3Server();
      await server.createBucket("queued");
      const keys = {
        AWS_ACCESS_KEY_ID: "test",
        AWS_SECRET_ACCESS_KEY: "testsecret",
        AWS_REGION: "us-east-1",
      };
      startWorker(server.flags, { ...env, ...keys });
      startWorker(server.flags, { ...env, ...keys });
      await writeAmplitudeRows(join(scratch, "days.jsonl"), 12_000, 60);
      const words = (output: string) => ["export", "days.jsonl", "--to", output, ...options];
      const whole = await runInProcess(words("on-disk"), { cwd: scratch, env });
      expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
      const queued = [...words("s3://queued/out"), "--queue", redis.url, ...server.flags];
      const result = await runInProcess(queued, { cwd: scratch, env });
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      await server.download("queued", "out/", join(scratch, "from-store"));
      expect(digestExport(join(scratch, "from-store"))).toEqual(
        digestExport(join(scratch, "on-disk")),
      );
      const ended = await stopWorkers();
      const told = ended.map(({ stderr }) => stderr).join("\n");
      expect(
        ended.map(({ exitCode }) => exitCode),
        told,
      ).toEqual([0, 0]);
      expect(told).toMatch(/made [1-9]\d* merges of s3:/);
    });
  });
});

/** Collects everything that Redis holds, again and again. */
async function watchKeys(seen: Set<string>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const key of await redis.client.keys("*")) {
      const type = await redis.client.type(key);
      if (type === "hash") seen.add(JSON.stringify(await redis.client.hgetall(key)));
      seen.add(key);
    }
    await sleep(5);
  }
}
