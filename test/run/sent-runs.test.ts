import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { version } from "../../src/base/package-files.js";
import { Ledger } from "../../src/ledger/ledger.js";
import { layoutOf } from "../../src/output/layout.js";
import { makePlan } from "../../src/plan/plan.js";
import { findSentRun, listRuns, writeSentRun } from "../../src/run/sent-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const request = {
  destination: "http://localhost/events",
  cwd: "/data",
  inputs: ["a.json"],
  deciding: {},
};

const placeOf = (directory: string) => ({
  directory,
  s3: {},
  signal: new AbortController().signal,
});

/** A directory of runs with a run that `writer` began. */
async function runsBegunBy(writer: string): Promise<string> {
  const runs = scratchDirectory("sent-runs");
  await begin(runs, "0123456789ab", writer, request.inputs);
  return runs;
}

async function begin(
  runs: string,
  runId: string,
  writer: string,
  inputs: readonly string[],
): Promise<void> {
  const layout = layoutOf(join(runs, runId), "events");
  mkdirSync(layout.outputDirectory, { recursive: true });
  const ledger = new Ledger(layout);
  await ledger.prepare();
  await ledger.writeRun({
    version: writer,
    options: {},
    maxTimeMs: 0,
    startedAt: "then",
    resumes: 0,
    unreadable: [],
    plan: makePlan([], { splitBytes: 1 }),
  });
  const { destination, cwd: directory } = request;
  const facts = { runId, startedAt: "then", command: ["send"] };
  await writeSentRun(layout, { ...facts, destination, inputs, directory });
}

it("finds a run of another version with the same options, and refuses one with others", async () => {
  const runs = await runsBegunBy("0.0.1");
  expect(await listRuns(placeOf(runs))).toMatchObject([
    { runId: "0123456789ab", state: "interrupted" },
  ]);
  const again = { ...request, inputs: ["a.json", "b.json"] };
  expect(await findSentRun(placeOf(runs), again)).toMatchObject({ runId: "0123456789ab" });
  await expect(
    findSentRun(placeOf(runs), { ...again, deciding: { mapping: { event: ["other"] } } }),
  ).rejects.toMatchObject({
    code: "run_changed",
    exitCode: 2,
    message: expect.stringMatching(/was 0\.0\.1, is .*mapping.*--fresh/s),
  });
});

it("sends inputs that no version, or this version, began to send", async () => {
  const runs = await runsBegunBy("0.0.1");
  expect(await findSentRun(placeOf(runs), { ...request, inputs: ["b.json"] })).toBeUndefined();
  const others = { ...request, destination: "http://localhost/others" };
  expect(await findSentRun(placeOf(runs), others)).toBeUndefined();
  expect(await findSentRun(placeOf(join(runs, "none")), request)).toBeUndefined();
  expect(await findSentRun(placeOf(await runsBegunBy(version)), request)).toMatchObject({
    runId: "0123456789ab",
  });
});

it("resumes the run that has sent all of the inputs that were sent", async () => {
  const runs = await runsBegunBy(version);
  const inputs = ["a.json", "b.json", "c.json"];
  expect(await findSentRun(placeOf(runs), { ...request, inputs })).toMatchObject({
    runId: "0123456789ab",
  });
  expect(await findSentRun(placeOf(runs), { ...request, inputs, deciding: { preset: "x" } })).toBe(
    undefined,
  );
  await begin(runs, "ab", version, ["b.json"]);
  await expect(findSentRun(placeOf(runs), { ...request, inputs })).rejects.toMatchObject({
    code: "run_changed",
    message: expect.stringMatching(/run \w+: has sent a\.json and not all/),
  });
  await begin(runs, "cd", version, ["b.json", "a.json"]);
  expect(await findSentRun(placeOf(runs), { ...request, inputs })).toMatchObject({ runId: "cd" });
});
