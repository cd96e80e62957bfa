import path from "node:path";
import { expect, test } from "vitest";
import {
  defaultText,
  describeOption,
  type OptionName,
  optionNames,
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
  const given = { runs: "/elsewhere", json: true, threads: 3 };
  expect(withDefaults(given, directory)).toMatchObject(given);
});

test("no option has both a default value and other words for it", () => {
  const both = optionNames.filter((name: OptionName) => {
    const { default: value, otherwise } = describeOption(name);
    return value !== undefined && otherwise !== undefined;
  });
  expect(both).toEqual([]);
});
