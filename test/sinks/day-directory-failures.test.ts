import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AppendedFile, diskFiles } from "../../src/sinks/part-files.js";
import type { SplitSink } from "../../src/sinks/sink.js";
import { withoutPrivileges } from "../support/privileges.js";
import {
  commitSplit,
  digestTree,
  type EventRow,
  eventRow,
  openSplit,
  readTree,
  type SinkOptions,
  temporaryDirectory,
  variedRows,
  writeRows,
  writeSplit,
} from "./event-rows.js";

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: as if`), { code });
}

describe("after a kill", () => {
  const rows = variedRows(2000, 7);
  const options = { format: "jsonl", partBytes: 20_000 } as const;

  test("leftovers of a half-written split are not in any part", async () => {
    const quiet = await writeSplit(rows, options);
    const directory = temporaryDirectory();
    const { kernel, split } = await openSplit(directory, options);
    await writeRows(split, kernel, rows.slice(0, 1500));
    writeFileSync(join(directory, "_switchyard/tmp/0001/stray.jsonl"), "half a li");

    const redone = await writeSplit(rows, { ...options, outputDirectory: directory });
    expect(redone.parts).toEqual(quiet.parts);
    expect(digestTree(directory)).toEqual(digestTree(quiet.directory));
  });

  test("a paused process that continues does not disturb the one that now has its split", async () => {
    const quiet = await writeSplit(rows, options);
    const directory = temporaryDirectory();
    const open = (name: string) =>
      openSplit(directory, {
        ...options,
        temporaryDirectory: join(directory, "_switchyard/tmp", name),
      });
    const paused = await open("paused");
    await writeRows(paused.split, paused.kernel, rows.slice(0, 700));
    const next = await open("next");
    await writeRows(next.split, next.kernel, rows.slice(0, 1400));
    await writeRows(paused.split, paused.kernel, rows.slice(700));
    expect(await commitSplit(paused.split)).toMatchObject({ parts: quiet.parts });
    await writeRows(next.split, next.kernel, rows.slice(1400));
    expect(await commitSplit(next.split)).toMatchObject({ parts: quiet.parts });
    expect(digestTree(directory)).toEqual(digestTree(quiet.directory));
  });

  test.each([0, 1, 5, 11])(
    "during the commit, after %d renames, the same comes out",
    async (renames) => {
      const quiet = await writeSplit(rows, options);
      const directory = temporaryDirectory();
      let done = 0;
      const killed = new Promise<void>((resolve) => {
        const files = {
          ...diskFiles,
          // Like a process that is gone: the rename is never done and nothing comes after it.
          rename: (from: string, to: string) => {
            if (done++ < renames) return diskFiles.rename(from, to);
            resolve();
            return new Promise<void>(() => {});
          },
        };
        void openSplit(directory, { ...options, files }).then(async ({ kernel, split }) => {
          await writeRows(split, kernel, rows);
          await commitSplit(split);
        });
      });
      await killed;
      const visible = Object.entries(digestTree(directory)).filter(([path]) =>
        path.startsWith("events/"),
      );
      expect(visible.length).toBe(renames);
      const whole = digestTree(quiet.directory);
      for (const [path, digest] of visible) expect(digest).toBe(whole[path]);

      const redone = await writeSplit(rows, { ...options, outputDirectory: directory });
      expect(redone.parts).toEqual(quiet.parts);
      expect(digestTree(directory)).toEqual(whole);
    },
  );

  test("parts are synced before they are renamed, and their directories after", async () => {
    const directory = temporaryDirectory();
    const calls: string[] = [];
    const files = {
      ...diskFiles,
      sync: (path: string, kind: "file" | "directory") => {
        calls.push(`sync ${kind} ${path.slice(directory.length + 1)}`);
        return diskFiles.sync(path, kind);
      },
      rename: (from: string, to: string) => {
        calls.push(`rename ${to.slice(directory.length + 1)}`);
        return diskFiles.rename(from, to);
      },
    };
    const { kernel, sink, split } = await openSplit(directory, { files });
    await writeRows(split, kernel, [eventRow(), eventRow({ timestamp: 0 })]);
    await commitSplit(split);
    expect(calls.splice(0)).toEqual([
      "sync file _switchyard/tmp/0001/1970-01-01.part-0001-000.jsonl",
      "sync file _switchyard/tmp/0001/2026-01-31.part-0001-000.jsonl",
      "rename events/1970-01-01/part-0001-000.jsonl",
      "rename events/2026-01-31/part-0001-000.jsonl",
      "sync directory events/1970-01-01",
      "sync directory events/2026-01-31",
      "sync directory events",
      "sync directory ",
    ]);

    const known = sink.openSplit("0002");
    await writeRows(known, kernel, [eventRow()]);
    await commitSplit(known);
    expect(calls.splice(0).slice(2)).toEqual(["sync directory events/2026-01-31"]);

    const fresh = sink.openSplit("0003");
    await writeRows(fresh, kernel, [eventRow(), eventRow({ timestamp: 86_400_000 })]);
    await commitSplit(fresh);
    expect(calls.slice(4)).toEqual([
      "sync directory events/1970-01-02",
      "sync directory events/2026-01-31",
      "sync directory events",
      "sync directory ",
    ]);
  });

  test("names of directories that could not be synced are synced by the next commit", async () => {
    const directory = temporaryDirectory();
    const synced: string[] = [];
    let fails = true;
    const files = {
      ...diskFiles,
      sync: async (path: string, kind: "file" | "directory") => {
        if (fails && path === join(directory, "events")) throw systemError("EIO");
        synced.push(path.slice(directory.length + 1));
        await diskFiles.sync(path, kind);
      },
    };
    const { kernel, sink, split } = await openSplit(directory, { files });
    await writeRows(split, kernel, [eventRow()]);
    await expect(commitSplit(split)).rejects.toMatchObject({ code: "output_unwritable" });
    fails = false;
    const again = sink.openSplit("0002");
    await writeRows(again, kernel, [eventRow()]);
    await commitSplit(again);
    expect(synced.slice(-3)).toEqual(["events/2026-01-31", "events", ""]);
  });
});

describe("a file system that refuses", () => {
  async function fail(
    directory: string,
    options: SinkOptions,
    rows: readonly EventRow[] = variedRows(1000),
  ): Promise<{ error: unknown; abort: () => Promise<void> }> {
    const { kernel, split } = await openSplit(directory, options);
    let last: Pick<SplitSink, "abort"> = split;
    try {
      await writeRows(split, kernel, rows);
      const written = await split.finish();
      last = written;
      await written.commit();
    } catch (error) {
      return { error, abort: () => last.abort() };
    }
    return expect.fail("nothing was refused");
  }

  test("because the disk is full is an error that names the path and says how to resume", async () => {
    const directory = temporaryDirectory();
    let room = 3;
    const open = new Set<AppendedFile>();
    const files = {
      ...diskFiles,
      open(path: string): AppendedFile {
        const file = diskFiles.open(path);
        open.add(file);
        return {
          append(bytes) {
            if (room-- <= 0) throw systemError("ENOSPC");
            file.append(bytes);
          },
          close() {
            file.close();
            open.delete(file);
          },
        };
      },
    };
    const { error, abort } = await fail(directory, { files, partBytes: 20_000 });
    expect(error).toMatchObject({ code: "disk_full" });
    expect(String(error)).toContain(join(directory, "_switchyard/tmp/0001"));
    expect(String(error)).toContain("run the same command again");
    expect(open.size).toBe(0);
    await abort();
    expect(readTree(directory)).toEqual({});
  });

  test("in the middle of a commit leaves no part once the split is aborted", async () => {
    const directory = temporaryDirectory();
    let room = 2;
    const files = {
      ...diskFiles,
      rename: async (from: string, to: string) => {
        if (room-- <= 0) throw systemError("EACCES");
        await diskFiles.rename(from, to);
      },
    };
    const { error, abort } = await fail(directory, { files });
    expect(error).toMatchObject({ code: "output_unwritable" });
    expect(String(error)).toContain(join(directory, "events/2026-01-03"));
    await abort();
    expect(readTree(directory)).toEqual({});
  });

  test("to sync a part fails the commit before anything is visible", async () => {
    const directory = temporaryDirectory();
    const files = { ...diskFiles, sync: () => Promise.reject(systemError("EIO")) };
    const { error } = await fail(directory, { files });
    expect(error).toMatchObject({ code: "output_unwritable" });
    expect(existsSync(join(directory, "events"))).toBe(false);
  });

  test("because a file is in the place of a directory is an error", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "events"), "");
    const { error } = await fail(directory, {});
    expect(error).toMatchObject({ code: "output_unwritable" });
    expect(String(error)).toContain(join(directory, "events"));
  });

  test("because it may not be written to is an error", async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    mkdirSync(join(directory, "closed"));
    chmodSync(join(directory, "closed"), 0o500);
    const { error } = await withoutPrivileges(() => fail(join(directory, "closed"), {}));
    expect(error).toMatchObject({ code: "output_unwritable" });
  });
});
