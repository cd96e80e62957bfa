import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { runSwitchyard } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const fixtures = fileURLToPath(new URL("../../fixtures/", import.meta.url));
const root = scratchDirectory("validate");

function readReport(directory: string): Report {
  return JSON.parse(readFileSync(join(directory, "report.json"), "utf8")) as Report;
}

async function validate(name: string, ...words: string[]) {
  const report = join(root, name);
  const args = ["validate", "--report", report, "--max-time", "2027-01-01", ...words];
  const result = await runSwitchyard(args, { cwd: fixtures });
  return { ...result, report };
}

it("says the same of the sample with any number of threads, and leaves nothing but the report", async () => {
  const reports: unknown[] = [];
  for (const threads of ["1", "2", "4"]) {
    const { exitCode, report } = await validate(
      `threads-${threads}`,
      ...["sample", "--threads", threads, "--split-size", "20kB"],
    );
    expect(exitCode).toBe(0);
    expect(readdirSync(report)).toEqual(["report.html", "report.json"]);
    const { run: _, estimates: __, ...facts } = readReport(report);
    reports.push(facts);
  }
  expect(reports[1]).toEqual(reports[0]);
  expect(reports[2]).toEqual(reports[0]);
});

it("prints the path of the report and what it counted", async () => {
  const { exitCode, stdout, report } = await validate("json", "sample/csv", "--json");
  expect(exitCode).toBe(0);
  const printed = JSON.parse(stdout) as Record<string, unknown>;
  expect(printed).toMatchObject({ command: "validate", exitCode: 0, outcome: "done" });
  expect(printed["reportPath"]).toBe(join(report, "report.json"));
  expect(printed["rows"]).toEqual(readReport(report).rows);
});

it("fails like an export where rows are rejected or sources cannot be read", async () => {
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
