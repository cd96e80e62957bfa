import { mkdirSync, rmSync, statSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { MIB, SNIFF_BYTES } from "../../src/base/limits.js";
import { discoverSources } from "../../src/sources/discovery.js";
import { openOptions, sampleBytes } from "../readers/scratch.js";
import { codesOf, contentOf, useDiscovery } from "./discovery-kit.js";
import { writeZip } from "./zip-writer.js";
import { skippableFrame, storedFrame, ZSTD_SAMPLE, ZSTD_SAMPLE_TEXT } from "./zstd-frames.js";

const { scratch, discover } = useDiscovery();
const text = ZSTD_SAMPLE_TEXT;

describe("files", () => {
  it("are recognized by their bytes, not by their names", async () => {
    const contents: Record<string, [Buffer, readonly string[]]> = {
      "plain.gz": [Buffer.from(text), []],
      "plain.br": [Buffer.from(text), []],
      "text.json": [gzipSync(text), ["gzip"]],
      "data.bin": [ZSTD_SAMPLE, ["zstd"]],
      "skippable.zst": [Buffer.concat([skippableFrame(Buffer.from("x")), ZSTD_SAMPLE]), ["zstd"]],
      "a.jsonl.br": [brotliCompressSync(text), ["brotli"]],
      "b.br": [gzipSync(text), ["gzip"]],
      "c.jsonl.br.gz": [gzipSync(brotliCompressSync(text)), ["gzip", "brotli"]],
      "d.gz": [gzipSync(storedFrame(gzipSync(text))), ["gzip", "zstd", "gzip"]],
    };
    for (const [name, [bytes]] of Object.entries(contents)) scratch.write(name, bytes);
    const { sources, failures, seen } = await discover(...Object.keys(contents));
    expect(failures).toEqual([]);
    for (const source of sources) {
      expect(source.codecs, source.name).toEqual(contents[source.name]?.[1]);
      expect(await contentOf(source), source.name).toBe(text);
      expect(source.size).toBe(statSync(source.path).size);
    }
    expect(sources.map(({ name }) => name)).toEqual(Object.keys(contents));
    expect(seen.every(({ head }) => head.toString() === text)).toBe(true);
  });

  it("of less than a codec's first bytes are truncated, not empty", async () => {
    scratch.write("a.json.gz", Buffer.from([0x1f]));
    scratch.write("b.json.zst", ZSTD_SAMPLE.subarray(0, 3));
    scratch.write("c.json.gz", "");
    const { sources, failures } = await discover("a.json.gz", "b.json.zst", "c.json.gz");
    expect(codesOf(failures)).toEqual({
      "a.json.gz": "source_truncated",
      "b.json.zst": "source_truncated",
    });
    expect(sources.map(({ name }) => name)).toEqual(["c.json.gz"]);
  });

  it("that are Parquet are recognized under any name, and can be read anywhere", async () => {
    for (const name of ["a.parquet", "b.parquet.zst", "c.parquet.gz", "d.parquet.br"]) {
      scratch.write(name, "PAR1\x15\x04\x15\x00 and so on PAR1");
      const { sources, seen } = await discover(name);
      expect(sources[0]?.codecs).toEqual([]);
      expect(seen[0]?.name).toBe(name);
    }
  });

  it("show the first SNIFF_BYTES of what is inside to the detection", async () => {
    const bytes = sampleBytes(3 * MIB);
    scratch.write("large", bytes);
    scratch.write("large.gz", gzipSync(bytes));
    scratch.write("large.zst", storedFrame(bytes));
    scratch.write("dense.gz", gzipSync(Buffer.alloc(60 * MIB, "[]\n")));
    const { seen } = await discover("large", "large.gz", "large.zst", "dense.gz");
    const shown = seen.sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(shown.map(({ head }) => head.length)).toEqual([1, 1, 1, 1].map(() => SNIFF_BYTES));
    for (const { head } of shown.slice(1)) {
      expect(head.equals(bytes.subarray(0, SNIFF_BYTES))).toBe(true);
    }
  });

  it("that are empty are sources without rows, also in archives and compressed", async () => {
    scratch.write("empty.csv", "");
    scratch.write("empty.gz", gzipSync(""));
    scratch.write("empty.zst", storedFrame(Buffer.alloc(0)));
    scratch.write("empty.br", brotliCompressSync(""));
    const { sources, failures, seen } = await discover(
      "empty.csv",
      "empty.gz",
      "empty.zst",
      "empty.br",
    );
    expect(failures).toEqual([]);
    expect(sources.map(({ format }) => format.kind)).toEqual([
      "ndjson",
      "ndjson",
      "ndjson",
      "ndjson",
    ]);
    expect(seen).toEqual([]);
    for (const source of sources) expect(await contentOf(source)).toBe("");
  });

  it("of other kinds are refused with what they are", async () => {
    const tar = Buffer.alloc(1024);
    tar.write("ustar", 257);
    const contents: Record<string, [Buffer, RegExp]> = {
      "a.tar": [tar, /damaged header/],
      "a.tgz": [gzipSync(tar), /damaged header/],
      "a.bz2": [Buffer.from("BZh91AY&SY\x00\x00", "latin1"), /bzip2/],
      "a.xz": [Buffer.from("fd377a585a000004", "hex"), /xz/],
      "a.7z": [Buffer.from("377abcaf271c0004", "hex"), /7-Zip/],
      "a.orc": [Buffer.from("ORC\x0a\x00\x01"), /ORC/],
      "a.sqlite": [Buffer.from("SQLite format 3\0"), /SQLite/],
      "a.xlsx": [writeZip([{ name: "[Content_Types].xml", data: "<x/>" }]), /office.*CSV/],
      "a.gz": [gzipSync(gzipSync(gzipSync(gzipSync(text)))), /more than 3 times/],
      "zip.gz": [gzipSync(writeZip([{ name: "a", data: text }])), /zip inside gzip.*Unpack/],
      "a.br": [Buffer.from([0xff, 0, 1, 2, 3, 4, 5, 6]), /brotli data/],
    };
    for (const [name, [bytes]] of Object.entries(contents)) scratch.write(name, bytes);
    const { sources, failures } = await discover(...Object.keys(contents));
    expect(sources).toEqual([]);
    expect(failures.map(({ name }) => name)).toEqual(Object.keys(contents));
    for (const { name, code, message } of failures) {
      expect(code).toMatch(/^source_/);
      expect(message).toMatch(contents[name]?.[1] ?? /$./);
      expect(message.startsWith(`${name}`)).toBe(true);
    }
  });

  it("that are texts are read as texts even if they begin like another format", async () => {
    const texts = ["ORC,id\n1,2\n", "PARENT,id\n", "numbers,DUCK\n", `${"x".repeat(257)}ustar\n`];
    for (const [index, content] of texts.entries()) scratch.write(`${index}.csv`, content);
    const { failures } = await discover("0.csv", "1.csv", "2.csv", "3.csv");
    expect(failures).toEqual([]);
  });

  it("that cannot be opened are failures, and the others are read", async () => {
    scratch.write("a.json", text);
    scratch.write("gone.json", text);
    rmSync(scratch.path("gone.json"));
    mkdirSync(scratch.path("directory"));
    scratch.write("cut.gz", gzipSync(text).subarray(0, 10));
    const { sources, failures } = await discover("gone.json", "a.json", "directory", "cut.gz");
    expect(sources.map(({ name }) => name)).toEqual(["a.json"]);
    expect(codesOf(failures)).toEqual({
      "gone.json": "source_missing",
      directory: "source_unreadable",
      "cut.gz": "source_truncated",
    });
  });

  it("that are cut off somewhere are sources, for the rows before the break", async () => {
    scratch.write("cut.gz", gzipSync(text).subarray(0, -9));
    scratch.write("large.gz", gzipSync(sampleBytes(5 * MIB)).subarray(0, -9));
    const { sources, failures, seen } = await discover("cut.gz", "large.gz");
    expect(failures).toEqual([]);
    expect(sources.map(({ name }) => name)).toEqual(["cut.gz", "large.gz"]);
    expect(seen.every(({ head }) => head.length > 0)).toBe(true);
  });

  it("end the discovery when it is aborted, with the reason", async () => {
    scratch.write("a.json", text);
    const files = [{ name: "a.json", path: scratch.path("a.json") }];
    const reason = new SourceError("interrupted", {}, "stopped");
    const signal = AbortSignal.abort(reason);
    const detect = () => ({ kind: "ndjson" }) as const;
    await expect(discoverSources(files, { ...openOptions, signal, detect })).rejects.toBe(reason);
  });

  it("let a bug in the detection through instead of blaming the file", async () => {
    scratch.write("a.json", text);
    const detect = () => {
      throw new TypeError("a bug");
    };
    const files = [{ name: "a.json", path: scratch.path("a.json") }];
    await expect(discoverSources(files, { ...openOptions, detect })).rejects.toThrow(TypeError);
  });
});
