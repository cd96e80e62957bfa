import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findDocument, readKnownEvents } from "../../src/commands/qualify/known-events.js";
import { cleanReport } from "../report/example-report.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("known-events");

function write(name: string, content: unknown): string {
  const file = join(root, name);
  writeFileSync(file, `${JSON.stringify(content, null, 1)}\n`);
  return file;
}

it("knows the events of a report, and that a sample's are not all", async () => {
  const file = write("report.json", cleanReport);
  expect(await findDocument(file)).toBe(file);
  const known = await readKnownEvents(file);
  expect(known).toMatchObject({ otherRows: 0, isComplete: true, origin: { reportPath: file } });
  expect(known.events.map(({ event }) => event)).toEqual(["brewed", "bought"]);
  const sample = write("sample.json", { ...cleanReport, sample: { share: 0.1 } });
  expect((await readKnownEvents(sample)).isComplete).toBe(false);
});

it.each([
  ["report_version", { ...cleanReport, reportVersion: 99 }],
  ["report_malformed", { ...cleanReport, events: "none" }],
])("refuses what it does not understand: %s", async (code, content) => {
  const file = write(`${code}.json`, content);
  await expect(readKnownEvents(file)).rejects.toMatchObject({ code });
});
