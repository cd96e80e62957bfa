import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { type Fault, startFaultProxy } from "../support/fault-proxy.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";
import { hasS3Server, type S3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("object-output");
const rows = 12_000;
const common = ["--split-size", "256KiB", "--threads", "2", "--max-rejects", "1%", "--quiet"];

/** Days in order are written directly; scattered ones are spilled, and small parts joined. */
const shapes: readonly (readonly [string, readonly string[]])[] = [
  ["parquet", ["--format", "parquet"]],
  ["csv", ["--format", "csv", "--layout", "{day}/event={event}"]],
  ["jsonl.gz", ["--format", "jsonl.gz", "--compact", "never"]],
  ["arrow", ["--format", "arrow", "--dedupe"]],
  ["delta", ["--format", "parquet", "--table-log", "delta", "--layout", "day={day}"]],
];

describe.runIf(hasS3Server())("an export into a bucket", () => {
  let server: S3Server;
  let input = "";

  beforeAll(async () => {
    server = await useS3Server();
    await server.createBucket("lake");
    input = join(scratch, "rows.jsonl");
    writeAmplitudeRows(input, rows, 40);
  });

  function run(command: string, place: string, ...more: readonly string[]) {
    const sizes = command === "export" ? common : [];
    const words = command === "export" ? [command, input, "--to", place] : [command, place];
    return runInProcess([...words, ...sizes, ...server.flags, ...more]);
  }

  async function exportTo(place: string, ...more: readonly string[]): Promise<void> {
    const result = await run("export", place, ...more);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  }

  async function storedIn(prefix: string): Promise<Record<string, string>> {
    const directory = join(scratch, "downloads", prefix.replaceAll("/", "-"));
    await server.download("lake", `${prefix}/`, directory);
    return withoutLog(digestExport(directory));
  }

  async function onDisk(name: string, ...flags: readonly string[]) {
    await exportTo(join(scratch, name), ...flags);
    return withoutLog(digestExport(join(scratch, name)));
  }

  it.each(someOf(shapes, 5))("has the files of one on disk: %s", async (name, flags) => {
    const expected = await onDisk(name, ...flags);
    await exportTo(`s3://lake/same/${name}`, ...flags);
    expect(await storedIn(`same/${name}`)).toEqual(expected);
    const left = await server.keys("lake", `same/${name}/_switchyard/`);
    expect(left.filter((key) => /^(?:lock|tmp|spill|staged)/.test(key))).toEqual([]);
    for (const more of [[], ["--read"]]) {
      const verified = await run("verify", `s3://lake/same/${name}`, ...more);
      expect(verified, verified.stdout).toMatchObject({ exitCode: 0 });
    }
  });

  it("leaves no object behind if the run is refused before it reads anything", async () => {
    const refused = await run("export", "s3://lake/refused", "--memory", "1");
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain("[memory_too_small]");
    expect(await server.keys("lake", "refused/")).toEqual([]);
  });

  longTest("is done at once if nothing is new, and goes on with new inputs", async () => {
    const inputs = join(scratch, "growing");
    mkdirSync(inputs);
    const lines = readFileSync(input, "utf8").split("\n");
    writeFileSync(join(inputs, "a.jsonl"), lines.slice(0, 5_000).join("\n"));
    const grow = async (to: string) => {
      const flags = to.startsWith("s3:") ? server.flags : [];
      const loud = common.filter((word) => word !== "--quiet");
      return runInProcess(["export", inputs, "--to", to, ...loud, ...flags]);
    };
    const places = [join(scratch, "grown"), "s3://lake/grown"];
    for (const to of places) expect(await grow(to)).toMatchObject({ exitCode: 0 });
    const before = await server.keys("lake", "grown/");
    expect((await grow("s3://lake/grown")).stdout).toContain("Already done");
    expect(await server.keys("lake", "grown/")).toEqual(before);
    writeFileSync(join(inputs, "b.jsonl"), lines.slice(5_000).join("\n"));
    for (const to of places) expect(await grow(to)).toMatchObject({ exitCode: 0 });
    expect(await storedIn("grown")).toEqual(digestExport(join(scratch, "grown")));
    for (const to of places) expect(await run("compact", to)).toMatchObject({ exitCode: 0 });
    expect(await storedIn("grown")).toEqual(digestExport(join(scratch, "grown")));
  });

  longTest("writes the same although requests fail and answers are lost", async () => {
    const flags = ["--format", "parquet"];
    const expected = await onDisk("faults", ...flags);
    const faults: readonly Fault[] = [
      "reset",
      "lost",
      { status: 503, code: "SlowDown" },
      { status: 409, code: "ConditionalRequestConflict" },
      { status: 500, code: "InternalError" },
    ];
    const seen = new Set<Fault>();
    const proxy = await startFaultProxy(server.options.endpoint ?? "", (number) => {
      const fault = number % 3 === 0 ? faults[(number / 3) % faults.length] : undefined;
      if (fault !== undefined) seen.add(fault);
      return fault;
    });
    try {
      const to = ["--to", "s3://lake/faults", "--s3-endpoint", proxy.endpoint];
      const result = await runInProcess(["export", input, ...to, ...common, ...flags]);
      expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    } finally {
      proxy.close();
    }
    expect(seen.size).toBe(faults.length);
    expect(await storedIn("faults")).toEqual(expected);
  });

  longTest(
    "fetches one range of the spilled rows of each split for each merge of days",
    async () => {
      const flags = ["--format", "parquet", "--compact", "never"];
      const expected = await onDisk("ranges", ...flags);
      for (const shard of ["0/2", "1/2"])
        await exportTo("s3://lake/ranges", ...flags, "--shard", shard);
      const fetched: string[] = [];
      const proxy = await startFaultProxy(server.options.endpoint ?? "", (_, path) => {
        const split = /_switchyard\/spill\/(\d+)(?:\?|$)/.exec(path)?.[1];
        if (split !== undefined) fetched.push(split);
        return undefined;
      });
      try {
        const to = ["--to", "s3://lake/ranges", "--s3-endpoint", proxy.endpoint];
        const result = await runInProcess([
          "export",
          input,
          ...to,
          ...common,
          ...flags,
          "--shard",
          "finish",
        ]);
        expect(result, result.stderr).toMatchObject({ exitCode: 0 });
      } finally {
        proxy.close();
      }
      const keys = await server.keys("lake", "ranges/_switchyard/merges/");
      const merges = keys.filter((key) => /\d+\.json$/.test(key)).length;
      const splits = new Set(fetched).size;
      expect(Math.min(merges, splits)).toBeGreaterThan(1);
      expect(fetched).toHaveLength(merges * splits);
      expect(await storedIn("ranges")).toEqual(expected);
    },
  );

  // A run of this size makes about a hundred requests; half of these have an odd number.
  const kills = isCi ? Array.from({ length: 6 }, (_, index) => 3 + 18 * index) : [60];
  let undisturbed: Promise<Record<string, string>> | undefined;
  it.each(kills)("resumes after a kill at request %i, with the same files", async (at) => {
    const flags = ["--format", "parquet"];
    undisturbed ??= onDisk("killed", ...flags);
    const expected = await undisturbed;
    let kill = () => {};
    const proxy = await startFaultProxy(server.options.endpoint ?? "", (number) => {
      if (number !== at) return undefined;
      kill();
      // Half of them are stored.
      return at % 2 === 0 ? "reset" : "lost";
    });
    const prefix = `killed-${at}`;
    try {
      const to = ["--to", `s3://lake/${prefix}`, "--s3-endpoint", proxy.endpoint];
      const killed = await runSwitchyard(["export", input, ...to, ...common, ...flags], {
        started: (child) => {
          kill = () => void child.kill("SIGKILL");
        },
      });
      expect(killed.signal ?? killed.exitCode).toBe(proxy.requests < at ? 0 : "SIGKILL");
    } finally {
      proxy.close();
    }
    const manifest = (await server.keys("lake", `${prefix}/`)).includes("manifest.json");
    if (manifest) expect(await run("verify", `s3://lake/${prefix}`)).toMatchObject({ exitCode: 0 });
    await exportTo(`s3://lake/${prefix}`, ...flags);
    expect(await storedIn(prefix)).toEqual(expected);
  });

  longTest(
    "is refused while another one writes, and with a part that somebody has removed written again",
    async () => {
      await exportTo("s3://lake/taken");
      const lock = { pid: 1, host: "elsewhere", processStart: null, lockedAt: "now", token: "t" };
      await server.put("lake", "taken/_switchyard/lock", JSON.stringify(lock));
      expect(await run("export", "s3://lake/taken")).toMatchObject({
        exitCode: 4,
        stderr: expect.stringContaining("another run writes into s3://lake/taken"),
      });
      await server.remove("lake", "taken/_switchyard/lock");
      const expected = await storedIn("taken");
      const part = Object.keys(expected).find((name) => name.startsWith("events/")) ?? "";
      await server.remove("lake", `taken/${part}`);
      expect(await run("verify", "s3://lake/taken")).toMatchObject({
        exitCode: 1,
        stdout: expect.stringContaining(`${part}: the file does not exist`),
      });
      await exportTo("s3://lake/taken");
      expect(await storedIn("taken")).toEqual(expected);
      const started = await run("export", "s3://lake/taken", "--format", "csv");
      expect(started).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("s3://lake/taken contains a run with other settings"),
      });
      await exportTo("s3://lake/taken", "--format", "csv", "--fresh");
      expect(await run("verify", "s3://lake/taken", "--read")).toMatchObject({ exitCode: 0 });
      expect(
        (await server.keys("lake", "taken/events/")).every((key) => key.endsWith(".csv")),
      ).toBe(true);
    },
  );
});

/** Commits of a Delta log have random ids and times. */
function withoutLog(digests: Record<string, string>): Record<string, string> {
  const entries = Object.entries(digests);
  return Object.fromEntries(
    entries.map(([name, digest]) => [name, name.includes("_delta_log") ? "a commit" : digest]),
  );
}
