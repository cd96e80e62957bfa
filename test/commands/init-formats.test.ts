import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { outputFormatNames } from "../../src/formats/output-formats.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";

test("the written configuration names every other output format", async () => {
  const directory = scratchDirectory("init-formats");
  const row = { event_type: "a", event_time: "2026-01-31 17:03:12", user_id: "mina" };
  writeFileSync(join(directory, "a.json"), JSON.stringify({ ...row, event_properties: {} }));
  const { context } = fakeContext({}, { currentDirectory: directory });
  expect(await runCommandLine(["init", "a.json"], context)).toBe(0);
  const text = readFileSync(join(directory, "pipeline.config.json"), "utf8");
  const [comment = ""] = text.match(/Other formats: .*/) ?? [];
  const others = outputFormatNames.filter((name) => name !== "parquet");
  expect(comment.match(/(?<=")[a-z.]+(?=")/g)).toEqual(["format", ...others]);
});
