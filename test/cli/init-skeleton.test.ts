import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const cwd = scratchDirectory("init-skeleton");
const file = join(cwd, "pipeline.config.json");

test("rows without an id get a configuration to fill in, and the next command says where", async () => {
  const row = { action: "open", at: "2026-01-31T17:03:12Z", badge: "b7", props: { a: 1 } };
  writeFileSync(join(cwd, "in.json"), `${JSON.stringify(row)}\n`.repeat(3));
  const { exitCode, stderr } = await runInProcess(["init", "in.json"], { cwd });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Fill in the empty targets of pipeline.config.json");
  const text = readFileSync(file, "utf8");
  expect(text).toContain("// No field looks like a user's or a device's id: fill in");
  expect(text).toContain('    "event": "action",\n    "timestamp": "at",\n    "userID": "",\n');

  const refused = await runInProcess(["validate"], { cwd });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(/pipeline\.config\.json:\d+:\d+: mapping\.userID/);

  writeFileSync(file, text.replace('"userID": ""', '"userID": "badge"'));
  const { stdout } = await runInProcess(["validate"], { cwd });
  expect(stdout).toContain("3 read = 3 events");
});
