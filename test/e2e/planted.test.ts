import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
// @ts-expect-error The generators of fixtures are plain scripts.
import { makePlanted, plantedFaults } from "../../fixtures/make/planted.mjs";
import { editConfiguration } from "../../src/options/configuration-edit.js";
import type { Finding, Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("planted");
const configurationFile = join(directory, "pipeline.config.json");
const faults = plantedFaults as Readonly<Record<string, string>>;

/** Findings that no configuration fixes: files and tracking have to. */
const unmendable = [
  "source_failed",
  "rows_rejected",
  "gap_days",
  "spike_hour",
  "name_vanished",
  "duplicates",
];

beforeAll(() => makePlanted(directory, 24_000) as Promise<void>);

async function validate(...words: readonly string[]) {
  const { stdout, stderr } = await runInProcess(["validate", ...words], { cwd: directory });
  const report = JSON.parse(readFileSync(join(directory, "report/report.json"), "utf8")) as Report;
  return { findings: report.findings, stdout, stderr };
}

const codesOf = (findings: readonly Finding[]) =>
  [...new Set(findings.map(({ code }) => code))].sort();

it("each planted fault is found and described, its line fixes it, and nothing else is reported", async () => {
  const first = await validate();
  expect(codesOf(first.findings)).toEqual(Object.keys(faults).sort());
  for (const { code, fix, detail } of first.findings) {
    expect(detail, code).not.toBe("");
    if (!unmendable.includes(code)) expect(fix?.line, code).toMatch(/^"\w+": /);
  }

  const reportBefore = readFileSync(join(directory, "report/report.json"), "utf8");
  const applied = await validate("--apply");
  expect(applied.stderr).toContain('+ "mapping": {"timestamp": "event_time"}');
  // The inputs are not read again.
  expect(applied.stdout).toContain("Took the fixes of the last report");
  expect(applied.stdout).toMatch(/\n {2}next {6}switchyard validate$/m);
  expect(readFileSync(join(directory, "report/report.json"), "utf8")).toBe(reportBefore);
  const text = readFileSync(configurationFile, "utf8");
  expect(text).toMatch(/^\/\/ As the export was described/);

  const fixed = ["time_unit_seconds", "ids_junk"];
  const left = Object.keys(faults).filter((code) => !fixed.includes(code));
  const second = await validate();
  expect(codesOf(second.findings)).toEqual(left.sort());
  await validate("--apply");
  expect(readFileSync(configurationFile, "utf8")).toBe(text);

  const fixes = second.findings.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  const all = editConfiguration(text, fixes, "pipeline.config.json");
  writeFileSync(configurationFile, all.text);
  const third = await validate();
  // The gap is a day of New York, and so of two days in UTC.
  const expected = codesOf(third.findings).filter((code) => code !== "gap_hours");
  expect(unmendable).toEqual(expect.arrayContaining(expected));
});
