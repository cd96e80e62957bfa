import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readEarlierReport } from "../../../src/report/comparison/earlier-report.js";
import { scratchDirectory } from "../../support/scratch.js";
import { cleanReport } from "../example-report.js";

const root = scratchDirectory("earlier-report");

const { dayZone: _, ...zoneless } = cleanReport;

it.each([
  [
    "text",
    "[1, 2",
    /text\.json cannot be compared with: it is not valid JSON \(.+\)\. Pass --compare/,
  ],
  [
    "manifest",
    '{"days":[]}',
    /it is not a report of validate: needs the key reportVersion; .*and \d+ more/,
  ],
  ["list", "[]", /not a report of validate: must be an object/],
  [
    "version",
    JSON.stringify({ ...cleanReport, reportVersion: 2 }),
    /not a report of validate: reportVersion: must be 1 \(got 2\)\. Pass/,
  ],
  ["missing", JSON.stringify(zoneless), /not a report of validate: needs the key dayZone\. Pass/],
  [
    "deep",
    JSON.stringify({ ...cleanReport, days: [{ day: "2026-01-01", events: "7" }] }),
    /not a report of validate: days\[0\]\.events: must be a number \(got "7"\)\. Pass/,
  ],
  ["command", '{"command":"export"}', /not a report of validate: command: must be validate/],
])("names the file and the key of %s that is no report", async (name, text, message) => {
  const file = join(root, `${name}.json`);
  writeFileSync(file, text);
  const refusal = readEarlierReport(file);
  await expect(refusal).rejects.toMatchObject({ code: "compare_invalid", exitCode: 2 });
  await expect(refusal).rejects.toThrow(message);
  await expect(refusal).rejects.toThrow(file);
});

it("refuses a file that does not exist", async () => {
  await expect(readEarlierReport(join(root, "none.json"))).rejects.toThrow(/none\.json.*ENOENT/);
});
