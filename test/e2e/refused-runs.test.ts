import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { scratchDirectory } from "../support/scratch.js";

const cwd = scratchDirectory("refused-runs");
const row =
  '{"event_type":"e","event_time":"2026-01-30T00:00:10Z","user_id":"u","event_properties":{}}';
const hasZstd = "zstdCompressSync" in (await import("node:zlib"));

beforeAll(() => {
  const files = {
    "in.ndjson": `${row}\n`,
    "fails.mjs": "throw new Error('no');",
    "number.mjs": "export default 5;",
    "ends.mjs": "process.exit(1);",
    "identity.mjs": "export default (event) => event;",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  mkdirSync(join(cwd, "empty"));
});

const commands = {
  export: ["export", "in.ndjson", "--to", "new/out"],
  validate: ["validate", "in.ndjson", "--report", "new/report"],
  send: ["send", "in.ndjson", "--to", "http://127.0.0.1:9", "--runs", "new/runs"],
};
const env = { SWITCHYARD_SERVER_SECRET: "secret-x" };

const refusals: readonly (readonly [code: string, ...more: string[]])[] = [
  ["memory_too_small", "--memory", "1"],
  ["transform_not_loaded", "--transform", "fails.mjs"],
  ["transform_not_function", "--transform", "number.mjs"],
  ["transform_unreadable", "--transform", "none.mjs"],
  ["worker_died", "--transform", "ends.mjs"],
  ["configuration_invalid", "--preset", "none"],
  ["configuration_invalid", "--to-time", "yesterday"],
  ["dedupe_key_missing", "--dedupe", "by=value"],
  ["input_not_found", "none.ndjson"],
  ["input_not_found", "empty"],
];

it.each(
  Object.keys(commands).flatMap((name) => refusals.map(([code, ...more]) => [name, code, more])),
)("a run of %s that is refused (%s %j) leaves nothing behind", async (name, code, more) => {
  const words = [...commands[name as keyof typeof commands], ...(more as string[])];
  // Only what is missing is given as an input.
  if (code === "input_not_found") words.splice(1, 1);
  const before = readdirSync(cwd);
  const result = await runInProcess(words, { cwd, env });
  expect(result.exitCode).toBeGreaterThan(0);
  expect(result.stderr).toContain(`[${code}]`);
  expect(result.stderr).not.toMatch(/\b0MiB/);
  expect(readdirSync(cwd)).toEqual(before);
});

it("a run that is refused leaves an output as it was, also with --fresh", async () => {
  const words = ["export", "in.ndjson", "--to", "kept", "--quiet"];
  expect(await runInProcess(words, { cwd })).toMatchObject({ exitCode: 0 });
  const before = digestExport(join(cwd, "kept"));
  for (const more of [
    ["--memory", "1"],
    ["--transform", "fails.mjs"],
    ...(hasZstd ? [] : [["--format", "parquet.zstd"]]),
  ]) {
    const result = await runInProcess([...words, "--fresh", ...more], { cwd });
    expect(result, result.stderr).toMatchObject({ exitCode: 2 });
    expect(digestExport(join(cwd, "kept"))).toEqual(before);
  }
  const again = await runInProcess(words, { cwd });
  expect(again, again.stderr).toMatchObject({ exitCode: 0 });
});

it("a plan of which nothing was read does not lock its output for other options", async () => {
  const words = ["export", "in.ndjson", "--to", "planned", "--quiet"];
  expect(await runInProcess(words, { cwd })).toMatchObject({ exitCode: 0 });
  // As a run leaves it that is killed before its first split is done.
  for (const name of ["_switchyard/splits", "events", "manifest.json"])
    rmSync(join(cwd, "planned", name), { recursive: true });
  const other = await runInProcess([...words, "--layout", "others/{day}"], { cwd });
  expect(other, other.stderr).toMatchObject({ exitCode: 0 });
  expect(readdirSync(join(cwd, "planned/others"))).toEqual(["2026-01-30"]);
});

it("the other commands leave nothing behind where there is nothing", async () => {
  const before = readdirSync(cwd);
  for (const words of [
    ["compact", "none"],
    ["verify", "none"],
    ["load-sql", "duckdb", "none"],
    ["runs", "none"],
    ["init", "none.ndjson"],
  ]) {
    expect(await runInProcess(words, { cwd })).not.toMatchObject({ exitCode: 0 });
    expect(readdirSync(cwd)).toEqual(before);
  }
});
