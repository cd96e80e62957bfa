import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, test } from "vitest";
import {
  mainFile,
  programEnvironment,
  runInProcess,
  runSwitchyard,
} from "../support/command-line.js";
import { amplitudeLines } from "../support/generated-input.js";
import { writePackedInputs } from "../support/packed-inputs.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("standard-output");
const temporary = join(directory, "tmp");
const ROWS = 300;
const isRejected = (index: number) => index % 60 === 7;

/** Row `index`: all rows are of one day, so that an export has them in the same order. */
function lineOf(index: number): string {
  return JSON.stringify({
    event_type: isRejected(index) ? "" : `e${index % 5}`,
    event_time: `2026-01-01 00:00:00.${String(index % 1000).padStart(3, "0")}000`,
    user_id: `u${index}`,
    $insert_id: `i${index}`,
    event_properties: { index, text: "é".repeat(index % 70) },
  });
}

const linesOf = (file: number) =>
  `${Array.from({ length: ROWS }, (_, row) => lineOf(file * ROWS + row)).join("\n")}\n`;

beforeAll(() => {
  mkdirSync(temporary);
  mkdirSync(join(directory, "in"));
  writeFileSync(join(directory, "in/a.jsonl"), linesOf(0));
  writeFileSync(join(directory, "in/b.jsonl.gz"), gzipSync(linesOf(1)));
  writeFileSync(join(directory, "in/c.jsonl"), linesOf(2));
});

const options = { cwd: directory, env: { TMPDIR: temporary } };

async function run(exitCode: number, ...words: readonly string[]) {
  const result = await runInProcess(words, options);
  expect(result, result.stderr).toMatchObject({ exitCode });
  return result;
}

const stream = ["export", "in", "--to", "-", "--max-rejects", "5%"];
const indexesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).metadata.index);
const expected = (rows: number) =>
  Array.from({ length: rows }, (_, index) => index).filter((index) => !isRejected(index));

describe("export --to -", () => {
  it("writes the lines of the day files in the order of the inputs, and leaves nothing", async () => {
    const { stdout, stderr } = await run(0, ...stream);
    expect(indexesOf(stdout)).toEqual(expected(3 * ROWS));
    expect(stderr).toContain("Wrote 885 events to standard output");
    expect(stderr).toMatch(/rows +900 read = 885 delivered \+ 15 rejected/);
    expect(stderr).toContain("event_missing: 15 rows, such as in/a.jsonl, row 8");
    expect(readdirSync(directory).sort()).toEqual(["in", "tmp"]);
    expect(readdirSync(temporary)).toEqual([]);

    const words = ["--format", "jsonl", "--threads", "1", "--max-rejects", "5%"];
    await run(0, "export", "in", "--to", "days", ...words);
    const day = join(directory, "days/events/2026-01-01");
    const parts = readdirSync(day).sort();
    expect(parts.map((name) => readFileSync(join(day, name), "utf8")).join("")).toBe(stdout);
  });

  it("has the columns that are asked for, and reads every format", async () => {
    const total = writePackedInputs(join(directory, "packed"));
    const columns = ["--columns", "name=event,at=timestamp:s,id=userID"];
    const { stdout } = await run(0, "export", "packed", "--to", "-", ...columns);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(total);
    expect(Object.keys(JSON.parse(lines[0] ?? ""))).toEqual(["name", "at", "id"]);
  });

  it("ends after the first rows with --limit", async () => {
    const { stdout, stderr } = await run(0, ...stream, "--limit", "310");
    expect(indexesOf(stdout)).toEqual(expected(310));
    expect(stderr).toMatch(/limit +partial: only the first 310 rows/);
  });

  it("says on standard error what --json prints elsewhere, or nothing with --quiet", async () => {
    const { stderr } = await run(0, ...stream, "--json", "--limit", "100");
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      command: "export",
      exitCode: 0,
      outcome: "done",
      rows: { read: 100, rejected: 2 },
      limit: { rows: 100, partial: true },
    });
    expect((await run(0, ...stream, "--quiet")).stderr).toBe("");
  });

  it("has the exit codes of an export", async () => {
    const rejected = await run(3, "export", "in", "--to", "-");
    expect(rejected.stderr).toContain("More rows were rejected than --max-rejects allows");
    expect(indexesOf(rejected.stdout)).toEqual(expected(3 * ROWS));
    writeFileSync(join(directory, "cut.jsonl.gz"), gzipSync(linesOf(3)).subarray(0, -100));
    const cut = await run(1, ...stream, "cut.jsonl.gz");
    expect(cut.stderr).toContain("Failed: 1 source could not be read completely");
    expect((await run(2, "export", "missing", "--to", "-")).stdout).toBe("");
  });

  it.each([
    [["--dedupe"], "--dedupe"],
    [["--shard", "0/2"], "--shard"],
    [["--shard", "finish"], "--shard"],
    [["--queue", "redis://127.0.0.1:1"], "--queue"],
    [["--format", "csv", "--layout", "{day}/event={event}"], "--format, --layout"],
    [["--fresh"], "--fresh"],
  ])("refuses %j, which needs an output directory", async (words, names) => {
    const { stderr, stdout } = await run(2, ...stream, ...words);
    expect(stderr).toContain(`so ${names} cannot be used`);
    expect(stderr).toContain("[stream_unsupported]");
    expect(stdout).toBe("");
  });

  it("takes the options of the file that are for a directory as not given, but not --dedupe", async () => {
    const file = (settings: object) =>
      writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(settings));
    file({
      inputs: ["in"],
      maxRejects: "5%",
      export: { to: "out", format: "csv", compact: "always" },
    });
    const { stdout } = await run(0, "export", "--to", "-");
    expect(indexesOf(stdout)).toEqual(expected(3 * ROWS));
    file({ inputs: ["in"], maxRejects: "5%", dedupe: "all", export: { to: "-" } });
    expect((await run(2, "export")).stderr).toContain("so --dedupe cannot be used");
    file({ inputs: ["in"], steps: ["export"], export: { to: "-" } });
    for (const command of ["migrate", "verify", "compact"])
      expect((await run(2, command)).stderr).toContain('"-" is standard output');
    file({});
    expect(existsSync(join(directory, "out"))).toBe(false);
    expect(existsSync(join(directory, "-"))).toBe(false);
  });

  it("is checked by doctor, which looks for no directory", async () => {
    const { stdout } = await run(0, "doctor", "in", "--to", "-");
    expect(stdout).not.toMatch(/ok +output/);
    const { stdout: refused } = await run(1, "doctor", "in", "--to", "-", "--dedupe");
    expect(refused).toContain("so --dedupe cannot be used");
  });

  it("writes ./- as a directory of that name", async () => {
    await run(0, "export", "in/a.jsonl", "--to", "./-", "--max-rejects", "5%");
    expect(existsSync(join(directory, "-/manifest.json"))).toBe(true);
  });
});

test.each(["send", "validate"])("%s has no standard output to write to", async (command) => {
  const { stdout } = await run(2, command, "in", "--to", "-");
  expect(stdout).toBe("");
});

const shell = (command: string) =>
  promisify(execFile)("bash", ["-c", `set -o pipefail; ${command}`], {
    cwd: directory,
    env: programEnvironment(),
  });

test("a reader that closes the pipe ends the export quietly", async () => {
  writeFileSync(join(directory, "many.jsonl"), amplitudeLines(0, 60_000, 3));
  const program = `'${process.execPath}' '${mainFile}'`;
  const { stdout, stderr } = await shell(
    `${program} export many.jsonl --to - --max-rejects 100% | head -n 3`,
  );
  expect(stdout.trimEnd().split("\n")).toHaveLength(3);
  expect(stderr).toBe("");
});

test("a standard output that is full is an error, not a defect", async () => {
  const program = `'${process.execPath}' '${mainFile}'`;
  const failed = shell(`${program} export in --to - --max-rejects 5% > /dev/full`);
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^error: cannot write to standard output: no space left.*\[disk_full\]\n$/m,
    ),
  });
});

test("a signal ends the export with 130, and it cannot be resumed", async () => {
  const result = await runSwitchyard(["export", "many.jsonl", "--to", "-"], {
    ...options,
    started: (child) => child.stdout?.once("data", () => child.kill("SIGINT")),
  });
  expect(result).toMatchObject({ exitCode: 130 });
  expect(result.stderr).not.toContain("resume");
  expect(readdirSync(temporary)).toEqual([]);
});

it("has only events if a transform logs", async () => {
  const log = 'console.log("hello");';
  writeFileSync(
    join(directory, "log.mjs"),
    `${log} export default (event) => { ${log} return event; };`,
  );
  const words = [...stream, "--limit", "3", "--transform", "log.mjs"];
  const { stdout, stderr } = await runSwitchyard(words, options);
  expect(indexesOf(stdout)).toEqual([0, 1, 2]);
  expect(stderr).toContain("hello");
});
