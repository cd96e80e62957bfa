import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Report } from "../../src/profile/report.js";
import { runInProcess } from "../support/command-line.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("quick-e2e");
const file = join(root, "rows.jsonl");
writeAmplitudeRows(file, 1_500, 5);

const validate = (...flags: string[]) =>
  runInProcess(["validate", "rows.jsonl", "--time-limits", "..2027-01-01", ...flags], {
    cwd: root,
  });

it("says of small inputs that their figures are exact", async () => {
  const { stdout } = await validate("--quick");
  expect(stdout).toContain("\n  quick     the inputs are small: all rows were read");
  const { sample } = JSON.parse(readFileSync(join(root, "report/report.json"), "utf8")) as Report;
  expect(sample).toMatchObject({
    share: 1,
    quick: { isExact: true, rows: { read: { count: 1_500, error: 0 } } },
  });
  const { stdout: json } = await validate("--quick", "--json");
  expect((JSON.parse(json) as Report).sample).toEqual(sample);
});

it.each([
  [["--limit", "5"], "--limit needs other rows"],
  [["--sample", "1%"], "--sample needs other rows"],
  [["--dedupe"], "--dedupe needs other rows"],
  [["--require-fields", "--dedupe"], "--dedupe and --require-fields need other rows"],
])("refuses %j, which needs other rows", async (flags, message) => {
  const { exitCode, stderr } = await validate("--quick", ...flags);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).toContain("[quick_unsupported]");
});
