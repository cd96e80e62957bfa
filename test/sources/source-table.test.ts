import { expect, it } from "vitest";
import type { Source } from "../../src/sources/source.js";
import { plainSource, SourceTable } from "../../src/sources/source-table.js";

const sha256 = "0123456789abcdef".repeat(4);
const entry = {
  name: "ü/b.json",
  index: 3,
  localHeaderOffset: 5e9,
  compressedSize: 7,
  uncompressedSize: 70,
  method: 8,
  crc32: 4_294_967_295,
};

function sourceOf(name: string, path: string, more: Partial<Source> = {}): Source {
  const fingerprint = `{"size":1,"modifiedMs":1.5,"sha256":"${sha256}"}`;
  const format = { kind: "ndjson" } as const;
  return { name, path, codecs: [], size: 1, fingerprint, format, ...more };
}

const sources = [
  sourceOf("a/1.json", "/in/a/1.json"),
  sourceOf("a/é😀.json", "/in/a/é😀.json", { size: 2 ** 43, codecs: ["gzip", "zstd"] }),
  sourceOf("../b/2.json", "/in/b/2.json"),
  sourceOf("./3.json", "/in/3.json", { format: { kind: "json", arrayStart: 12 } }),
  sourceOf("s3://b/k", "s3://b/k", { fingerprint: '{"size":1,"etag":"\\"x\\""}' }),
  sourceOf("a.zip!ü/b.json", "/in/a.zip", { entry }),
  sourceOf("a.zip!p", "/in/a.zip", { entry, fingerprint: `{"size":1,"entry":"${sha256}"}` }),
  sourceOf("", "/", { fingerprint: "", size: 0 }),
  sourceOf("x".repeat(2_000_000), `/${"x".repeat(2_000_000)}`),
  sourceOf("s3://b/other", "s3://b/other", { sampled: true }),
  sourceOf("link.json", "/elsewhere/file.json"),
];

it("returns sources as they were added, as data and as JSON", () => {
  const table = new SourceTable();
  const kept = sources.map((source) => table.add(source));
  expect(kept.map(plainSource)).toEqual(sources);
  expect(JSON.parse(JSON.stringify(kept))).toEqual(sources);
});

it("keeps many sources of one directory apart", () => {
  const table = new SourceTable();
  const name = (index: number) => `in/${"d".repeat(index % 90)}/${index}.gz`;
  const kept = Array.from({ length: 20_000 }, (_, index) =>
    table.add(sourceOf(name(index), `/x/${name(index)}`, { size: index })),
  );
  const wrong = kept.findIndex(
    (source, index) =>
      source.name !== name(index) || source.path !== `/x/${name(index)}` || source.size !== index,
  );
  expect(wrong).toBe(-1);
});
