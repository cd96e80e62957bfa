import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { inputsOf } from "../support/inputs-of.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("output-below-input");
const row = '{"event_type":"a","event_time":"2026-01-31 10:00:00","user_id":"mina"}\n';

it("never reads its own output as input, even in a directory below the input", async () => {
  const input = join(scratch, "exports");
  mkdirSync(input);
  writeFileSync(join(input, "a.jsonl"), row);
  const words = ["export", input, "--to", join(input, "out"), "--format", "jsonl", "--json"];
  const first = await runInProcess(words);
  expect(first, first.stderr).toMatchObject({ exitCode: 0 });
  const second = await runInProcess(words);
  expect(second, second.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(second.stdout)).toMatchObject({ alreadyDone: true, rows: { read: 1 } });
});

it("recognizes its own output through links", async () => {
  const input = join(scratch, "linked");
  mkdirSync(input);
  writeFileSync(join(input, "a.jsonl"), row);
  symlinkSync(input, join(scratch, "link"));
  const words = ["export", join(scratch, "link"), "--to", join(input, "out"), "--json"];
  for (const alreadyDone of [false, true]) {
    const ended = await runInProcess(words);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ alreadyDone, rows: { read: 1 } });
  }
});

it("refuses inputs that all lie in the output directory", async () => {
  const output = join(scratch, "out");
  mkdirSync(output);
  writeFileSync(join(output, "a.jsonl"), row);
  const ended = await runInProcess(["export", join(output, "a.jsonl"), "--to", output]);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toMatch(/input_in_output/);
});

it("does not read the report of a dry run, or its module of fixes, as input", async () => {
  const directory = join(scratch, "migrated");
  mkdirSync(directory);
  // A property of two types makes a dry run write a module.
  const rows = ["1", '"one"'].map((size) =>
    row.replace("}", `,"event_properties":{"size":${size}}}`),
  );
  writeFileSync(join(directory, "a.jsonl"), rows.join(""));
  for (const words of [["init", "."], ["migrate"], ["migrate"]]) {
    const ended = await runInProcess(words, { cwd: directory });
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
  }
  expect(existsSync(join(directory, "report", "fixes.mjs"))).toBe(true);
});

it("does not read files that options name as input", async () => {
  const directory = join(scratch, "named");
  mkdirSync(directory);
  writeFileSync(join(directory, "a.jsonl"), row);
  writeFileSync(join(directory, "change.mjs"), "export default (event) => event;\n");
  const secrets = ["salt", "secret", "key"];
  for (const name of secrets) writeFileSync(join(directory, name), `${name}-0123456789\n`);
  const [hashSaltFile, serverSecretFile, consoleKeyFile] = secrets;
  const configuration = {
    inputs: ["."],
    transform: "change.mjs",
    hashSaltFile,
    send: { serverSecretFile },
    qualify: { consoleKeyFile },
  };
  writeFileSync(join(directory, "pipeline.config.json"), JSON.stringify(configuration));
  const ended = await runInProcess(["export", "--to", "out"], { cwd: directory });
  expect(ended, ended.stderr).toMatchObject({ exitCode: 0 });
  expect(inputsOf(join(directory, "out"))).toMatchObject([{ name: "a.jsonl" }]);
});
