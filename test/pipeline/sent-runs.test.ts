import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { version } from "../../src/base/package-files.js";
import { layoutOf } from "../../src/pipeline/ledger/layout.js";
import { Ledger } from "../../src/pipeline/ledger/ledger.js";
import { makePlan } from "../../src/pipeline/plan.js";
import { listRuns, refuseOtherVersions, writeSentRun } from "../../src/pipeline/sent-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const request = { destination: "http://localhost/events", cwd: "/data", inputs: ["a.json"] };

/** A directory of runs with a run that `writer` began. */
async function runsBegunBy(writer: string): Promise<string> {
  const runs = scratchDirectory("sent-runs");
  const layout = layoutOf(join(runs, "0123456789ab"), "events");
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
  const { destination, cwd: directory, inputs } = request;
  const facts = { runId: "0123456789ab", startedAt: "then", command: ["send"] };
  await writeSentRun(layout, { ...facts, destination, inputs, directory });
  return runs;
}

it("refuses inputs that another version began to send, and names that version", async () => {
  const runs = await runsBegunBy("0.0.1");
  expect(await listRuns(runs)).toMatchObject([{ runId: "0123456789ab", state: "interrupted" }]);
  await expect(refuseOtherVersions(runs, request)).rejects.toMatchObject({
    code: "run_changed",
    exitCode: 2,
    message: expect.stringMatching(/only 0\.0\.1 can resume .*--fresh/s),
  });
});

it("sends inputs that no version, or this version, began to send", async () => {
  const runs = await runsBegunBy("0.0.1");
  await refuseOtherVersions(runs, { ...request, inputs: ["b.json"] });
  await refuseOtherVersions(runs, { ...request, destination: "http://localhost/others" });
  await refuseOtherVersions(join(runs, "none"), request);
  await refuseOtherVersions(await runsBegunBy(version), request);
});
