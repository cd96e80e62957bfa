import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takeLockFile } from "../../src/base/lock-file.js";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("runs");

function put(name: string, day: number, rows: number): void {
  const line = `{"event_type":"e","event_time":"2026-01-0${day} 10:00:00","user_id":"u"}\n`;
  mkdirSync(join(scratch, "in"), { recursive: true });
  writeFileSync(join(scratch, "in", name), line.repeat(rows));
}

const run = (...words: readonly string[]) => runInProcess(words, { cwd: scratch });
const toExport = ["export", "in", "--preset", "amplitude", "--to", "out"];

async function listed(...words: readonly string[]) {
  const { stdout, exitCode } = await run("runs", ...words, "--json");
  expect(exitCode).toBe(0);
  return (JSON.parse(stdout) as { exports: readonly Record<string, unknown>[] }).exports;
}

test("runs lists the exports here with their epochs, days, counts and outcome", async () => {
  expect(await listed()).toEqual([]);
  put("one.json", 1, 5);
  put("two.json", 2, 5);
  await run(...toExport);
  put("three.json", 3, 7);
  await run(...toExport);
  const [first, ...others] = await listed();
  expect(others).toEqual([]);
  expect(first).toMatchObject({
    directory: join(scratch, "out"),
    state: "done",
    startedAt: expect.stringMatching(/^2.*Z$/),
    endedAt: expect.stringMatching(/^2.*Z$/),
    durationMs: expect.any(Number),
    delivered: 17,
    rejected: 0,
    failures: 0,
    epochs: [
      { number: 0, sources: 2, delivered: 10, firstDay: "2026-01-01", lastDay: "2026-01-02" },
      { number: 1, sources: 1, delivered: 7, firstDay: "2026-01-03", lastDay: "2026-01-03" },
    ],
  });
  const { stdout } = await run("runs");
  expect(stdout).toMatch(/\/out {2}done {2}started 2\S*Z\n {2}17 events\n/);
  expect(stdout).toMatch(/ {2}epoch 1 {2}2\S*Z {2}1 input, 7 events, 2026-01-03\n/);

  // As after a kill in a further epoch.
  const manifest = join(scratch, "out", "manifest.json");
  const { epochs, ...facts } = JSON.parse(readFileSync(manifest, "utf8"));
  writeFileSync(manifest, JSON.stringify({ ...facts, epochs: epochs.slice(0, 1) }));
  expect(await listed()).toMatchObject([{ state: "interrupted", delivered: 17 }]);

  // As after a kill: the ledger alone tells what was done.
  rmSync(join(scratch, "out", "manifest.json"));
  expect(await listed("out")).toMatchObject([
    {
      state: "interrupted",
      delivered: 17,
      endedAt: null,
      epochs: [{ sources: 2 }, { sources: 1 }],
    },
  ]);
  expect((await run("runs")).stdout).toContain("resume: run the command of this export again");

  const lock = await takeLockFile(join(scratch, "out", "_switchyard", "lock"));
  expect(await listed("out")).toMatchObject([{ state: "at_work" }]);
  await lock.release();

  writeFileSync(
    join(scratch, "in", "broken.json.gz"),
    Buffer.from("1f8b0800000000000003abae05", "hex"),
  );
  await run(...toExport);
  expect(await listed()).toMatchObject([{ state: "failed", failures: 1, delivered: 17 }]);

  writeFileSync(join(scratch, "out", "_switchyard", "plan.json"), "{");
  expect(await listed()).toMatchObject([{ state: "unreadable" }]);
});
