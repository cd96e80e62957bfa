import { expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { usualOptions } from "../../src/commands/command-options.js";
import { describeOption, flagOf, optionNames } from "../../src/options/option-names.js";
import { fakeContext } from "../support/fake-context.js";

const commandNames =
  `fetch,init,validate,export,send,doctor,runs,verify,ready,compact,qualify,migrate,worker,load-sql,
  serve,check-data,backup,restore,console,console audit,console export,console import,keys,keys create,keys list,keys revoke,completion`.split(
    /,\s*/,
  );

async function helpOf(command: string): Promise<string> {
  const { context, stdout } = fakeContext();
  const words = [...command.split(" "), "--help"].filter(Boolean);
  expect(await runCommandLine(words, context)).toBe(0);
  return stdout.join("");
}

test("help of the commands that have options shows every flag of the table", async () => {
  const { context, stdout } = fakeContext();
  for (const command of [
    "fetch",
    "validate",
    "export",
    "send",
    "qualify",
    "verify",
    "ready",
    "serve",
  ]) {
    await runCommandLine([command, "--help"], context);
  }
  const text = stdout.join("").replace(/--no-(color|insert-id)/g, "--$1");
  const missing = optionNames.filter((name) => !text.includes(`${flagOf(name)} `));
  expect(missing.filter((name) => describeOption(name).flag !== false)).toEqual([]);
});

test.each(["", "help", ...commandNames])("the help of %j fits 80 columns", async (name) => {
  const lines = (await helpOf(name)).split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test.each(Object.keys(usualOptions))(
  "%s -h is one screen of usual options with an example, and tells of --help",
  async (command) => {
    const { context, stdout } = fakeContext();
    expect(await runCommandLine([command, "-h"], context)).toBe(0);
    const lines = stdout.join("").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(45);
    const shown = lines.flatMap((line) => /^ {2}(--[a-z-]+)/.exec(line)?.[1] ?? []);
    const usual = (usualOptions[command] ?? []).map(flagOf);
    const own = command === "migrate" ? ["--open"] : [];
    expect([...shown].sort()).toEqual([...usual, ...own, "--config"].sort());
    expect(shown.length).toBeLessThanOrEqual(16);
    const example = lines.slice(lines.indexOf("Example:"));
    expect(example[1]).toMatch(new RegExp(`^ {2}\\$ switchyard ${command}`));
    expect(example.at(-1)).toMatch(/^--help has all \d+ options/);
    const all = await helpOf(command);
    expect(usual.filter((flag) => !all.includes(`  ${flag} `))).toEqual([]);
    expect(all).toContain(example[1]);
  },
);

test.each(commandNames.filter((name) => usualOptions[name] === undefined))(
  "%s -h is its whole help",
  async (command) => {
    const { context, stdout } = fakeContext();
    expect(await runCommandLine([...command.split(" "), "-h"], context)).toBe(0);
    expect(stdout.join("")).toBe(await helpOf(command));
  },
);

test.each(commandNames)("the help of %j lists the exit codes", async (name) => {
  expect(await helpOf(name)).toMatch(/^Exit codes: 0 (?:.|\n)+[.]$/m);
});

test("no help describes an option as that of another command", async () => {
  expect(await helpOf("worker")).not.toMatch(/distributes\s+the\s+splits/);
  expect(await helpOf("export")).toMatch(/distributes\s+the\s+splits/);
  for (const command of ["check-data", "keys list"])
    expect(await helpOf(command)).not.toContain(":memory:");
  expect(await helpOf("keys create")).toContain("API that the key opens: console, server");
  expect(await helpOf("keys create")).toContain("keys create --kind <kind> [options]");
  expect(await helpOf("keys")).not.toContain("display help");
});

test("--require-fields fails if no row has a value, and says so", async () => {
  expect((await helpOf("export")).replaceAll(/\s+/g, " ")).toContain(
    "has no value in any row, or in any row of a source",
  );
});

test("help of export has only --table-log, that of migrate also the table of qualify", async () => {
  expect(await helpOf("export")).not.toContain("--table ");
  expect(await helpOf("export")).toContain("--table-log <format>");
  expect(await helpOf("migrate")).toContain("--table-log <format>");
  expect(await helpOf("migrate")).toContain("--table <table>");
});

test("help of fetch has its own options under their own heading", async () => {
  const own = /^Fetching:\n(.*?)\n\n/ms.exec(await helpOf("fetch"))?.[1] ?? "";
  expect(own.match(/--[a-z]+/g)?.join(" ")).toBe(
    "--from --until --recheck --region --project --host",
  );
  expect(await helpOf("fetch")).not.toContain("Privacy:");
});

test("help of serve has all keys that it makes and all exit codes", async () => {
  const text = (await helpOf("serve")).replaceAll("\n", " ");
  expect(text).toContain("creates a console key, a server secret and a client key");
  expect(/Exit codes:.*/.exec(text)?.[0].match(/\d+/g)).toEqual(["0", "1", "2", "4", "130"]);
});

test("help has the required option first, then the others in groups", async () => {
  const { context, stdout } = fakeContext();
  await runCommandLine(["help", "export"], context);
  const heads = stdout.join("").match(/^[A-Z].*:$/gm);
  expect(heads?.slice(0, 9)).toEqual([
    "Arguments:",
    "Required, here or in the configuration:",
    "Inputs:",
    "Mapping:",
    "Filters:",
    "Privacy:",
    "Output:",
    "Machine:",
    "General:",
  ]);
});
