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

test("a CSV without a header is told to name its columns, by init and by validate", async () => {
  const rows = [
    "2026-03-02T20:01:09Z,u1,5",
    "2026-03-02T20:02:09Z,u2,6",
    "2026-03-02T20:03:09Z,u1,7",
  ];
  writeFileSync(join(cwd, "plain.csv"), `${rows.join("\n")}\n`);
  const { stderr } = await runInProcess(["init", "plain.csv", "--force"], { cwd });
  expect(stderr).toContain(
    "The CSV has no header: pass --csv-dialect columns= with the names of the 3 columns in their order",
  );
  writeFileSync(file, `{ "preset": "amplitude" }`);
  const { stdout } = await runInProcess(["validate", "plain.csv"], { cwd });
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "the CSV has no header, pass --csv-dialect columns=",
  );
});
