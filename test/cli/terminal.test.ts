import { expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { fakeContext } from "../support/fake-context.js";

test("prints in colour with FORCE_COLOR where there is no terminal, unless --no-color is given", async () => {
  const environment = { FORCE_COLOR: "1", TERM: "dumb" };
  const { context, stdout } = fakeContext({}, { environment });
  await runCommandLine(["export", "a", "--to", "o"], context);
  expect(stdout.join("")).toContain("\u001b[1mExported");
  const plain = fakeContext({}, { environment });
  await runCommandLine(["export", "a", "--to", "o", "--no-color"], plain.context);
  expect(plain.stdout.join("")).not.toContain("\u001b[");
});

test.each([40, 60, 80, 120])("wraps the summary at %d columns of a terminal", async (columns) => {
  const text: string[] = [];
  const stdout = { write: (part: string) => text.push(part), isTTY: true, columns };
  const { context } = fakeContext({}, { environment: { NO_COLOR: "1" }, stdout });
  await runCommandLine(["export", "a", "--to", "o"], context);
  const long = text
    .join("")
    .split("\n")
    .filter((line) => line.length > columns);
  expect(long).toEqual([]);
});

test.each([
  ["--json export a --to o", "done"],
  ["--no-color --json export a --to o", "done"],
  ["--quiet --json=log export a --to o", "done"],
  ["export --json a --to o", "done"],
])("takes options before the command: %s", async (line, outcome) => {
  const { context, stdout } = fakeContext();
  expect(await runCommandLine(line.split(" "), context)).toBe(0);
  expect(JSON.parse(stdout.join(""))).toMatchObject({ command: "export", outcome });
});

test("takes --quiet and --config before the command, and reports unknown commands behind options", async () => {
  const quiet = fakeContext();
  expect(await runCommandLine(["--quiet", "export", "a", "--to", "o"], quiet.context)).toBe(0);
  expect(quiet.stdout).toEqual([]);
  const missing = fakeContext();
  const words = ["--config", "none.json", "--json", "export", "a", "--to", "o"];
  expect(await runCommandLine(words, missing.context)).toBe(2);
  expect(JSON.parse(missing.stdout.join("")).error.message).toContain("none.json");
  const unknown = fakeContext();
  expect(await runCommandLine(["--json", "exprot", "a"], unknown.context)).toBe(2);
  expect(JSON.parse(unknown.stdout.join("")).error.message).toContain("exprot");
  const listing = fakeContext();
  const keys = ["--json", "keys", "list", "--data", "/nowhere/at/all"];
  expect(await runCommandLine(keys, listing.context)).toBe(2);
  expect(JSON.parse(listing.stdout.join("")).error.code).toBe("data_missing");
});
