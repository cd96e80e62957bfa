import { rmSync, statSync, writeFileSync } from "node:fs";
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
