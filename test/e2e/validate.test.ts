import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { longTest } from "../support/long-test.js";
import { isCi, someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));
const root = scratchDirectory("validate");

function readReport(directory: string): Report {
  return JSON.parse(readFileSync(join(directory, "report.json"), "utf8")) as Report;
}

async function validate(name: string, ...words: string[]) {
  const report = join(root, name);
  const args = ["validate", "--report", report, "--time-limits", "..2027-01-01", ...words];
  const result = await runInProcess(args, { cwd: fixtures });
  return { ...result, report };
}

it("gives the same report with any number of threads, and writes nothing else", async () => {
  const reports: unknown[] = [];
  for (const threads of someOf(["1", "2", "4"], 2)) {
    const { exitCode, report } = await validate(
      `threads-${threads}`,
      isCi ? "sample" : "sample/csv",
      "--threads",
      threads,
      "--split-size",
      "20kB",
    );
    expect(exitCode).toBe(0);
    expect(readdirSync(report)).toEqual(["report.html", "report.json"]);
    const { run: _, estimates: __, ...facts } = readReport(report);
    reports.push(facts);
  }
  expect(reports[1]).toEqual(reports[0]);
  expect(reports.at(-1)).toEqual(reports[0]);
});

it.each([
  [
    "init where the mapping fits no row",
    '{"wrong":1}',
    [],
    /\n {2}next {6}switchyard init \S+rows\.jsonl --time-limits/,
  ],
  [
    "validate after errors without a fix",
    '{"event_type":"a","user_id":"u","event_time":"2026-01-01 00:00:00.000000"}\n{"event_type":"a","user_id":"u"}',
    ["--preset", "amplitude"],
    /\n {2}next {6}fix the errors above, then:\n {12}\S.* validate \S+rows\.jsonl --preset amplitude/,
  ],
] as const)(
  "does not name export after a verdict of not ready, but %s",
  async (_, rows, flags, next) => {
    const file = join(root, `${flags.length}-rows.jsonl`);
    writeFileSync(file, `${rows}\n`);
    const { stdout } = await validate(`next-${flags.length}`, file, ...flags);
    expect(stdout).toContain("Not ready");
    expect(stdout).toMatch(next);
  },
);

it("prints the path of the report and what it counted", async () => {
  const { exitCode, stdout, report } = await validate("json", "sample/csv", "--json");
  expect(exitCode).toBe(0);
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  expect(printed).toMatchObject({ command: "validate", exitCode: 0, outcome: "done" });
  expect(printed["reportPath"]).toBe(join(report, "report.json"));
  expect(printed["rows"]).toEqual(readReport(report).rows);
});

it("says of most events no size above that of the largest", async () => {
  for (const length of [0, 7, 14, 21, 28]) {
    const file = join(root, `sizes-${length}.jsonl`);
    const row = { event_type: "x".repeat(100 + length), event_time: 1_767_225_600, user_id: "u" };
    writeFileSync(file, `${JSON.stringify(row)}\n`);
    const { report } = await validate(`sizes-${length}`, file, "--preset", "amplitude");
    const { p50, p99, max } = readReport(report).sizes;
    expect([p50 <= max, p99 <= max]).toEqual([true, true]);
  }
});

it("reads a share of the inputs, spread over them, and says how much it was", async () => {
  const directory = join(root, "many");
  mkdirSync(directory);
  // More than one piece each, on days that tell where the rows were.
  for (const day of [1, 2, 3, 4]) {
    const row = (index: number) =>
      JSON.stringify({
        event_type: "e",
        user_id: `u${index}`,
        event_time: `2026-01-0${day} 00:00:00`,
        event_properties: { text: "x".repeat(1_000) },
      });
    writeFileSync(
      join(directory, `${day}.jsonl`),
      Array.from({ length: 1_000 }, (_, index) => `${row(index)}\n`).join(""),
    );
  }
  const whole = await validate("whole", directory);
  expect(readReport(whole.report).sample.share).toBe(1);
  const { exitCode, report } = await validate("part", directory, "--sample", "25%");
  expect(exitCode).toBe(0);
  const { sample, rows, days } = readReport(report);
  expect(sample.share).toBeGreaterThan(0.15);
  expect(sample.share).toBeLessThan(0.45);
  expect(Math.abs(rows.read / 4_000 - sample.share)).toBeLessThan(0.05);
  expect(days.filter(({ events }) => events > 0).length).toBeGreaterThanOrEqual(3);
  const refused = await validate("refused", directory, "--sample", "0%");
  expect(refused.exitCode).toBe(2);
});

it("knows the share of a sample of compressed and plain inputs together", async () => {
  const directory = join(root, "mixed");
  mkdirSync(directory);
  const row = (index: number) => {
    const id = createHash("sha256").update(`${index}`).digest("hex");
    const event_properties = { text: "x".repeat(300) };
    return JSON.stringify({ event_type: id, event_time: "2026-01-01 00:00:00", event_properties });
  };
  const text = Array.from({ length: 3_000 }, (_, index) => `${row(index)}\n`).join("");
  writeFileSync(join(directory, "a.jsonl.gz"), gzipSync(text));
  writeFileSync(join(directory, "b.jsonl"), text);
  const { report } = await validate("mixed-sample", directory, "--sample", "10%");
  const { sample, rows } = readReport(report);
  expect(rows.read).toBe(3_000);
  expect(sample.share).toBeGreaterThan(0.35);
  expect(sample.share).toBeLessThan(0.65);
});

longTest(
  "counts repeated insert ids exactly, and of a sample within a split, with an estimate over all",
  async () => {
    const file = join(root, "repeated.jsonl");
    const lines = Array.from({ length: 3_000 }, (_, index) =>
      JSON.stringify({
        event_type: "e",
        user_id: "u",
        event_time: "2026-01-01 00:00:00",
        $insert_id: `id ${index % 2_500}`,
      }),
    );
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
    const whole = await validate("repeated", file);
    const { exact, ...counts } = readReport(whole.report).rows.duplicates;
    expect(counts).toEqual({ withInsertID: 3_000 });
    expect(exact?.rows).toBe(500);

    const part = await validate("repeated-sample", file, "--sample", "99%");
    const { rows } = readReport(part.report);
    const { withInsertID, withinSplits = 0, unknown, estimated = 0, error = 0 } = rows.duplicates;
    expect(withInsertID).toBe(rows.mapped);
    expect([unknown, withinSplits > 0, error > 0]).toEqual([0, true, true]);
    expect(Math.abs(estimated - withinSplits)).toBeLessThanOrEqual(4 * error);
  },
);

it("fails like an export if rows are rejected or sources cannot be read", async () => {
  const rejected = await validate("rejected", "traps/malformed-rows/input");
  expect(rejected.exitCode).toBe(3);
  const { rejects } = readReport(rejected.report);
  expect(rejects.length).toBeGreaterThan(0);
  for (const { rows, samples, advice } of rejects) {
    expect(samples.length).toBe(Math.min(rows, 3));
    expect(advice).not.toBe("");
  }
  const failed = await validate("failed", "traps/zip-truncated/input");
  expect(failed.exitCode).toBe(1);
  expect(readReport(failed.report).inputs.sources.some(({ failure }) => failure)).toBe(true);
  const nothing = await validate("nothing", "there-is-no-such-input");
  expect(nothing.exitCode).not.toBe(0);
  expect(existsSync(nothing.report)).toBe(false);
});

it("refuses a directory that no report can be written to before it looks at inputs", async () => {
  const file = join(root, "file");
  writeFileSync(file, "");
  for (const report of [file, join(file, "below", "report")]) {
    const words = ["validate", "missing.jsonl", "--report", report, "--json"];
    const { exitCode, stdout } = await runInProcess(words, { cwd: fixtures });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "output_unwritable" } });
  }
});

it("counts a value once, however JSON spells it, with the nearest doubles of a range", async () => {
  const spellings = {
    n: ["1", "1.0", "1e0", "10E-1", "0.30000000000000004", "3.0000000000000004e-1", "-0", "0.0"],
    big: ["9007199254740993", "9007199254740992", "9007199254740993.0", "1e400", "-1.5E-7"],
    s: [`"a"`, String.raw`"\u0061"`, String.raw`"\/"`, '"/"', '"1"', '"1.0"'],
    list: ["[1]", "[1.0]"],
  };
  const lines = Object.entries(spellings).flatMap(([key, values]) =>
    values.map(
      (value) =>
        `{"event_type":"e","event_time":"2026-01-01 00:00:00","user_id":"u","event_properties":{"${key}":${value}}}`,
    ),
  );
  const input = join(root, "spellings.jsonl");
  writeFileSync(input, `${lines.join("\n")}\n`);
  const { report } = await validate("spellings", input);
  const keys = readReport(report).events[0]?.properties?.keys ?? [];
  const facts = keys.map(({ key, distinct, topValues, numbers }) => [
    key,
    [distinct.count, ...topValues.map(({ value, rows }) => `${value}: ${rows}`)],
    numbers,
  ]);
  expect(Object.fromEntries(facts.map(([key, ...rest]) => [key, rest]))).toEqual({
    n: [[3, "1: 4", "-0: 2", "0.30000000000000004: 2"], { min: 0, max: 1 }],
    big: [
      [4, "9007199254740993: 2", "-1.5E-7: 1", "1e400: 1", "9007199254740992: 1"],
      { min: -1.5e-7, max: Number.MAX_VALUE },
    ],
    s: [[4, "/: 2", "a: 2", "1: 1", "1.0: 1"], null],
    list: [[2, "[1.0]: 1", "[1]: 1"], null],
  });
});

it("has the nearest doubles of numbers with many digits", async () => {
  const rows = [
    "0.30000000000000004",
    "5e-324",
    "123456.78901234567e-30",
    "2.2250738585072011e-308",
  ];
  for (const [index, number] of rows.entries()) {
    const input = join(root, `digits-${index}.jsonl`);
    writeFileSync(
      input,
      `{"event_type":"e","event_time":"2026-01-01 00:00:00","user_id":"u","event_properties":{"n":${number}}}\n`,
    );
    const { report } = await validate(`digits-${index}`, input);
    const value = Number(number);
    expect(readReport(report).events[0]?.properties?.keys[0]?.numbers).toEqual({
      min: value,
      max: value,
    });
  }
});
