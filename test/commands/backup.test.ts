import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";

async function run(...words: readonly string[]) {
  const { context, stdout, stderr } = fakeContext();
  const exitCode = await runCommandLine(words, context);
  return { exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
}

it("backup writes a file, restore makes a data directory of it, and both say what is in it", async () => {
  const place = scratchDirectory("backup");
  const [data, file] = [join(place, "data"), join(place, "one.tar.gz")];
  const restored = join(place, "restored");
  await run("keys", "create", "--kind", "console", "--data", data);
  const made = await run("backup", file, "--data", data);
  expect(made).toMatchObject({ exitCode: 0, stderr: "" });
  const { size } = statSync(file);
  expect(made.stdout).toMatch(
    new RegExp(
      `^${file}: ${size.toLocaleString("en-US")} bytes, the data of .*Z; restored and compared\n`,
    ),
  );
  expect(made.stdout).toMatch(/\n {2}console.db: \d+ rows in \d+ tables\n {2}events.db: \d+ rows/);

  expect(await run("backup", file, "--data", data)).toMatchObject({
    exitCode: 2,
    stderr: `error: ${file} exists: choose another name, or replace it with --force. [backup_exists]\n`,
  });
  const again = await run("backup", file, "--data", data, "--force", "--json");
  const result = JSON.parse(again.stdout);
  expect(result).toMatchObject({
    command: "backup",
    exitCode: 0,
    file,
    bytes: statSync(file).size,
    databases: [
      {
        file: "console.db",
        tables: expect.arrayContaining([expect.objectContaining({ name: "key", rows: 1 })]),
      },
      { file: "events.db" },
    ],
  });

  const back = await run("restore", file, "--data", restored, "--json");
  const { time, databases } = result;
  expect(JSON.parse(back.stdout)).toMatchObject({
    command: "restore",
    exitCode: 0,
    file,
    dataDirectory: restored,
    time,
    databases,
  });
  expect((await run("keys", "list", "--data", restored)).stdout).toBe(
    (await run("keys", "list", "--data", data)).stdout,
  );
  expect(await run("restore", file, "--data", restored)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`${restored} is not empty (console.db, `),
  });
  expect((await run("restore", file, "--data", join(place, "text"))).stdout).toMatch(
    /^.*text: the data of .*Z, backed up by Switchyard \d/,
  );
  writeFileSync(file, "nothing");
  const damaged = await run("restore", file, "--data", join(place, "other"));
  expect(damaged).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("not a backup") });
  expect(readdirSync(place).sort()).toEqual(["data", "one.tar.gz", "restored", "text"]);
});

it("backup and restore end with 130 if they are stopped", async () => {
  const place = scratchDirectory("backup");
  const [data, file] = [join(place, "data"), join(place, "one.tar.gz")];
  await run("keys", "create", "--kind", "console", "--data", data);
  await run("backup", file, "--data", data);
  const stopped = async (...words: readonly string[]) => {
    const { context, stderr } = fakeContext();
    const exitCode = await runCommandLine(words, { ...context, signal: AbortSignal.abort() });
    return { exitCode, stderr: stderr.join("") };
  };
  expect(await stopped("backup", join(place, "two"), "--data", data)).toEqual({
    exitCode: 130,
    stderr: "error: Interrupted: no backup was written. [interrupted]\n",
  });
  expect(await stopped("restore", file, "--data", join(place, "three"))).toEqual({
    exitCode: 130,
    stderr: "error: Interrupted: nothing was restored. [interrupted]\n",
  });
  expect(readdirSync(place).sort()).toEqual(["data", "one.tar.gz"]);
});
