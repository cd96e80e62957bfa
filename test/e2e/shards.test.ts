import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { createRandom } from "../support/random.js";
import { hasS3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("shards");
const SHARDS = 3;

const options = ["--max-rejects", "1%", "--split-size", "300KiB", "--threads", "1", "--quiet"];

/** Arguments of the export to an output. */
const exportTo = (output: string, ...more: readonly string[]) => [
  "export",
  join(scratch, "rows.jsonl"),
  "--to",
  output,
  ...options,
  ...more,
];

const run = (...args: readonly string[]) => runInProcess(args, { cwd: scratch });

let expected: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  await writeAmplitudeRows(join(scratch, "rows.jsonl"), 6_000, 5);
  const whole = await run(...exportTo("whole"));
  expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
  expected = digestExport(join(scratch, "whole"));
  expect(Object.keys(expected).length).toBeGreaterThan(8);
});

test("shards one after the other, and the finish, have the bytes of one process", async () => {
  const reported: { readonly splits: number; readonly rows: { readonly read: number } }[] = [];
  for (const index of [2, 0, 1]) {
    const early = await run(...exportTo("turn", "--shard", "finish"));
    expect(early, early.stderr).toMatchObject({ exitCode: 1 });
    expect(early.stderr).toContain("[splits_missing]");
    const shard = await run(...exportTo("turn", "--json", "--shard", `${index}/${SHARDS}`));
    expect(shard, shard.stderr).toMatchObject({ exitCode: 0 });
    reported.push(JSON.parse(shard.stdout));
  }
  const again = await run(...exportTo("turn", "--json", "--shard", `0/${SHARDS}`));
  expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "done", rowsRead: 0 });
  const finished = await run(...exportTo("turn", "--json", "--shard", "finish"));
  const { rows } = JSON.parse(finished.stdout) as { readonly rows: { readonly read: number } };
  expect(reported.reduce((sum, shard) => sum + shard.rows.read, 0)).toBe(rows.read);
  const splits = reported.map((shard) => shard.splits);
  expect(Math.max(...splits) - Math.min(...splits)).toBeLessThanOrEqual(1);
  expect(digestExport(join(scratch, "turn"))).toEqual(expected);
  expect(await run("verify", "turn")).toMatchObject({ exitCode: 0 });
});

test("the finish reads no split again whose source failed", async () => {
  const rows = readFileSync(join(scratch, "rows.jsonl"));
  writeFileSync(
    join(scratch, "cut.jsonl.gz"),
    gzipSync(rows.subarray(0, 200_000)).subarray(0, -500),
  );
  const failed = await run(...exportTo("cut", "--shard", "0/1", "cut.jsonl.gz"));
  expect(failed, failed.stderr).toMatchObject({ exitCode: 1 });
  const finished = await run(...exportTo("cut", "--json", "--shard", "finish", "cut.jsonl.gz"));
  const whole = await run(...exportTo("cut-whole", "--json", "cut.jsonl.gz"));
  const [{ rowsRead, ...result }, expectedResult] = [finished, whole].map(({ stdout }) =>
    JSON.parse(stdout),
  );
  expect(rowsRead).toBe(0);
  expect(result).toMatchObject({
    exitCode: 1,
    rows: expectedResult.rows,
    failures: expectedResult.failures,
  });
  expect(digestExport(join(scratch, "cut"))).toEqual(digestExport(join(scratch, "cut-whole")));
});

test("the command without a shard reads what no shard has read", async () => {
  expect(await run(...exportTo("rest", "--shard", "1/2"))).toMatchObject({ exitCode: 0 });
  expect(await run(...exportTo("rest"))).toMatchObject({ exitCode: 0 });
  expect(digestExport(join(scratch, "rest"))).toEqual(expected);
});

/** Runs a shard until it ends by itself; before that it is killed some times. */
async function runKilled(args: readonly string[], kills: number, delayMs: () => number) {
  for (let killed = 0; ; ) {
    const result = await runSwitchyard(args, {
      cwd: scratch,
      started: (child) => {
        if (killed < kills) setTimeout(() => child.kill("SIGKILL"), delayMs());
      },
    });
    if (result.signal === "SIGKILL") killed++;
    else if (result.exitCode === 0) return;
    else if (killed >= kills) expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  }
}

async function runAllKilled(output: string, ...more: readonly string[]): Promise<void> {
  const random = createRandom(19);
  const shards = Array.from({ length: SHARDS }, (_, index) =>
    runKilled(
      exportTo(output, ...more, "--shard", `${index}/${SHARDS}`),
      2,
      () => 150 + random() * 900,
    ),
  );
  await Promise.all(shards);
}

longTest("shards at once, each killed twice, have the bytes of one process", async () => {
  await runAllKilled("killed");
  expect(await run(...exportTo("killed", "--shard", "finish"))).toMatchObject({ exitCode: 0 });
  expect(digestExport(join(scratch, "killed"))).toEqual(expected);
});

describe("while a shard is at work", () => {
  /** Runs commands while shard 0 of 2 is paused, and then the shard to its end. */
  async function besides(output: string, commands: () => Promise<void>): Promise<void> {
    let done: Promise<void> | undefined;
    const shard = await runSwitchyard(exportTo(output, "--shard", "0/2", "--json=log"), {
      cwd: scratch,
      started: (child) => {
        done = (async () => {
          const ledger = join(scratch, output, "_switchyard");
          const isReading = () =>
            holds(join(ledger, "lock-shard-0-of-2")) && !holds(join(ledger, "lock"));
          await expect.poll(isReading, { timeout: 90_000, interval: 5 }).toBe(true);
          child.kill("SIGSTOP");
          try {
            await commands();
          } finally {
            child.kill("SIGCONT");
          }
        })();
      },
    });
    await done;
    expect(shard, shard.stderr).toMatchObject({ exitCode: 0 });
  }

  test("others join it, and what is not a shard of it is refused", async () => {
    await besides("besides", async () => {
      const refused = async (code: string, ...more: readonly string[]) => {
        const result = await run(...exportTo("besides", ...more));
        expect(result.stderr).toContain(`[${code}]`);
      };
      await refused("shard_locked", "--shard", "0/2");
      await refused("shards_differ", "--shard", "1/3");
      await refused("run_changed", "--shard", "1/2", "--format", "csv");
      await refused("output_locked");
      await refused("output_locked", "--shard", "finish");
      writeFileSync(join(scratch, "more.jsonl"), '{"event_type":"e"}\n');
      await refused("shards_differ", "--shard", "1/2", "more.jsonl");
      const runs = await run("runs", "besides");
      expect(runs.stdout).toContain("running");
      expect(await run(...exportTo("besides", "--shard", "1/2"))).toMatchObject({ exitCode: 0 });
    });
    expect(await run(...exportTo("besides", "--shard", "finish"))).toMatchObject({ exitCode: 0 });
    expect(digestExport(join(scratch, "besides"))).toEqual(expected);
  });
});

function holds(path: string): boolean {
  try {
    return readFileSync(path, "utf8") !== "";
  } catch {
    return false;
  }
}

longTest("shards remove the same duplicates as one process", async () => {
  copyFileSync(join(scratch, "rows.jsonl"), join(scratch, "rows-again.jsonl"));
  const twice = (output: string, ...more: readonly string[]) =>
    run(...exportTo(output, join(scratch, "rows-again.jsonl"), "--dedupe", ...more));
  const one = await twice("deduped", "--json");
  expect(JSON.parse(one.stdout).rows.duplicates).toBeGreaterThan(1_000);
  const shards = [0, 1].map((index) => twice("deduped-shards", "--shard", `${index}/2`));
  for (const shard of await Promise.all(shards))
    expect(shard, shard.stderr).toMatchObject({ exitCode: 0 });
  const finished = await twice("deduped-shards", "--shard", "finish");
  expect(finished, finished.stderr).toMatchObject({ exitCode: 0 });
  const digest = (output: string) => digestExport(join(scratch, output));
  expect(digest("deduped-shards")).toEqual(digest("deduped"));
  expect(await run("verify", "deduped-shards")).toMatchObject({ exitCode: 0 });
});

test.each([
  ["shard_unsupported", ["--shard", "0/2", "--dedupe", "--to", "s3://bucket/events"]],
  ["shard_unsupported", ["--shard", "0/2", "--fresh"]],
  ["shard_unknown", ["--shard", "/2"]],
  ["configuration_invalid", ["--shard", "2/2"]],
  ["configuration_invalid", ["--shard", "1"]],
])("%s refuses %j", async (code, more) => {
  const result = await run(...exportTo("refused", ...more));
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain(`[${code}]`);
});

test("a migration is not a shard", async () => {
  const config = { inputs: ["rows.jsonl"], steps: ["export"], export: { to: "migrated" } };
  writeFileSync(join(scratch, "migrate.json"), JSON.stringify(config));
  const result = await run("migrate", "--config", "migrate.json", "--shard", "0/2");
  expect(result.stderr).toContain("[shard_unsupported]");
});

test("the number of a shard comes from the environment of an array job", async () => {
  const args = exportTo("array", "--json", "--shard", "/2");
  const second = await runSwitchyard(args, { cwd: scratch, env: { JOB_COMPLETION_INDEX: "1" } });
  expect(JSON.parse(second.stdout)).toMatchObject({ shard: "1/2", outcome: "done" });
  const third = await runSwitchyard(args, {
    cwd: scratch,
    env: { AWS_BATCH_JOB_ARRAY_INDEX: "2" },
  });
  expect(third.stderr).toContain("[shard_unknown]");
});

describe.runIf(hasS3Server())("with the output in a bucket", () => {
  longTest("shards at once, each killed twice, have the bytes of one process", async () => {
    const server = await useS3Server();
    await server.createBucket("shards", {});
    const output = "s3://shards/out";
    await runAllKilled(output, ...server.flags);
    const finished = await run(...exportTo(output, ...server.flags, "--shard", "finish"));
    expect(finished, finished.stderr).toMatchObject({ exitCode: 0 });
    const copy = join(scratch, "copy");
    await server.download("shards", "out/", copy);
    expect(digestExport(copy)).toEqual(expected);
  });
});
