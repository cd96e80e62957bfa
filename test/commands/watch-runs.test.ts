import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { omitUndefined } from "../../src/base/omit-undefined.js";
import { runRuns } from "../../src/commands/run-runs.js";
import { FakeClock } from "../report/fake-clock.js";
import { runInProcess } from "../support/command-line.js";
import { fakeContext } from "../support/fake-context.js";
import { hasS3Server, useS3Server } from "../support/s3-server.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("watch-runs");
const row = `{"event_type":"e","event_time":"2026-01-01 10:00:00","user_id":"u"}\n`;

/** An export of four splits, of which one is committed. */
async function interruptedExport(name: string): Promise<readonly string[]> {
  for (const index of [0, 1, 2, 3])
    writeFileSync(join(scratch, `${name}-${index}.json`), row.repeat(1000));
  const words = ["export", `${name}-*.json`, "--preset", "amplitude", "--to", name];
  const line = [...words, "--split-size", "70kB", "--compact", "never"];
  await runInProcess(line, { cwd: scratch });
  const splits = join(scratch, name, "_switchyard", "splits");
  const records = readdirSync(splits).filter((file) => /^\d+\.json$/.test(file));
  expect(records).toHaveLength(4);
  rmSync(join(scratch, name, "manifest.json"));
  for (const file of records.slice(1)) rmSync(join(splits, file));
  return line;
}

const invocation = (to: string, json: boolean) => ({
  flags: { to, runs: join(scratch, "none"), json },
  configPath: undefined,
  watch: true,
});

test.each([
  ["missing", "does not exist"],
  ["a-file", "is not a directory"],
])("runs %s ends with exit code 2: it %s", async (name, reason) => {
  writeFileSync(join(scratch, "a-file"), "");
  const { context, stdout, stderr } = fakeContext({}, { currentDirectory: scratch });
  expect(await runRuns({ ...invocation(name, false), watch: false }, context)).toBe(2);
  expect(stdout).toEqual([]);
  expect(stderr.join("")).toBe(
    `error: ${join(scratch, name)} ${reason}: pass the output directory of an export. [export_missing]\n`,
  );
});

test("a watched export prints each change until it has ended", async () => {
  const line = await interruptedExport("out");
  const { context, stdout } = fakeContext({}, { currentDirectory: join(scratch, "out") });
  let waits = 0;
  const exitCode = await runRuns(invocation("../out", true), context, async () => {
    waits++;
    // Nothing changes before the second look.
    if (waits === 2) await runInProcess(line, { cwd: scratch });
  });
  expect(exitCode).toBe(0);
  expect(waits).toBe(2);
  const listings = stdout.map((text) => JSON.parse(text).exports[0]);
  expect(listings).toMatchObject([
    { state: "interrupted", splitsDone: 1, splitsTotal: 4, delivered: 1000 },
    { state: "done", splitsDone: 4, splitsTotal: 4, delivered: 4000 },
  ]);
});

test("a watched export shows the speed and the time left of all processes together", async () => {
  await interruptedExport("left");
  const clock = new FakeClock();
  const splits = join(scratch, "left", "_switchyard", "splits");
  const record = join(splits, "000000.json");
  const content = readFileSync(record, "utf8");
  const { context, stdout, controller } = fakeContext(
    {},
    { currentDirectory: join(scratch, "left"), clock },
  );
  let waits = 0;
  const exitCode = await runRuns(invocation("../left", false), context, async () => {
    clock.advance(10_000);
    const moved = content.replace('"000000"', '"000002"');
    if (waits++ === 0) writeFileSync(join(splits, "000002.json"), moved);
    else controller.abort();
  });
  expect(exitCode).toBe(130);
  expect(stdout[0]).toContain("1,000 events, 1 of 4 splits done");
  expect(stdout[1]).toContain("2 of 4 splits done");
  expect(stdout[1]).toContain("2 splits left · 100 rows/s · 20 s left");
});

test.runIf(hasS3Server())(
  "an export in a store is watched through what is added and removed",
  async () => {
    const server = await useS3Server();
    await server.createBucket("watched");
    const input = join(scratch, "stored.json");
    writeFileSync(input, row.repeat(4000));
    const flags = [...server.flags, "--split-size", "70kB", "--compact", "never"];
    const line = ["export", input, "--preset", "amplitude", "--to", "s3://watched/out", ...flags];
    await runInProcess(line, { cwd: scratch });
    const record = "out/_switchyard/splits/000003.json";
    await server.remove("watched", "out/manifest.json");
    const { context, stdout } = fakeContext(
      {},
      { currentDirectory: scratch, environment: process.env },
    );
    const { endpoint, region } = server.options;
    const store = { s3Endpoint: endpoint, s3Region: region };
    const given = { ...invocation("s3://watched/out", true).flags, ...omitUndefined(store) };
    let waits = 0;
    await runRuns({ flags: given, configPath: undefined, watch: true }, context, async () => {
      if (waits++ === 0) await server.remove("watched", record);
      else await runInProcess(line, { cwd: scratch });
    });
    const listings = stdout.map((text) => JSON.parse(text).exports);
    expect(listings.map(([{ state, splitsDone }]) => `${state} ${splitsDone}`)).toEqual([
      "interrupted 4",
      "interrupted 3",
      "done 4",
    ]);
  },
);
