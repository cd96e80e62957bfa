import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { someOf } from "../support/property-runs.js";
import { scratchDirectory } from "../support/scratch.js";

const root = fileURLToPath(new URL("../../examples/", import.meta.url));
const names = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Text of each day of an export. */
function daysOf(events: string): Record<string, string> {
  const days = readdirSync(events).sort();
  return Object.fromEntries(
    days.map((day) => {
      const parts = readdirSync(join(events, day)).sort();
      return [day, parts.map((part) => readFileSync(join(events, day, part), "utf8")).join("")];
    }),
  );
}

test.each(someOf(names, 2))("the example %s migrates to the files that it shows", async (name) => {
  const directory = join(scratchDirectory("example"), name);
  cpSync(join(root, name), directory, { recursive: true });
  const result = await runInProcess(["migrate"], { cwd: directory });
  expect(result).toMatchObject({ exitCode: 0 });
  const days = daysOf(join(directory, "out/events"));
  const expected = join(root, name, "expected");
  if (process.env["SWITCHYARD_UPDATE_GOLDEN"] === "1") {
    mkdirSync(expected, { recursive: true });
    for (const [day, text] of Object.entries(days))
      writeFileSync(join(expected, `${day}.jsonl`), text);
  }
  expect(days).toEqual(
    Object.fromEntries(
      readdirSync(expected).map((file) => [
        file.replace(".jsonl", ""),
        readFileSync(join(expected, file), "utf8"),
      ]),
    ),
  );
  const said = readFileSync(join(root, name, "README.md"), "utf8");
  const [, delivered] = /\bdelivers (\d+)\b/.exec(said) ?? [];
  expect(result.stdout).toMatch(new RegExp(`\\b${delivered} delivered`));
});

test("each example is listed, with the files that make it complete", () => {
  const index = readFileSync(join(root, "README.md"), "utf8");
  for (const name of names) {
    expect(index).toContain(`(${name}/README.md)`);
    for (const file of ["README.md", "pipeline.config.json", "in", "expected"]) {
      expect(existsSync(join(root, name, file))).toBe(true);
    }
  }
});
