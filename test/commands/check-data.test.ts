import { chmodSync, copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { fakeContext } from "../support/fake-context.js";
import { withoutPrivileges } from "../support/privileges.js";
import { scratchDirectory } from "../support/scratch.js";

async function run(...words: readonly string[]) {
  const { context, stdout, stderr } = fakeContext();
  const exitCode = await runCommandLine(words, context);
  return { exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
}

it("check-data lists the databases of a data directory and their damage", async () => {
  const data = join(scratchDirectory("check-data"), "data");
  const file = (name: string) => join(data, name);
  expect(await run("check-data", "--data", data)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`There is no service data in ${data}`),
  });
  await run("keys", "create", "--kind", "console", "--data", data);
  const { size } = statSync(file("console.db"));
  const sound = await run("check-data", "--data", data);
  expect(sound).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${file("console.db")}: sound, ${size} bytes\n`),
  });

  writeFileSync(file("console.db"), Buffer.alloc(size - 4096, 7), { flag: "r+" });
  rmSync(file("events.db"));
  const damaged = await run("check-data", "--data", data, "--json");
  expect(damaged.exitCode).toBe(1);
  expect(JSON.parse(damaged.stdout)).toEqual({
    command: "check-data",
    exitCode: 1,
    databases: [
      { path: file("console.db"), bytes: size, problems: [expect.stringMatching(/damaged/)] },
      { path: file("events.db"), bytes: 0, problems: ["the file is missing"] },
    ],
  });
});

it("check-data reads a copy that it cannot write, and does not call one with a log damaged", async () => {
  const scratch = scratchDirectory("check-data-read-only");
  const data = join(scratch, "data with 100% ?");
  const written = join(scratch, "written");
  await run("keys", "create", "--kind", "console", "--data", written);
  mkdirSync(data);
  const names = ["console.db", "events.db"];
  const files = names.map((name) => join(data, name));
  for (const name of names) copyFileSync(join(written, name), join(data, name));
  for (const file of files) chmodSync(file, 0o444);
  for (const directory of [scratch, data]) chmodSync(directory, 0o555);
  const checked = () => withoutPrivileges(() => run("check-data", "--data", data));
  const sound = files.map((file) => `${file}: sound, ${statSync(file).size} bytes\n`).join("");
  expect(await checked()).toEqual({ exitCode: 0, stdout: sound, stderr: "" });

  chmodSync(data, 0o755);
  writeFileSync(`${files[0]}-wal`, "a log that must be read with it");
  chmodSync(data, 0o555);
  const unclear = await checked();
  expect(unclear.exitCode).toBe(1);
  expect(unclear.stdout).toContain(`${files[0]}: not checked\n`);
  expect(unclear.stdout).toContain("cannot be checked without write permission");
  expect(unclear.stdout).not.toContain("damaged");
  for (const directory of [scratch, data]) chmodSync(directory, 0o755);
});
