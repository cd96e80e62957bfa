import { expect, it } from "vitest";
import { completeReport } from "../../src/engine/complete-report.js";
import { PartSizeFold } from "../../src/profile/part-size-fold.js";
import { cleanReport, exampleEvent } from "../report/example-report.js";

const counted = { ...cleanReport, partSizes: new PartSizeFold() };
const unset = { values: {}, rejectLimits: { export: undefined, send: undefined } };

it("plans qualifying events as the console would take them, and finds what it would refuse", async () => {
  const events = [exampleEvent("brewed"), exampleEvent("a\\b"), exampleEvent("x".repeat(300))];
  const { estimates, findings } = await completeReport(
    { ...counted, events },
    { ...unset, values: { nameTemplate: "tea {event}", rate: { rate: 100, burst: 100 } } },
    "./report/fixes.mjs",
    { outcome: "done" },
  );
  expect(estimates.qualifyingEvents).toMatchObject([
    { name: "tea brewed", event: "brewed" },
    { event: "a\\b", refused: expect.stringContaining("backslash") },
    { event: "x".repeat(300), refused: expect.stringContaining("name") },
  ]);
  expect(estimates.qualifyingEvents[0]).not.toHaveProperty("refused");
  expect(estimates.send.eventsPerSecond).toBe(100);
  expect(findings.map(({ code }) => code)).toEqual(["name_refused"]);
  expect(findings[0]?.fix?.line).toBe('"transform": "./report/fixes.mjs"');
});

it("says the same of the same report", async () => {
  const again = () => completeReport(counted, unset, "./fixes.mjs", { outcome: "done" });
  expect(await again()).toEqual(await again());
  expect((await again()).findings).toEqual([]);
});

it("does not call the inputs ready if the run was interrupted", async () => {
  const verdict = async (outcome: "done" | "interrupted") =>
    (await completeReport(counted, unset, "./fixes.mjs", { outcome })).verdict;
  expect((await verdict("done")).sentence).toMatch(/^Ready: /);
  const { tone, sentence } = await verdict("interrupted");
  expect(tone).toBe("error");
  expect(sentence).toBe(
    `Not known: interrupted after ${counted.rows.read.toLocaleString("en-US")} rows; the others were not read.`,
  );
});
