import path from "node:path";
import { expect, test } from "vitest";
import {
  defaultText,
  describeOption,
  type OptionName,
  optionNames,
  replacementOf,
  withDefaults,
} from "../../src/options/option-names.js";

const directory = path.resolve("/somewhere");

test("every default is a value that its option accepts, and what help calls it", () => {
  const complete = withDefaults({}, directory);
  for (const name of optionNames) {
    const { type, default: value } = describeOption(name);
    if (value === undefined) continue;
    expect(complete[name], name).toBeDefined();
    expect(type.fromText(defaultText(name) ?? ""), name).toEqual(value);
  }
});

test("defaults have the types and units of the engine, and paths are absolute", () => {
  expect(withDefaults({}, directory)).toMatchObject({
    preset: "amplitude",
    maxRowSize: 16 * 1024 ** 2,
    sample: 1,
    maxRejects: { rows: 0 },
    fresh: false,
    timeout: 30,
    batchSize: 1,
    report: path.join(directory, "report"),
    runs: path.join(directory, ".switchyard/runs"),
  });
});

test("a value that was given replaces its default", () => {
  const given = { runs: "/elsewhere", json: "log", threads: 3 } as const;
  expect(withDefaults(given, directory)).toMatchObject(given);
});

test("no option has both a default value and other words for it", () => {
  const both = optionNames.filter((name: OptionName) => {
    const { default: value, otherwise } = describeOption(name);
    return value !== undefined && otherwise !== undefined;
  });
  expect(both).toEqual([]);
});

test("an option is replaced by one other, and is gone", () => {
  const replaced = optionNames.flatMap((name) =>
    (describeOption(name).replaces?.split(" ") ?? []).map((former) => [former, name] as const),
  );
  expect(replaced.length).toBeGreaterThan(10);
  for (const [former, name] of replaced) {
    expect(replacementOf(former), former).toBe(name);
    expect(optionNames, former).not.toContain(former);
  }
});

test("options are few enough to be read, each with one sentence", () => {
  expect(optionNames.length).toBeLessThanOrEqual(93);
  const long = optionNames.filter((name) => /[;.] /.test(describeOption(name).description));
  expect(long).toEqual([]);
});
