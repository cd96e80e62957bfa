import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const cwd = join(scratchDirectory("edited-inputs"), "run");

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, "in"), { recursive: true });
});

const rows = Array.from({ length: 3_000 }, (_, index) => ({
  event_type: "view",
  event_time: "2026-03-01 10:00:00",
  user_id: `user-${index}`,
  device_id: `device-${index}`,
  insert_id: `insert-${index}`,
}));

const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const columns = "event_type,event_time,user_id,device_id,insert_id";
const csv = [columns, ...rows.map((row) => Object.values(row).join())].join("\n");

/** A byte that is neither at an end of a file of 180 to 400 KB nor in a sample of it. */
const UNSAMPLED = 64 * 1024 + 5_000;

it.each<[string, string, string, readonly string[]]>([
  ["lines of JSON", "a.jsonl", lines, []],
  ["lines of JSON in many ranges", "a.jsonl", lines, ["--split-size", "64KiB"]],
  ["the first lines of JSON", "a.jsonl", lines, ["--limit", "2000"]],
  ["a JSON array", "a.json", JSON.stringify(rows), []],
  ["CSV", "a.csv", csv, ["--split-size", "64KiB"]],
  ["CSV of another encoding", "a.csv", csv, ["--csv-dialect", "encoding=windows-1252"]],
])("tells an edit that no sample sees from a touch, in %s", async (_, name, text, options) => {
  const file = join(cwd, "in", name);
  const run = () =>
    runInProcess(["export", "in", "--preset", "amplitude", "--to", "out", ...options], { cwd });
  writeFileSync(file, text);
  expect((await run()).exitCode).toBe(0);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const touched = await run();
  expect(touched.stdout).toContain("Already done");
  const bytes = readFileSync(file);
  bytes[bytes.indexOf("0", UNSAMPLED)] = "9".charCodeAt(0);
  writeFileSync(file, bytes);
  const edited = await run();
  expect(edited).toMatchObject({ exitCode: 2 });
  expect(edited.stderr).toMatch(/input in\/a\.\w+: modified .*, other content/);
});
