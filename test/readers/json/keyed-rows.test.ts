import { expect, test } from "vitest";
import { omitUndefined } from "../../../src/base/omit-undefined.js";
import { detectJson } from "../../../src/readers/json/detect-json.js";
import { KeyedBytes } from "../../../src/readers/json/keyed-bytes.js";
import type { HeadExtent } from "../../../src/sources/source-head.js";
import { deliverBytes } from "../conformance.js";

const fields = new Set(["event", "time", "user_id"]);

function detect(text: string, extent: HeadExtent = "whole", rowFields = fields) {
  return detectJson(Buffer.from(text), extent, rowFields);
}

const row = (event: string) => `{"event":"${event}","time":1,"p":{"a":[{"event":1}]}}`;
const keyed = `{"k1":${row("a")}, "k2":${row("b")},"k3":${row("c")}}`;
const at = (start: number, isMember = false) => ({
  kind: "json",
  keyed: { start, isMember },
});

test.each([
  [keyed, 1],
  [`\ufeff\n ${keyed}\n`, 6],
  [JSON.stringify(JSON.parse(keyed), null, 2), 1],
  [`{"k1":${row("a")},"k2":${row("b")}}`, 1],
  // No field is mapped, but the members are alike.
  ['{"a":{"x":1,"y":2},"b":{"y":1,"x":2},"c":{"x":1,"y":3}}', 1],
  // Two files that were joined.
  [`${keyed}\n${keyed}`, 1],
])("%j has rows by their keys", (text, start) => {
  expect(detect(text)).toEqual(at(start));
});

test("rows by their keys may be in a member of an object", () => {
  const before = '{"status":{"n":1},"data":';
  expect(detect(`${before}${keyed},"next":null}`)).toEqual(at(before.length + 1, true));
});

test.each([
  ['{"event":"buy","time":1,"p":{"a":{"x":1},"b":{"x":1},"c":{"x":1}}}', "ndjson"],
  ['{"event":{"name":"a"},"user":{"name":"b"},"device":{"name":"c"}}', "ndjson"],
  ['{"before":{"x":1},"after":{"x":2}}', "ndjson"],
  ['{"user":{"plan":1},"context":{"page":1},"geo":{"city":1}}', "ndjson"],
  [`{"k1":${row("a")},"n":1}`, "ndjson"],
  ['{"a":{"x":1},"b":{"x":1},"c":{"x":1}}\n{"a":{"x":1},"b":{"x":1},"c":{"x":1}}\n', "ndjson"],
])("%j is a row, though its members are objects", (text, kind) => {
  expect(detect(text)).toEqual({ kind });
});

test("a first row that the head cuts off has the fields of a row", () => {
  const long = `{"k1":{"event":"a","text":"${"x".repeat(100)}`;
  expect(detect(long, "limit")).toEqual(at(1));
  expect(detect(long, "part")).toBe("undecided");
  expect(detect(`{"p":{"text":"${"x".repeat(100)}`, "limit")).toEqual({ kind: "json" });
  expect(
    detect(`{"p":{"event":"a","text":"${"x".repeat(100)}`, "limit", new Set(["p", "event"])),
  ).toEqual({ kind: "json" });
});

async function rewrite(text: string, chunk: number, isMember = false) {
  const start = text.indexOf("{", isMember ? 1 : 0) + 1;
  const source = deliverBytes(Buffer.from(text), 0, { chunks: [chunk] });
  const bytes = new KeyedBytes(source, { start, isMember }, "a.json");
  const read: Buffer[] = [];
  let error: string | undefined;
  try {
    for (;;) {
      const target = Buffer.alloc(chunk);
      const count = await bytes.read(target);
      if (count === 0) break;
      read.push(target.subarray(0, count));
    }
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  const rows = Buffer.concat(read).toString();
  return { rows, ...omitUndefined({ error }) };
}

test.each([
  ["{}", ""],
  ['{ "a" : {} }', '{"$key":"a"}\n'],
  [
    '{"a\\"}":{ "x": "}\\"]" },\n"b": {"y":{"z":[{}]}}}',
    '{"$key":"a\\"}","x": "}\\"]" }\n{"$key":"b","y":{"z":[{}]}}\n',
  ],
  ['{"a":{"x":1}}\n {"b":{"$key":2}}', '{"$key":"a","x":1}\n{"$key":"b","$key":2}\n'],
  ['{"a":1,"b":[{"c":2}],"c":"}","d":null}', '1\n[{"c":2}]\n"}"\nnull\n'],
])("%j becomes a row a line", async (text, rows) => {
  for (const chunk of [1, 3, 4096]) expect(await rewrite(text, chunk)).toEqual({ rows });
});

test("members after the rows are checked", async () => {
  const text = (rest: string) => `{"data":{"a":{"x":1}}${rest}`;
  const rows = '{"$key":"a","x":1}\n';
  expect(await rewrite(text(',"next":{"n":1}}\n'), 7, true)).toEqual({ rows });
  const more = ',"more":{"a":{},"b":{},"c":{}}}';
  for (const [rest, error] of [
    [more, /followed by more, in "more"/],
    [`,"t":"${"x".repeat(5_000)}"}`, /more than a few members follow/],
    ["", /ends before the object around the rows/],
  ] as const) {
    expect(await rewrite(text(rest), 7, true)).toEqual({
      rows,
      error: expect.stringMatching(error),
    });
  }
});

test("an object that is cut off or not valid gives its whole rows, then an error", async () => {
  const rows = '{"$key":"a","x":1}\n';
  expect(await rewrite('{"a":{"x":1}', 4096)).toEqual({
    rows,
    error: expect.stringMatching(/the object around the rows stops in the middle/),
  });
  expect(await rewrite('{"a":{"x":1},b', 4096)).toEqual({
    rows,
    error: expect.stringMatching(/byte 13.*not valid JSON/),
  });
});
