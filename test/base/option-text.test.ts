import { inspect } from "node:util";
import { expect, test } from "vitest";
import { SourceError, SwitchyardError } from "../../src/base/errors.js";
import { nameOptions, option, optionOff } from "../../src/base/option-text.js";

const text = `${option("dedupe")} needs ${option("maxRowSize")} 1MB or ${optionOff("insertId")}`;

test("options are named as flags, or by the names that programs pass", () => {
  expect(nameOptions(text)).toBe("--dedupe needs --max-row-size 1MB or --no-insert-id");
  expect(nameOptions(text, "names")).toBe("dedupe needs maxRowSize 1MB or insertId: false");
});

test("an error has flags in its message, and can be told in names", () => {
  const error = new SwitchyardError("some_code", text);
  expect(error.message).toBe(nameOptions(text));
  expect(error.toText("names")).toBe(nameOptions(text, "names"));
  expect(new SwitchyardError("other_code", error.toText()).toText("names")).toBe(
    error.toText("names"),
  );
});

test("an error that is reworded has its new words for every reader", () => {
  const error = new SwitchyardError("some_code", `/tmp/copy: ${text}`);
  error.reword((words) => words.replace("/tmp/copy", "s3://bucket"));
  expect(error.message).toBe(`s3://bucket: ${nameOptions(text)}`);
  expect(error.toText("names")).toBe(`s3://bucket: ${nameOptions(text, "names")}`);
  expect(inspect(error)).not.toContain("/tmp/copy");
});

test("nothing that is printed of an error has options without a name", () => {
  const first = new SourceError("some_code", {}, text);
  const source = new SourceError("some_code", { source: "a.csv" }, `${first.toReason()}.`);
  expect(source.reason).toBe(`${nameOptions(text)}.`);
  expect(source.message).toBe(`a.csv: ${source.reason}`);
  expect(inspect([source, new SwitchyardError("some_code", text)], { depth: 9 })).not.toMatch(
    /[\ufdd0\ufdd1]/,
  );
});
