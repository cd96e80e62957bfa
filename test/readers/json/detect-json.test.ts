import { expect, test } from "vitest";
import { detectJson } from "../../../src/readers/json/detect-json.js";
import type { HeadExtent } from "../../../src/readers/source-head.js";

const kindOf = (text: string, extent: HeadExtent = "whole") => {
  const found = detectJson(Buffer.from(text), extent);
  return typeof found === "string" ? found : found.kind;
};

test.each([
  ['{"a":1}\n{"a":2}\n', "ndjson"],
  ['{"a":1}', "ndjson"],
  ['\ufeff{"a":1}\r\n{"a":2}\r\n', "ndjson"],
  ['\n\n{"a":1}\n', "ndjson"],
  ['{"a":\n{"a":2}\n', "ndjson"],
  ['log line\n{"a":1}\n{"a":2}\n', "ndjson"],
  ['{\n  "a": 1\n}\n', "json"],
  ['{\n  "tags": [\n    "x",\n    "y"\n  ]\n}\n', "json"],
  ['{\n  "tags": [\n    {"x": 1}\n  ]\n}\n', "json"],
  ['{\n"tags": [\n1\n]\n}\n', "json"],
  ['{\n  "a": 1\n}\n{}\n{\n  "a": 2\n}\n', "json"],
  ["{}\n{}\n", "ndjson"],
  ['{}\n{"a":1}\n', "ndjson"],
  ['{"a":1}{"a":2}', "json"],
  ['[{"a":1},\n{"a":2}]', "json"],
  [" [\n]", "json"],
  ['{"a":NaN}\n', "json"],
  ["a,b\n1,2\n3,4\n", "none"],
  ["1\n2\n3\n", "none"],
  ['"a","b"\n"1","2"\n', "none"],
  ["", "none"],
])("%j is %s", (text, kind) => {
  expect(kindOf(text)).toBe(kind);
});

test("a line that the head cuts off does not count", () => {
  expect(kindOf('{"a":1}\n{"a":', "limit")).toBe("ndjson");
  expect(kindOf('{"a":1,"b":', "limit")).toBe("json");
});

test("rejects are recognised by the content of each line", () => {
  const line = JSON.stringify({ source: "a", code: "b", raw: "{}", format: { kind: "ndjson" } });
  expect(kindOf(`${line}\n${line}\n`)).toBe("rejects");
  expect(kindOf(`${line}\n{"a":1}\n`)).toBe("ndjson");
});
