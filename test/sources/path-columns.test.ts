import { expect, test } from "vitest";
import { isPathField, pathColumnsOf, pathValuesOf } from "../../src/sources/path-columns.js";

const entry = (name: string) => ({
  name,
  index: 0,
  localHeaderOffset: 0,
  compressedSize: 0,
  uncompressedSize: 0,
  method: 0,
  crc32: 0,
});

test.each<readonly [string, string | undefined, Readonly<Record<string, string | null>>]>([
  ["in/a.json", undefined, {}],
  ["in/dt=2026-01-13/event=open/a.json", undefined, { dt: "2026-01-13", event: "open" }],
  ["s3://b/dt=2026-01-13/a.parquet", undefined, { dt: "2026-01-13" }],
  ["event=a%20b%2Fc%3Dd/x", undefined, { event: "a b/c=d" }],
  ["event=50%/x", undefined, { event: "50%" }],
  ["event=50%25%E4/x", undefined, { event: "50%%E4" }],
  ["event=caf%C3%A9/x", undefined, { event: "café" }],
  ["my%20name=1/x", undefined, { "my name": "1" }],
  ["event=__HIVE_DEFAULT_PARTITION__/dt=/x", undefined, { event: null, dt: null }],
  ["a=1=2/x", undefined, { a: "1=2" }],
  ["a=1/b/a=2/x", undefined, { a: "2" }],
  ["=1/x", undefined, {}],
  ["in/dt=2026.json", undefined, {}],
  ["dt=1/in.zip!event=open/a.json", "event=open/a.json", { dt: "1", event: "open" }],
  ["dt=1/in.zip!event=open/a (2)", "event=open/a", { dt: "1", event: "open" }],
  ["event=hey!/a.json", undefined, { event: "hey!" }],
  ["in.zip!event=open/a.json", undefined, { event: "open" }],
])("%s", (name, inside, columns) => {
  const found = pathColumnsOf(inside === undefined ? { name } : { name, entry: entry(inside) });
  expect(Object.fromEntries(found)).toEqual(columns);
});

test("a field of the path has two steps", () => {
  const fields = [["path", "dt"], ["path"], ["dt"], ["a", "path"], ["path", "a", "b"]];
  expect(fields.map((path) => isPathField({ path }))).toEqual([true, false, false, false, false]);
});

test.each<readonly [string, string | undefined, string | null]>([
  ["sync_1/tea_ordered/a.avro", undefined, "tea_ordered"],
  ["s3://b/page%20views/a.avro", undefined, "page views"],
  ["in.zip!pageviews/a.avro", "pageviews/a.avro", "pageviews"],
  ["a.avro", undefined, null],
  ["./a.avro", undefined, null],
  ["../a.avro", undefined, null],
])("the directory of %s", (name, inside, directory) => {
  const found = pathValuesOf(inside === undefined ? { name } : { name, entry: entry(inside) });
  expect(found.get("$directory")).toBe(directory);
});
