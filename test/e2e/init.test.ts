import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { programIn, runInProcess, runSwitchyard } from "../support/command-line.js";
import { isCi, someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));
const root = scratchDirectory("init");
const notLater = { SWITCHYARD_TIME_LIMITS: "..2027-01-01" };

function directoryFor(name: string): string {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  return directory;
}

interface Accounts {
  readonly read: number;
  readonly delivered: number;
  readonly filtered: number;
}

const sources = readdirSync(join(fixtures, "sources")).flatMap((preset) =>
  readdirSync(join(fixtures, "sources", preset, "inputs")).map((name) => [preset, name] as const),
);

// test/fixtures/sources.test.ts runs `init` and `export` on every one of them.
test.each(someOf(sources, 6))(
  "an export of %s (%s) is known, and its configuration runs",
  async (preset, name) => {
    const cwd = directoryFor(`${preset}-${name}`);
    const input = join(fixtures, "sources", preset, "inputs", name);
    const found = await runInProcess(["init", input, "--json"], { cwd, env: notLater });
    expect(found).toMatchObject({ exitCode: 0, stderr: "" });
    const { survey } = JSON.parse(found.stdout);
    expect(survey.mapping).toMatchObject({ kind: "preset", preset });
    const expected = join(fixtures, "sources", preset, "expected/accounts.json");
    const { read, delivered, filtered } = JSON.parse(readFileSync(expected, "utf8")) as Accounts;
    expect(survey.trial).toMatchObject({ rows: read, delivered, filtered });
    const words = ["export", "--max-rejects", "100%", "--json"];
    const exported = await runInProcess(words, { cwd, env: notLater });
    expect(exported.exitCode).toBe(0);
    expect(JSON.parse(exported.stdout).rows).toMatchObject({ read, delivered, filtered });
  },
);

test("the sample's configuration migrates all of it", async () => {
  const cwd = directoryFor("sample");
  const input = join(fixtures, "sample");
  const found = await runSwitchyard(["init", input], { cwd, env: notLater });
  expect(found.exitCode).toBe(0);
  expect(found.stdout).toContain("  preset    amplitude: 44 of 44 columns are Amplitude's");
  expect(found.stdout).not.toContain("Uncertain");
  expect(found.stdout).toContain(`\nNext:    ${programIn(cwd)} validate\n`);
  const migrated = await runInProcess(["migrate", "--json"], { cwd, env: notLater });
  expect(migrated.exitCode).toBe(0);
  expect(JSON.parse(migrated.stdout).steps[1].rows).toMatchObject({
    read: 4_250,
    delivered: 4_250,
  });
});

test("of very many files all are counted and few are read", { timeout: 120_000 }, async () => {
  const files = isCi ? 10_000 : 500;
  const cwd = directoryFor("many");
  mkdirSync(join(cwd, "in"));
  for (let index = 0; index < files; index++) {
    const row = { event_type: `e${index}`, event_time: "2026-01-31 17:03:12", user_id: "mina" };
    writeFileSync(join(cwd, "in", `${index}.json`), `${JSON.stringify(row)}\n`);
  }
  const found = await runInProcess(["init", "in", "--json"], { cwd, env: notLater });
  expect(found.exitCode).toBe(0);
  const { survey } = JSON.parse(found.stdout);
  expect(survey).toMatchObject({ sources: files, sample: { sources: 24, rows: 24, faults: 0 } });
  expect(readdirSync(cwd).sort()).toEqual(["in", "pipeline.config.json", "pipeline.schema.json"]);
});
