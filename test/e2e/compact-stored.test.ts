import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess, runSwitchyard } from "../support/command-line.js";
import { liveFiles } from "../support/delta-table.js";
import { digestExport } from "../support/directory-digest.js";
import { startFaultProxy } from "../support/fault-proxy.js";
import { isCi, someOf } from "../support/property-runs.js";
import { hasS3Server, type S3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const DAYS = 3;
const scratch = scratchDirectory("compact-stored");
const shapes = [
  ["delta", ["--format", "parquet", "--table-log", "delta", "--layout", "day={day}"]],
  ["jsonl", ["--format", "jsonl"]],
] as const;

describe.runIf(hasS3Server())("compact of an export in a bucket", () => {
  let server: S3Server;

  beforeAll(async () => {
    server = await useS3Server();
    await server.createBucket("small-files");
  });

  async function succeed(...words: string[]): Promise<void> {
    const result = await runInProcess([...words, ...server.flags]);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  }

  async function exportTwice(input: string, place: string, flags: readonly string[]) {
    mkdirSync(input);
    for (const mark of ["a", "b"]) {
      const lines = Array.from({ length: DAYS }, (_, day) => {
        const event_time = `2026-01-0${1 + day} 08:00:00.000000`;
        return JSON.stringify({ event_type: mark, event_time, user_id: mark, $insert_id: mark });
      });
      writeFileSync(join(input, `${mark}.jsonl`), lines.join("\n"));
      await succeed("export", input, "--to", place, ...flags);
    }
  }

  async function download(prefix: string): Promise<string> {
    const directory = join(scratch, "downloads", prefix);
    await server.download("small-files", `${prefix}/`, directory);
    return directory;
  }

  /** Copies an output in the bucket, with the metadata that `verify` reads left out. */
  async function copyOf(before: string, prefix: string): Promise<void> {
    for (const key of await server.keys("small-files", `${prefix}/`))
      await server.remove("small-files", `${prefix}/${key}`);
    for (const entry of readdirSync(before, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const key = `${prefix}/${path.slice(before.length + 1)}`;
      await server.put("small-files", key, readFileSync(path));
    }
  }

  it.each(someOf(shapes, 2))(
    "keeps every row if it is killed at a request, and the next command finishes the rest: %s",
    async (name, flags) => {
      const place = `s3://small-files/${name}`;
      const input = join(scratch, name);
      await exportTwice(input, place, flags);
      const before = await download(name);
      let killAt = 0;
      let kill = () => {};
      const proxy = await startFaultProxy(server.options.endpoint ?? "", (number) => {
        if (number !== killAt) return undefined;
        kill();
        return number % 2 === 0 ? "reset" : "lost";
      });
      const compact = (at: number) => {
        killAt = proxy.requests + at;
        return runSwitchyard(["compact", place, "--s3-endpoint", proxy.endpoint, "--quiet"], {
          started: (child) => (kill = () => void child.kill("SIGKILL")),
        });
      };
      const first = proxy.requests;
      expect(await compact(-1)).toMatchObject({ exitCode: 0 });
      const requests = proxy.requests - first;
      const expected = withoutLog(digestExport(await download(name)));
      expect(Object.keys(expected).filter((path) => path.startsWith("events/"))).toHaveLength(DAYS);
      const next = [
        ["verify", place],
        ["load-sql", "duckdb", place],
        ["export", input, "--to", place, ...flags],
        ["compact", place],
        ["runs", place],
      ];
      const step = isCi ? 11 : Math.ceil(requests / 2);
      for (let at = 5, index = 0; at <= requests; at += step, index++) {
        const where = `killed at request ${at} of ${requests}`;
        await copyOf(before, name);
        await compact(at);
        expectAllRows(await download(name), where);
        await succeed(...(next[index % next.length] ?? []));
        const left = await server.keys("small-files", `${name}/_switchyard/compacting/`);
        expect(left, where).toEqual([]);
        expectAllRows(await download(name), where);
        await succeed("verify", place);
        await succeed("compact", place);
        expect(withoutLog(digestExport(await download(name))), where).toEqual(expected);
      }
      proxy.close();
    },
    600_000,
  );
});

/** Rows may be there twice for a moment; with a log, its readers find each of them once. */
function expectAllRows(output: string, where: string): void {
  const events = join(output, "events");
  if (readdirSync(events).includes("_delta_log")) {
    const files = liveFiles(events);
    const names = readdirSync(events, { recursive: true, encoding: "utf8" });
    for (const { path } of files) expect(names, where).toContain(path);
    const rows = files.map(({ stats }) => JSON.parse(stats).numRecords as number);
    expect(
      rows.reduce((sum, count) => sum + count, 0),
      where,
    ).toBe(2 * DAYS);
    return;
  }
  for (const day of readdirSync(events)) {
    const files = readdirSync(join(events, day)).map((name) => join(events, day, name));
    const lines = files.flatMap((file) => readFileSync(file, "utf8").trimEnd().split("\n"));
    const marks = new Set(lines.map((line) => JSON.parse(line).event));
    expect(marks, `${day} ${where}`).toEqual(new Set(["a", "b"]));
  }
}

function withoutLog(digests: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(digests).filter(([name]) => !name.includes("_delta")));
}
