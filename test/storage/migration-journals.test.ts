import { mkdir, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { thisProcess } from "../../src/base/lock-file.js";
import type { Migration } from "../../src/contract/migration.js";
import { JournalDirectory, journalPath } from "../../src/storage/migration-journals.js";
import { endedAttempt, endedStep, journal, journalId } from "../support/journal.js";
import { scratchDirectory } from "../support/scratch.js";

let directory: string;

beforeEach(async () => {
  directory = scratchDirectory("journals");
  await mkdir(join(directory, "migrations"));
});

const put = (content: unknown, name = `${journalId}.json`) =>
  writeFile(
    join(directory, "migrations", name),
    typeof content === "string" ? content : JSON.stringify(content),
  );

const running = (process: Migration["attempts"][number]["process"]): Migration => ({
  ...journal,
  updatedTime: 5_000,
  attempts: [{ ...endedAttempt, state: "running", endedTime: null, process }],
  steps: [{ ...endedStep, state: "running", endedTime: null }],
  nextCommand: "switchyard migrate",
});

describe("the journals of a data directory", () => {
  test("are listed with the newest start first, and read by their ids", async () => {
    const later = {
      ...journal,
      id: "ffffffffffff",
      attempts: [{ ...endedAttempt, startedTime: 2_000 }],
    };
    await put(journal);
    await put(later, "ffffffffffff.json");
    const journals = new JournalDirectory(directory);
    expect(await journals.list()).toEqual({ migrations: [later, journal], skipped: [] });
    expect(await journals.read(journalId)).toEqual(journal);
    expect(await journals.read("eeeeeeeeeeee")).toBeUndefined();
  });

  test("that are damaged, foreign, newer or misplaced are skipped and named", async () => {
    await put(JSON.stringify(journal).slice(0, -20));
    await put({ ...journal, id: "aaaaaaaaaaaa", journalVersion: 2 }, "aaaaaaaaaaaa.json");
    await put(journal, "bbbbbbbbbbbb.json");
    await put("", "cccccccccccc.json");
    await put({ hello: 1 }, "package.json");
    await put("half", `${journalId}.json.draft`);
    await mkdir(join(directory, "migrations", "dddddddddddd.json"));
    const { migrations, skipped } = await new JournalDirectory(directory).list();
    expect(migrations).toEqual([]);
    expect(Object.fromEntries(skipped.map(({ file, reason }) => [file, reason]))).toEqual({
      [`${journalId}.json`]: "it is not valid JSON",
      "aaaaaaaaaaaa.json": expect.stringContaining("journalVersion"),
      "bbbbbbbbbbbb.json": `it is the journal of ${journalId}`,
      "cccccccccccc.json": "it is not valid JSON",
      "dddddddddddd.json": "it cannot be read (EISDIR)",
      "package.json": "its name is not that of a journal",
    });
  });

  test("are read again when they change, and not otherwise", async () => {
    await put(journal);
    const journals = new JournalDirectory(directory);
    const first = await journals.read(journalId);
    expect(await journals.read(journalId)).toBe(first);
    await put({ ...journal, name: "other" }, "draft");
    const path = journalPath(directory, journalId);
    await rename(join(directory, "migrations", "draft"), path);
    expect(await journals.read(journalId)).toMatchObject({ name: "other" });
    await utimes(path, 1, 1);
    expect(await journals.read(journalId)).toEqual({ ...journal, name: "other" });
  });

  test("of a directory that has none are none", async () => {
    const none = { migrations: [], skipped: [] };
    expect(await new JournalDirectory(join(directory, "nowhere")).list()).toEqual(none);
  });

  test.each(["../serve", "..", "", "0123456789AB", `${journalId}\0`])(
    "are not read by the id %j",
    async (id) => {
      await put(journal);
      await writeFile(join(directory, "serve.json"), JSON.stringify(journal));
      expect(await new JournalDirectory(directory).read(id)).toBeUndefined();
    },
  );
});

describe("an attempt that runs", () => {
  const mine = { id: process.pid, host: hostname(), start: null };
  const read = async (content: Migration, now = 6_000) => {
    await put(content);
    return (await new JournalDirectory(directory, () => now).read(journalId)) as Migration;
  };

  test("is shown as it is while its process lives, without a command to type", async () => {
    expect(await read(running(mine))).toEqual({ ...running(mine), nextCommand: null });
  });

  test.each([
    ["its process has ended", { ...mine, id: 2 ** 22 + 1 }, 6_000],
    ["its process id is that of another process", { ...mine, start: "1" }, 6_000],
    ["it is silent for a minute", { ...mine, host: "elsewhere" }, 65_001],
  ])("was killed at its last sign of life if %s", async (why, process, now) => {
    // Only Linux tells the start of a process.
    if (why.includes("another process") && (await thisProcess.startOf(mine.id)) === null) return;
    const found = await read(running(process), now);
    expect(found.attempts[0]).toMatchObject({ state: "killed", endedTime: 5_000 });
    expect(found.steps[0]).toMatchObject({ state: "killed", endedTime: 5_000 });
    expect(found.nextCommand).toBe("switchyard migrate");
  });

  test("on another machine is alive until it is silent", async () => {
    const found = await read(running({ ...mine, host: "elsewhere", id: 2 ** 22 + 1 }), 64_000);
    expect(found.attempts[0]?.state).toBe("running");
  });
});

describe("the page of a report", () => {
  const policy = "default-src 'none'; script-src 'sha256-a+/='";
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
</head>`;
  const write = async (content: string, name = "report.html") => {
    const path = join(directory, name);
    await writeFile(path, content);
    return new JournalDirectory(directory).readReport(path);
  };

  test("has the policy that it names", async () => {
    expect(await write(page)).toEqual({ html: page, policy });
  });

  test("is not any other file, and not a page without a strict policy", async () => {
    expect(await write(page, "passwd")).toBeUndefined();
    expect(await write("<!doctype html><script>1</script>")).toBeUndefined();
    expect(await write(page.replace("'none'", "*"))).toBeUndefined();
    const journals = new JournalDirectory(directory);
    expect(await journals.readReport(join(directory, "gone", "report.html"))).toBeUndefined();
    await mkdir(join(directory, "d", "report.html"), { recursive: true });
    expect(await journals.readReport(join(directory, "d", "report.html"))).toBeUndefined();
    await writeFile(join(directory, "secret"), "secret");
    await mkdir(join(directory, "l"));
    await symlink(join(directory, "secret"), join(directory, "l", "report.html"));
    expect(await journals.readReport(join(directory, "l", "report.html"))).toBeUndefined();
  });
});
