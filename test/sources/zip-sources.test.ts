import { closeSync, openSync } from "node:fs";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { MIB, SNIFF_BYTES } from "../../src/base/limits.js";
import { openBytes } from "../../src/sources/open-bytes.js";
import type { ZipEntry } from "../../src/sources/source.js";
import { readZipDirectory } from "../../src/sources/zip-directory.js";
import { drain, openOptions, sampleBytes } from "../readers/scratch.js";
import { longTest } from "../support/long-test.js";
import { codesOf, contentOf, useDiscovery } from "./discovery-kit.js";
import { type EntryToWrite, writeZip } from "./zip-writer.js";
import { ZSTD_SAMPLE, ZSTD_SAMPLE_TEXT } from "./zstd-frames.js";

const { scratch, discover, discoverZip } = useDiscovery();
const text = ZSTD_SAMPLE_TEXT;

describe("zips", () => {
  const project: EntryToWrite[] = [
    { name: "187520/", data: "" },
    { name: "187520/187520_2026-01-31_17#0.json.gz", data: gzipSync(text), method: 0 },
    { name: "187520/187520 2026-01-31_18#1.json.gz", data: gzipSync("{}\n") },
    { name: "187520/plain.json", data: text },
    { name: "__MACOSX/._a.json", data: "x" },
    { name: "187520/.hidden", data: "x" },
    { name: "187520/empty.json", data: "", method: 0 },
  ];

  it.each([false, true])(
    "give their entries, without directories and hidden ones (zip64: %s)",
    async (zip64) => {
      const { sources, failures, leftOut } = await discoverZip(project, { zip64 });
      expect(failures).toEqual([]);
      expect(sources.map(({ name, codecs }) => [name, ...codecs])).toEqual([
        ["a.zip!187520/187520_2026-01-31_17#0.json.gz", "gzip"],
        ["a.zip!187520/187520 2026-01-31_18#1.json.gz", "gzip"],
        ["a.zip!187520/plain.json"],
        ["a.zip!187520/empty.json"],
      ]);
      expect(leftOut).toEqual([
        { name: "a.zip!__MACOSX/._a.json", kind: "desktop file" },
        { name: "a.zip!187520/.hidden", kind: "hidden name" },
      ]);
      expect(await Promise.all(sources.map(contentOf))).toEqual([text, "{}\n", text, ""]);
      expect(sources.map(({ entry }) => (entry as ZipEntry | undefined)?.index)).toEqual([
        1, 2, 3, 6,
      ]);
    },
  );

  it("give their data without what else is in the same archive", async () => {
    const names = ["README.txt", "a/LICENSE", "docs/schema.md", "SHA256SUMS.sha256"];
    const others = [...names, "manifest.json"];
    const entries = [
      ...[...names, "readme.json", "a.json", "b_manifest.json"].map((name) => ({
        name,
        data: text,
      })),
      { name: "manifest.json", data: '{"files": ["a.json"]}' },
    ];
    const { sources, failures, leftOut } = await discoverZip(entries);
    expect(failures).toEqual([]);
    const data = ["readme.json", "a.json", "b_manifest.json"];
    expect(sources.map(({ name }) => name)).toEqual(data.map((name) => `a.zip!${name}`));
    expect(new Set(leftOut.map(({ name }) => name))).toEqual(
      new Set(others.map((name) => `a.zip!${name}`)),
    );
    const alone = await discoverZip([{ name: "readme.txt", data: text }]);
    expect(alone.sources).toHaveLength(0);
  });

  it("are read with sizes that only the central directory has", async () => {
    const entries = project.map((entry) => ({ ...entry, streamed: true }));
    const { sources } = await discoverZip(entries);
    expect(await Promise.all(sources.map(contentOf))).toEqual([text, "{}\n", text, ""]);
  });

  it("may have zstd inside", async () => {
    const entry = { name: "a.json", data: text, method: 93, compressed: ZSTD_SAMPLE };
    const { sources } = await discoverZip([entry]);
    expect(await contentOf(sources[0])).toBe(text);
  });

  it("may be empty, and may hold a name twice", async () => {
    expect(await discoverZip([])).toMatchObject({ sources: [], failures: [] });
    const { sources } = await discoverZip([
      { name: "a", data: "1" },
      { name: "a", data: "2" },
    ]);
    expect(sources.map(({ name }) => name)).toEqual(["a.zip!a", "a.zip!a (2)"]);
    expect(await Promise.all(sources.map(contentOf))).toEqual(["1", "2"]);
  });

  it("with entries that are large give them whole, checked", async () => {
    const bytes = sampleBytes(3 * MIB);
    const entries = [
      { name: "stored", data: bytes, method: 0 },
      { name: "deflated", data: bytes },
      { name: "nested.gz", data: gzipSync(bytes), method: 0 },
    ];
    const { sources, seen } = await discoverZip(entries);
    for (const source of sources) {
      const opened = await openBytes(source, 0, openOptions);
      const drained = await drain(opened);
      expect(drained.error).toBeUndefined();
      expect(drained.bytes.equals(bytes)).toBe(true);
      expect(opened.consumed).toBe(source.size);
    }
    expect(seen.map(({ head }) => head.length)).toEqual([1, 1, 1].map(() => SNIFF_BYTES));
  });

  it("refuse single entries that are dangerous, locked or unknown, and give the others", async () => {
    const { sources, failures } = await discoverZip([
      { name: "good.json", data: text },
      { name: "../evil.json", data: text },
      { name: "a/../../evil.json", data: text },
      { name: "..\\evil.json", data: text },
      { name: "/etc/passwd", data: text },
      { name: "C:\\evil.json", data: text },
      { name: "nul\0.json", data: text },
      { name: "esc\x1b[2J.json", data: text },
      { name: "locked.json", data: text, flags: 1 },
      { name: "odd.json", method: 12, compressed: Buffer.from("abc"), uncompressedSize: 9 },
      { name: "inner.zip", data: writeZip([{ name: "a", data: text }]) },
    ]);
    expect(sources.map(({ name }) => name)).toEqual(["a.zip!good.json"]);
    expect(codesOf(failures)).toEqual({
      "a.zip!../evil.json": "source_name_unsafe",
      "a.zip!a/../../evil.json": "source_name_unsafe",
      "a.zip!/etc/passwd": "source_name_unsafe",
      "a.zip!C:/evil.json": "source_name_unsafe",
      "a.zip!nul\0.json": "source_name_unsafe",
      "a.zip!esc\x1b[2J.json": "source_name_unsafe",
      "a.zip!../evil.json (2)": "source_name_unsafe",
      "a.zip!locked.json": "source_encrypted",
      "a.zip!odd.json": "source_unsupported",
      "a.zip!inner.zip": "source_unsupported",
    });
    for (const { message } of failures) {
      expect(message).toContain("a.zip!");
      expect(message).not.toContain("\x1b");
    }
    expect(failures.find(({ name }) => name.includes("inner"))?.message).toMatch(
      /zip inside a zip.*Unpack/,
    );
  });

  it("cut off at any byte are failures that name them", async () => {
    const zip = writeZip(project.slice(3, 4));
    for (let end = 4; end < zip.length; end += 1) {
      scratch.write("cut.zip", zip.subarray(0, end));
      const { sources, failures } = await discover("cut.zip");
      expect(sources).toEqual([]);
      expect(codesOf(failures)).toEqual({ "cut.zip": "source_truncated" });
    }
  });

  it("that do not end with their last record are failures in our words", async () => {
    const zip = writeZip(project.slice(3, 4));
    scratch.write("padded.zip", Buffer.concat([zip, Buffer.alloc(9)]));
    const { failures } = await discover("padded.zip");
    expect(codesOf(failures)).toEqual({ "padded.zip": "source_corrupt" });
    expect(failures[0]?.message).toContain("bytes are missing or follow it");
  });

  it("after other bytes are read if their offsets count those, and fail otherwise", async () => {
    const prefix = Buffer.from("#!/bin/sh\n");
    const zip = writeZip([{ name: "a.json", data: text }]);
    scratch.write("shifted", Buffer.concat([prefix, zip]));
    const moved = Buffer.concat([prefix, zip]);
    const directory = moved.indexOf("PK\x01\x02", 0, "latin1");
    moved.writeUInt32LE(prefix.length, directory + 42);
    moved.writeUInt32LE(directory, moved.length - 6);
    scratch.write("moved", moved);
    const shifted = await discover("shifted");
    expect(codesOf(shifted.failures)).toEqual({ shifted: "source_corrupt" });
    const { sources, failures } = await discover("moved");
    expect(failures).toEqual([]);
    const [source] = sources;
    if (source === undefined) throw new Error("no source");
    const { bytes } = await drain(await openBytes(source, 0, openOptions));
    expect(bytes.toString()).toBe(text);
  });

  it("never pass damaged entries off as good ones, for damage anywhere", async () => {
    const zip = writeZip([{ name: "a.json", data: text }]);
    for (let index = 0; index < zip.length; index += 1) {
      const damaged = Buffer.from(zip);
      damaged.writeUInt8(damaged.readUInt8(index) ^ 0x2a, index);
      scratch.write("damaged.zip", damaged);
      const { sources, failures } = await discover("damaged.zip");
      for (const { code } of failures) expect(code).toMatch(/^source_/);
      for (const source of sources) {
        const { bytes, error } = await drain(
          await openBytes(source, 0, openOptions).catch((thrown) => ({
            consumed: 0,
            read: () => Promise.reject(thrown),
            close: async () => {},
          })),
        );
        if (error === undefined && source.path === source.entry?.name) throw new Error("no entry");
        if (error === undefined && source.codecs.length === 0 && source.entry !== undefined) {
          expect(bytes.toString(), `damage at ${index}`).toBe(text);
        }
        if (error !== undefined) expect(error).toBeInstanceOf(SourceError);
      }
    }
  });

  it("give every byte before the break of an entry", async () => {
    const bytes = sampleBytes(2 * MIB);
    const short = deflateRawSync(bytes).subarray(0, -5);
    const { sources } = await discoverZip([
      { name: "sum", data: bytes, crc32: 1 },
      { name: "less", data: bytes, uncompressedSize: bytes.length + 1 },
      { name: "more", data: bytes, uncompressedSize: 1_000_000 },
      { name: "cut", data: bytes, compressed: short },
      {
        name: "rest",
        data: bytes,
        compressed: Buffer.concat([deflateRawSync(bytes), Buffer.from("x")]),
      },
    ]);
    const results = await Promise.all(
      sources.map(async (source) => drain(await openBytes(source, 0, openOptions))),
    );
    expect(results.map(({ error }) => (error as SourceError).code)).toEqual([
      "source_corrupt",
      "source_corrupt",
      "source_corrupt",
      "source_truncated",
      "source_corrupt",
    ]);
    const lengths = results.map((result) => result.bytes.length);
    expect(lengths.slice(0, 3)).toEqual([bytes.length, bytes.length, 1_000_000]);
    expect(lengths[3]).toBeGreaterThan(bytes.length - 1_000);
    expect(lengths[4]).toBe(bytes.length);
    for (const result of results) {
      expect(bytes.subarray(0, result.bytes.length).equals(result.bytes)).toBe(true);
    }
  });

  it("do not pass over bytes that the directory does not know", async () => {
    const { sources } = await discoverZip([
      { name: "a", data: "abcdef", uncompressedSize: 3, crc32: crc32("abc") },
    ]);
    await expect(contentOf(sources[0])).rejects.toThrow(/byte 3: .*more bytes than the 3/);
  });

  it("whose entries overlap are refused", async () => {
    const zip = writeZip([
      { name: "a", data: sampleBytes(1_000), method: 0 },
      { name: "b", data: sampleBytes(1_000), method: 0 },
    ]);
    const second = zip.lastIndexOf(Buffer.from("PK\x01\x02"));
    zip.writeUInt32LE(10, second + 42);
    scratch.write("overlap.zip", zip);
    const { failures } = await discover("overlap.zip");
    expect(failures[0]?.message).toMatch(/overlap\.zip: the zip entry "b" overlaps/);
  });

  it("without zip64 are read whole although their 16-bit count wraps", () => {
    const entries = Array.from({ length: 65_539 }, (_, index) => ({ name: `${index}`, method: 0 }));
    for (const count of [65_536, 65_539]) {
      const path = scratch.write("a.zip", writeZip(entries.slice(0, count), { wrapped: true }));
      const descriptor = openSync(path, "r");
      expect(readZipDirectory("a.zip", descriptor)).toHaveLength(count);
      closeSync(descriptor);
    }
  });

  it("whose end record counts other entries than they have are damaged", async () => {
    for (const zip64 of [false, true]) {
      const zip = writeZip(project, { zip64 });
      const count = zip.length - (zip64 ? 22 + 20 + 56 - 32 : 12);
      for (const [index, told] of [0, 1, 5, 8, 200].entries()) {
        zip.writeUInt8(told, count);
        scratch.write(`${index}.zip`, zip);
        const { sources, failures } = await discover(`${index}.zip`);
        expect(sources, `${told}`).toEqual([]);
        expect(failures).toMatchObject([
          { code: "source_corrupt", message: expect.stringContaining("7 entries") },
        ]);
      }
    }
  });

  it("that were joined are damaged, and lose no entry in silence", async () => {
    for (const zip64 of [false, true]) {
      const one = writeZip([{ name: "a.json", data: text }], { zip64 });
      const other = writeZip([{ name: "b.json", data: text }], { zip64 });
      scratch.write("joined.zip", Buffer.concat([one, other]));
      const { sources, failures } = await discover("joined.zip");
      expect(sources).toEqual([]);
      expect(codesOf(failures)).toEqual({ "joined.zip": "source_corrupt" });
    }
  });

  it("over several files, or with strong encryption, are not supported", async () => {
    const last = writeZip(project);
    last.writeUInt16LE(2, last.length - 22 + 4);
    scratch.write("last.zip", last);
    const locator = writeZip(project, { zip64: true });
    locator.writeUInt32LE(3, locator.length - 22 - 4);
    scratch.write("locator.zip", locator);
    scratch.write("strong.zip", writeZip([{ name: "a.json", data: text, flags: 0x41 }]));
    const { failures } = await discover("last.zip", "locator.zip", "strong.zip");
    expect(codesOf(failures)).toEqual({
      "last.zip": "source_unsupported",
      "locator.zip": "source_unsupported",
      "strong.zip": "source_unsupported",
    });
  });

  longTest("are read once for 70,000 entries", async () => {
    const line = Buffer.from("{}\n");
    const entries = Array.from({ length: 70_000 }, (_, index) => ({
      name: `p/${index}.json`,
      data: line,
      method: 0,
    }));
    const { sources, failures } = await discoverZip(entries);
    expect(failures).toEqual([]);
    expect(sources).toHaveLength(70_000);
    expect(await contentOf(sources[69_999])).toBe("{}\n");
  });
});
