import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runSwitchyard } from "../support/command-line.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("output-below-input");
const row = '{"event_type":"a","event_time":"2026-01-31 10:00:00","user_id":"mina"}\n';

it("never takes its own output for input, also when that lies below the input", async () => {
  const input = join(scratch, "exports");
  mkdirSync(input);
  writeFileSync(join(input, "a.jsonl"), row);
  const words = ["export", input, "--to", join(input, "out"), "--format", "jsonl", "--json"];
  const first = await runSwitchyard(words);
  expect(first, first.stderr).toMatchObject({ exitCode: 0 });
  const second = await runSwitchyard(words);
  expect(second, second.stderr).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(second.stdout)).toMatchObject({ alreadyDone: true, rows: { read: 1 } });
});

it("refuses inputs that all lie in the output directory", async () => {
  const output = join(scratch, "out");
  mkdirSync(output);
  writeFileSync(join(output, "a.jsonl"), row);
  const ended = await runSwitchyard(["export", join(output, "a.jsonl"), "--to", output]);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toMatch(/input_in_output/);
});
