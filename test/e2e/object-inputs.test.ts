import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { type Fault, startFaultProxy } from "../support/fault-proxy.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { longTest } from "../support/long-test.js";
import { someOf } from "../support/property-runs.js";
import { hasS3Server, type S3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("object-inputs");
const rows = 30_000;

const faults: readonly Fault[] = [
  "reset",
  "cut",
  { status: 503, code: "SlowDown" },
  { status: 500, code: "InternalError" },
  { status: 429, code: "TooManyRequests" },
];

describe.runIf(hasS3Server())("an export from a bucket", () => {
  let server: S3Server;

  /** Runs a command on the bucket, or on what stands for it. */
  async function run(command: string, input: string, output: string, ...more: readonly string[]) {
    const to = command === "validate" ? "--report" : "--to";
    const sizes = ["--split-size", "1MiB", "--threads", "2", "--max-rejects", "1%", "--quiet"];
    return runInProcess([command, input, to, join(scratch, output), ...sizes, ...more]);
  }

  async function exportOf(input: string, output: string, ...more: readonly string[]) {
    const result = await run("export", input, output, ...more);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    const digests = digestExport(join(scratch, output));
    // They name the sources.
    return Object.entries(digests).filter(([name]) => /^events[/-]/.test(name));
  }

  beforeAll(async () => {
    server = await useS3Server();
    const file = join(scratch, "rows.jsonl");
    await writeAmplitudeRows(file, rows, 5);
    const text = readFileSync(file);
    await run("export", file, "parquet", "--format", "parquet", "--part-size", "1MiB");
    await server.createBucket("exports", {
      "ndjson/rows.jsonl": text,
      "gzip/rows.jsonl.gz": gzipSync(text),
    });
    writeFileSync(join(scratch, "rows.jsonl.gz"), gzipSync(text));
    const mapping = { event: "event", timestamp: "timestamp", userID: "userID" };
    writeFileSync(join(scratch, "own.json"), JSON.stringify({ mapping }));
  });

  it("has the bytes of one from disk, with plain and packed inputs", async () => {
    const expected = await exportOf(join(scratch, "rows.jsonl"), "local");
    expect(expected.length).toBeGreaterThan(5);
    expect(await exportOf("s3://exports/ndjson/", "plain", ...server.flags)).toEqual(expected);
    const packed = await exportOf(join(scratch, "rows.jsonl.gz"), "local-gzip");
    expect(await exportOf("s3://exports/gzip/", "gzip", ...server.flags)).toEqual(packed);
  });

  it("asks for the next object before the one before it is read, also across splits", async () => {
    const lines = readFileSync(join(scratch, "rows.jsonl"), "utf8").split("\n");
    // Splits are read the largest first.
    await server.createBucket("queued-objects", {
      "in/a.jsonl.gz": gzipSync(lines.slice(0, 12_000).join("\n")),
      "in/b.jsonl.gz": gzipSync(lines.slice(12_000, 22_000).join("\n")),
      "in/c.jsonl.gz": gzipSync(lines.slice(22_000).join("\n")),
    });
    const looked = new Set<string>();
    const order: string[] = [];
    const asked = new Map<string, () => void>();
    const askedFor = (name: string) =>
      new Promise<void>((resolve) => {
        if (order.includes(`${name} asked`)) resolve();
        else asked.set(name, resolve);
      });
    const proxy = await startFaultProxy(server.options.endpoint ?? "", async (_, path) => {
      const [, name = ""] = /in\/(\w)\.jsonl/.exec(path) ?? [];
      if (name === "") return undefined;
      if (!looked.has(name)) {
        looked.add(name);
        return undefined;
      }
      order.push(`${name} asked`);
      asked.get(name)?.();
      // The answer waits for the request for the next object.
      if (name === "a") await Promise.race([askedFor("b"), sleep(5_000)]);
      if (name === "b") await Promise.race([askedFor("c"), sleep(5_000)]);
      order.push(`${name} answered`);
      return undefined;
    });
    try {
      const flags = ["--s3-endpoint", proxy.endpoint];
      const splits = ["--threads", "1", "--split-size", "64KiB"];
      await exportOf("s3://queued-objects/in/", "ahead", ...splits, ...flags);
      expect(order.filter((step) => step.endsWith("asked"))).toHaveLength(3);
      expect(order.indexOf("b asked")).toBeLessThan(order.indexOf("a answered"));
      expect(order.indexOf("c asked")).toBeLessThan(order.indexOf("b answered"));
    } finally {
      proxy.close();
    }
  });

  longTest(
    "has the bytes of one from disk although requests fail, are lost and stop early",
    async () => {
      const expected = await exportOf(join(scratch, "rows.jsonl"), "calm");
      const seen = new Map<Fault, number>();
      const proxy = await startFaultProxy(server.options.endpoint ?? "", (number) => {
        if (number % 3 !== 0) return undefined;
        const fault = faults[(number / 3) % faults.length];
        if (fault !== undefined) seen.set(fault, (seen.get(fault) ?? 0) + 1);
        return fault;
      });
      try {
        const flags = ["--s3-endpoint", proxy.endpoint];
        expect(await exportOf("s3://exports/ndjson/", "faulty", ...flags)).toEqual(expected);
      } finally {
        proxy.close();
      }
      expect(seen.size).toBe(faults.length);
    },
  );

  longTest("reads the files of a tar, plain and compressed", async () => {
    const directory = join(scratch, "to-pack");
    mkdirSync(directory);
    for (const part of ["a", "b", "c"]) {
      const text = readFileSync(join(scratch, "rows.jsonl"));
      writeFileSync(join(directory, `${part}.jsonl`), part === "b" ? gzipSync(text) : text);
    }
    const archive = join(scratch, "packed.tar");
    execFileSync("tar", ["-C", directory, "--sort=name", "-cf", archive, "."]);
    const tar = readFileSync(archive);
    const objects = { "plain/a.tar": tar, "gzip/a.tar.gz": gzipSync(tar) };
    await server.createBucket("tars", objects);
    const countsOf = (files: readonly (readonly [string, string])[]) =>
      files.find(([name]) => name === "events-by-day.jsonl");
    const unpacked = await exportOf(directory, "unpacked");
    for (const [kind, name] of [
      ["plain", "a.tar"],
      ["gzip", "a.tar.gz"],
    ] as const) {
      const file = join(scratch, name);
      writeFileSync(file, objects[`${kind}/${name}` as keyof typeof objects]);
      const local = await exportOf(file, `${kind}-tar`);
      expect(countsOf(local)).toEqual(countsOf(unpacked));
      expect(await exportOf(`s3://tars/${kind}/`, `${kind}-tar-stored`, ...server.flags)).toEqual(
        local,
      );
    }
  });

  longTest("finds the formats of many packed objects at the same time", async () => {
    const objects = Object.fromEntries(
      Array.from({ length: 64 }, (_, index) => {
        const row = { event_type: "e", event_time: "2026-01-01 00:00:00", user_id: `u${index}` };
        const lines = `${JSON.stringify({ ...row, event_properties: { text: "x".repeat(5_000) } })}\n`;
        return [`${index}.json.gz`, gzipSync(lines.repeat(50 + index))];
      }),
    );
    await server.createBucket("many", objects);
    const result = await run("export", "s3://many/", "many", ...server.flags);
    expect(result, result.stderr).toMatchObject({ exitCode: 0, stderr: "" });
  });

  longTest("looks at a small object with one request, and reads it with another", async () => {
    const line = JSON.stringify({
      event_type: "e",
      event_time: "2026-01-01 00:00:00",
      user_id: "u",
    });
    const keys = Array.from({ length: 100 }, (_, index) => `${index}.json.gz`);
    const packed = gzipSync(`${line}\n`.repeat(20));
    await server.createBucket("small", Object.fromEntries(keys.map((key) => [key, packed])));
    const flags = [...server.flags, "--json"];
    const result = await run("export", "s3://small/", "small", ...flags);
    const { totals, store } = JSON.parse(result.stdout) as {
      readonly totals: { readonly rows: number };
      readonly store: { readonly requests: { readonly get: number } };
    };
    expect(totals.rows).toBe(2_000);
    expect(store.requests.get).toBeLessThanOrEqual(2 * keys.length);
    // The reader of a Parquet file has all of a small one, too.
    const part = Object.keys(digestExport(join(scratch, "small"))).find((name) =>
      name.endsWith(".parquet"),
    );
    const parquet = readFileSync(join(scratch, "small", part ?? ""));
    await server.createBucket("small-parquet", { "a.parquet": parquet, "b.parquet": parquet });
    const mapped = [...flags, "--config", join(scratch, "own.json")];
    const again = await run("export", "s3://small-parquet/", "small-parquet", ...mapped);
    expect(JSON.parse(again.stdout)).toMatchObject({
      totals: { rows: 4_000 },
      store: { requests: { get: 4 } },
    });
  });

  longTest("fails a small object that changes before its turn, and keeps the others", async () => {
    const line = JSON.stringify({
      event_type: "e",
      event_time: "2026-01-01 00:00:00",
      user_id: "u",
    });
    const keys = Array.from({ length: 40 }, (_, index) => `${100 + index}.jsonl`);
    const objects = Object.fromEntries(keys.map((key) => [key, `${line}\n`]));
    await server.createBucket("small-changing", objects);
    const looks = new Map<string, number>();
    const proxy = await startFaultProxy(server.options.endpoint ?? "", async (_, path) => {
      const seen = (looks.get(path) ?? 0) + 1;
      looks.set(path, seen);
      if (path.includes("120.jsonl") && seen === 2) {
        await server.put("small-changing", "120.jsonl", `${line}\n${line}\n`);
      }
      return undefined;
    });
    try {
      const flags = ["--s3-endpoint", proxy.endpoint, "--json"];
      const result = await run("export", "s3://small-changing/", "small-changing", ...flags);
      expect(JSON.parse(result.stdout)).toMatchObject({
        exitCode: 1,
        failures: [{ source: "s3://small-changing/120.jsonl", code: "source_changed" }],
        totals: { rows: 39 },
      });
    } finally {
      proxy.close();
    }
  });

  it("fails a source that changes while it is read, and keeps the others", async () => {
    const text = readFileSync(join(scratch, "rows.jsonl"));
    await server.createBucket("changing", { "a.jsonl": text, "b.jsonl": text });
    let looks = 0;
    const proxy = await startFaultProxy(server.options.endpoint ?? "", async (_, path) => {
      // The first request for it finds its format.
      if (!path.includes("b.jsonl") || ++looks !== 2) return undefined;
      await server.put("changing", "b.jsonl", text.subarray(1));
      return undefined;
    });
    try {
      const flags = ["--s3-endpoint", proxy.endpoint];
      const result = await run("export", "s3://changing/", "changing", ...flags);
      expect(result.exitCode).toBe(1);
    } finally {
      proxy.close();
    }
    const manifest = readFileSync(join(scratch, "changing", "manifest.json"), "utf8");
    const { failures, rows: counted } = JSON.parse(manifest) as {
      readonly failures: readonly { readonly source: string; readonly code: string }[];
      readonly rows: { readonly read: number };
    };
    expect(new Set(failures.map(({ source, code }) => `${source} ${code}`))).toEqual(
      new Set(["s3://changing/b.jsonl source_changed"]),
    );
    expect(counted.read).toBeGreaterThanOrEqual(rows);
  });

  const moments: readonly [string, number][] = [
    ["reads", 80],
    ["looks at its objects", 20],
  ];
  longTest.each(moments)(
    "stops when its credentials expire while it %s, and resumes",
    async (_, at) => {
      const bucket = `expiring-${at}`;
      const rows = { event_type: "e", event_time: "2026-01-01 00:00:00", user_id: "u" };
      const line = `${JSON.stringify(rows)}\n`;
      const names = Array.from({ length: 60 }, (_, index) => `${index}.jsonl`);
      await server.createBucket(
        bucket,
        Object.fromEntries(names.map((name) => [name, line.repeat(1_000)])),
      );
      let refused = 0;
      const proxy = await startFaultProxy(server.options.endpoint ?? "", (number) => {
        if (number <= at) return undefined;
        refused++;
        return { status: 403, code: "ExpiredToken" };
      });
      const flags = ["--s3-endpoint", proxy.endpoint, "--split-size", "64KiB"];
      try {
        const stopped = await run("export", `s3://${bucket}/`, bucket, ...flags);
        expect(stopped).toMatchObject({
          exitCode: 1,
          stderr: expect.stringContaining("store_credentials_expired"),
        });
        expect(stopped.stderr).not.toContain("source_unreadable");
      } finally {
        proxy.close();
      }
      // Requests under way, each also by the SDK, and each once more.
      expect(refused).toBeLessThan(4 * 40);
      const sizes = [...server.flags, "--split-size", "64KiB"];
      const resumed = await exportOf(`s3://${bucket}/`, bucket, ...sizes);
      expect(resumed).toEqual(await exportOf(`s3://${bucket}/`, `${bucket}-once`, ...sizes));
    },
  );

  it.each([3_000, 60_000])("never accepts a wrong bit in an object of %i rows", async (count) => {
    const file = join(scratch, `${count}.jsonl`);
    await writeAmplitudeRows(file, count, 5);
    const bucket = `flipped-${count}`;
    await server.createBucket(bucket, { "a.jsonl": readFileSync(file) });
    const whole = ["--split-size", "64MiB"];
    const expected = await exportOf(file, `${bucket}-local`, ...whole);
    for (const [times, exitCode] of [
      [1, undefined],
      [Number.POSITIVE_INFINITY, 1],
    ] as const) {
      let looks = 0;
      const proxy = await startFaultProxy(server.options.endpoint ?? "", (_, path) => {
        if (!path.includes("a.jsonl")) return undefined;
        // The first request finds the format.
        return ++looks > 1 && looks <= times + 1 ? "flip" : undefined;
      });
      const output = `${bucket}-${times}`;
      const flags = ["--s3-endpoint", proxy.endpoint, "--json", ...whole];
      const result = await run("export", `s3://${bucket}/`, output, ...flags);
      proxy.close();
      const { failures } = JSON.parse(result.stdout) as { readonly failures: readonly object[] };
      if (result.exitCode === 0) {
        const written = Object.entries(digestExport(join(scratch, output)));
        expect(written.filter(([name]) => /^events[/-]/.test(name))).toEqual(expected);
      } else
        expect(failures).toMatchObject([
          { code: "source_corrupt", source: `s3://${bucket}/a.jsonl` },
        ]);
      const { rows: counted } = JSON.parse(
        readFileSync(join(scratch, output, "manifest.json"), "utf8"),
      ) as { readonly rows: { readonly delivered: number } };
      // Nothing that may be altered is delivered.
      if (result.exitCode === 1) expect(counted.delivered).toBe(0);
      if (exitCode !== undefined) expect(result.exitCode).toBe(exitCode);
    }
  });

  it("has a changed input if an object of the same size has replaced it", async () => {
    const row = '{"event_type":"e","event_time":"2026-01-01 00:00:00","user_id":"u1"}\n';
    await server.createBucket("replaced", { "a.jsonl": row });
    await exportOf("s3://replaced/", "replaced", ...server.flags);
    await server.put("replaced", "a.jsonl", row.replace("u1", "u2"));
    expect(await run("export", "s3://replaced/", "replaced", ...server.flags)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/a\.jsonl: etag .* → .*run_changed/s),
    });
  });

  longTest("counts in a dry run what a dry run on disk counts", async () => {
    const counts = async (input: string, report: string, ...flags: readonly string[]) => {
      await run("validate", input, report, ...flags);
      const text = readFileSync(join(scratch, report, "report.json"), "utf8");
      const { rows: counted, days, events } = JSON.parse(text) as Record<string, unknown>;
      return { counted, days, events };
    };
    expect(await counts("s3://exports/ndjson/rows.jsonl", "r-store", ...server.flags)).toEqual(
      await counts(join(scratch, "rows.jsonl"), "r-local"),
    );
  });

  const refusals: readonly [string, string, readonly string[]][] = [
    ["store_bucket_missing", "s3://none-of-these/", []],
    // After several attempts.
    ["store_unreachable", "s3://exports/", ["--s3-endpoint", "http://127.0.0.1:1"]],
    ["input_not_found", "s3://exports/nothing", []],
  ];
  it.each(someOf(refusals, 2))("is refused with %s", async (code, input, flags) => {
    const result = await run("export", input, code, ...server.flags, ...flags);
    expect(result.stderr).toContain(code);
    expect(result.stderr).not.toContain("testsecret");
  });
});
