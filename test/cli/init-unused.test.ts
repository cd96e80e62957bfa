import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { createEngine } from "../../src/engine/engine.js";
import { parseJsonText } from "../../src/pipeline/configuration/configuration-file.js";
import { scratchDirectory } from "../support/scratch.js";
import { fakeContext } from "./fake-context.js";

const directory = scratchDirectory("init-unused");
const file = join(directory, "pipeline.config.json");

/** Runs `init --force` on these rows; returns what it prints. */
async function init(rows: readonly object[], ...words: readonly string[]): Promise<string> {
  const base = { event_type: "a", event_time: "2026-01-31 17:03:12", user_id: "mina" };
  const lines = rows.map((row) => JSON.stringify({ ...base, ...row }));
  writeFileSync(join(directory, "in.json"), lines.join("\n"));
  const loadEngine = async () => createEngine();
  const { context, stdout, stderr } = fakeContext({}, { currentDirectory: directory, loadEngine });
  expect(await runCommandLine(["init", "in.json", "--force", ...words], context)).toBe(0);
  return [...stdout, ...stderr].join("");
}

describe("columns that go nowhere", () => {
  const rows = [
    { platform: "iOS", event_properties: { a: 1 } },
    { country: "DE", dma: "x" },
  ];
  const variant = { metadata: ["event_properties", { fields: ["platform", "country"] }] };

  test("are listed with their share", async () => {
    const shares = "platform 50%, country 50%, dma 50%";
    expect(await init(rows)).toContain(`  unmapped  ${shares}\n`);
    const text = readFileSync(file, "utf8").replaceAll("\n  //", "");
    expect(text).toContain(`have a value: ${shares}.`);
  });

  test("can be kept by removing the comment from a line", async () => {
    await init(rows);
    const text = readFileSync(file, "utf8").replace(/^ {2}\/\/ ("mapping")/m, "  $1");
    expect(parseJsonText(text, "").value).toMatchObject({ mapping: variant });
  });

  test("are in the JSON result, with the mapping that keeps the usual ones", async () => {
    const { survey } = JSON.parse(await init(rows, "--json")) as { readonly survey: object };
    expect(survey).toMatchObject({ unused: [{ field: "platform", filled: 1 }, {}, {}], variant });
  });

  test("are not mentioned if there are none", async () => {
    expect(await init([{}])).not.toContain("unmapped");
    expect(readFileSync(file, "utf8")).not.toContain("Not mapped");
  });
});
