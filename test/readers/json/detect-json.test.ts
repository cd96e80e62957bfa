import { expect, test } from "vitest";
import { detectJson } from "../../../src/readers/json/detect-json.js";
import type { HeadExtent } from "../../../src/sources/source-head.js";

const kindOf = (text: string, extent: HeadExtent = "whole") => {
  const found = detectJson(Buffer.from(text), extent, new Set(["event", "time"]));
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

const rows = '[{"event":"a","time":1},{"event":"b","time":2}]';

test.each([
  [`{"events":${rows}}`, 11],
  [`\ufeff {"next":null,"data":\n ${rows},"page":{"n":1}}\n`, 27],
  [`{"note":"\\"[{","events":${rows}}`, 25],
  [`{\n"events": [\n{"event":"a"},\n{"event":"b"}\n]\n}\n`, 13],
])("%j has its rows in an array", (text, arrayStart) => {
  const fields = new Set(["event", "time"]);
  expect(detectJson(Buffer.from(text), "whole", fields)).toEqual({ kind: "json", arrayStart });
});

test.each([
  ['{"event":"buy","time":1,"items":[{"sku":1}]}\n', "ndjson"],
  ['{"event":"buy","time":1,"items":[{"event":"x","time":2}]}', "ndjson"],
  [`{"events":${rows}}\n{"events":${rows}}\n`, "ndjson"],
  [`{"events":${rows},"other":[{}]}`, "ndjson"],
  ['{"list":[{"sku":1}]}', "ndjson"],
  ['{"list":[{"in":{"event":"a","time":1}}]}', "ndjson"],
  ['{"list":[{"sku":1},{"event":"a","time":1}]}', "ndjson"],
  ['{"events":[]}', "ndjson"],
])("%j is a row, though it may hold objects in an array", (text, kind) => {
  expect(kindOf(text)).toBe(kind);
});

test("an array in an object that the head cuts off has the rows if its first row shows it", () => {
  const cut = `{"events":${rows}`.slice(0, -5);
  const found = detectJson(Buffer.from(cut), "limit", new Set(["event"]));
  expect(found).toEqual({ kind: "json", arrayStart: 11 });
  expect(kindOf(cut, "part")).toBe("undecided");
  expect(kindOf('{"events":[{"event":', "limit")).toBe("json");
  const long = `{"events":[{"event":"a","items":[{"event":"b"}],"text":"${"x".repeat(50)}`;
  expect(detectJson(Buffer.from(long), "limit", new Set(["event"]))).toEqual(found);
  expect(detectJson(Buffer.from(long), "limit", new Set(["more"]))).toEqual({ kind: "json" });
});
