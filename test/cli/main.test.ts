import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { outputFormatNames } from "../../src/formats/output-formats.js";
import type { Manifest } from "../../src/ledger/manifest.js";
import type { Report } from "../../src/profile/report.js";
import { runInProcess, runSwitchyard as runWith } from "../support/command-line.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const root = scratchDirectory("main");

const runSwitchyard = (words: readonly string[], cwd = repository) => runWith(words, { cwd });

interface Expected {
  readonly rows: number;
  readonly days: Readonly<Record<string, number>>;
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, "utf8")) as T;
}

// Outside CI, tests of library and command export and verify CSV and JSON lines, too.
describe.each(someOf(outputFormatNames, 4))("an export as %s", (format) => {
  test("has the days of its inputs, is verified, and a changed byte is found", async () => {
    const out = path.join(root, format);
    const sample = path.join(repository, "fixtures/sample");
    const words = [
      "export",
      sample,
      "--to",
      out,
      "--format",
      format,
      "--time-limits",
      "..2027-01-01",
    ];
    const exported = await runInProcess([...words, "--json", "--quiet"]);
    expect(exported).toMatchObject({ exitCode: 0, stderr: "" });
    const { days } = await readJson<Manifest>(path.join(out, "manifest.json"));
    const expected = await readJson<Expected>(path.join(sample, "_expected.json"));
    expect(Object.fromEntries(days.map(({ day, rows }) => [day, rows]))).toEqual(expected.days);

    const verified = await runInProcess(["verify", out, "--json", "--quiet"]);
    expect(verified).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(verified.stdout)).toMatchObject({ rows: expected.rows, differences: [] });

    const file = days[1]?.files[0]?.path ?? "";
    const content = await readFile(path.join(out, file));
    content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 1;
    await writeFile(path.join(out, file), content);
    const refused = await runInProcess(["verify", out]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stdout).toContain(`  ${file}: SHA-256: found`);
  });
});

test("the repository's own configuration migrates a sample with faults, and ends with a page to open", async () => {
  const words = ["migrate", "--to", path.join(root, "own")];
  const env = {
    SWITCHYARD_DATA: path.join(root, "own-service"),
    SWITCHYARD_REPORT: path.join(root, "own-report"),
  };
  const options = { cwd: repository, env };
  const first = await runWith(words, options);
  expect(first).toMatchObject({ exitCode: 0 });
  expect(first.stdout).toMatch(/^Read 4,562 rows .*^Exported 4,537 events .*^Verified: /ms);
  expect(first.stdout).toMatch(/^ {2}left out {2}10 rejected, 15 filtered$/m);
  const page = pathToFileURL(path.join(root, "own-report", "report.html")).href;
  expect(first.stdout.endsWith(`    ${page}\n`)).toBe(true);
  const { findings } = await readJson<Report>(path.join(root, "own-report", "report.json"));
  const codes = findings.map(({ code }) => code);
  for (const code of ["rows_rejected", "ids_junk", "property_mixed_types", "duplicates"]) {
    expect(codes).toContain(code);
  }
  const second = await runWith(words, options);
  expect(second.exitCode).toBe(0);
  const inputs = "all 100 inputs and 4,537 events were migrated before";
  expect(second.stdout).toBe(`Nothing new: ${inputs}.\n`);
});

test("rejected rows end with exit code 3, and their file is an input that can be tried again", async () => {
  const input = path.join(root, "rows.jsonl");
  const row = (type: string | null) =>
    JSON.stringify({ event_type: type, event_time: "2026-01-31 12:00:00", user_id: "u" });
  await writeFile(input, [row("a"), row(null), row("b"), "{"].join("\n"));
  const out = path.join(root, "rejecting");
  const rejecting = await runInProcess(["export", input, "--to", out, "--format", "jsonl"]);
  expect(rejecting.exitCode).toBe(3);
  expect(rejecting.stdout).toContain("rows      4 read = 2 delivered + 2 rejected");
  expect(rejecting.stdout).toContain("event_missing: 1 row, such as");
  const words = ["export", path.join(out, "rejects"), "--to", path.join(root, "again"), "--json"];
  const again = await runInProcess([...words, "--max-rejects", "100%"]);
  expect(again.exitCode).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ rows: { read: 2, rejected: 2 } });
});

test("no input is found: exit code 2, and it says where it looked", async () => {
  const words = ["export", "no/such.json", "--to", path.join(root, "none")];
  const { exitCode, stderr } = await runSwitchyard(words, root);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^error: .*no\/such\.json.*\[input_not_found\]\n$/s);
});
