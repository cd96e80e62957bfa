import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MIB } from "../../src/base/limits.js";
import { discoverSources } from "../../src/sources/discovery.js";
import { openSeekableFile } from "../../src/sources/seekable-file.js";
import type { SourceBytes } from "../../src/sources/source.js";
import { openOptions, sampleBytes, useScratchDirectory } from "../readers/scratch.js";
import { writeZip } from "./zip-writer.js";
import { repeatedFrame } from "./zstd-frames.js";

const scratch = useScratchDirectory();
const content = sampleBytes(3 * MIB);

function open(source: SourceBytes, options = {}) {
  const temporaryDirectory = scratch.path("temporary/deep");
  return openSeekableFile(source, { ...openOptions, temporaryDirectory, ...options });
}

function leftovers(): string[] {
  const path = scratch.path("temporary/deep");
  return existsSync(path) ? readdirSync(path) : [];
}

describe("a plain file", () => {
  it("is itself, and stays when it is closed", async () => {
    const source = scratch.source("a.parquet", content);
    const file = await open(source);
    expect(file).toMatchObject({ path: source.path, size: content.length });
    await file.close();
    expect(existsSync(source.path)).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it("must be the one of the plan", async () => {
    const source = scratch.source("a.parquet", content);
    appendFileSync(source.path, "x");
    await expect(open(source)).rejects.toMatchObject({ code: "source_changed" });
  });
});

describe("a source inside something", () => {
  it("is copied out, and the copy is removed when it is closed", async () => {
    scratch.write("a.zip", writeZip([{ name: "a.parquet", data: content, method: 0 }]));
    const detect = () => ({ kind: "parquet" }) as const;
    const files = [{ name: "a.zip", path: scratch.path("a.zip") }];
    const { sources } = await discoverSources(files, { ...openOptions, detect });
    const compressed = scratch.source("a.parquet.gz", gzipSync(content), ["gzip"]);
    for (const source of [...sources, compressed]) {
      const file = await open(source);
      expect(file.size).toBe(content.length);
      expect(readFileSync(file.path).equals(content)).toBe(true);
      expect(leftovers()).toHaveLength(1);
      await file.close();
      await file.close();
      expect(leftovers()).toEqual([]);
    }
    expect(sources).toHaveLength(1);
  });

  it("leaves no copy when it breaks, bursts or is aborted", async () => {
    const cut = scratch.source("cut.gz", gzipSync(content).subarray(0, -1), ["gzip"]);
    await expect(open(cut)).rejects.toMatchObject({ code: "source_truncated" });
    const bomb = scratch.source("bomb.zst", repeatedFrame(0, 2_200), ["zstd"]);
    await expect(open(bomb, { ratioMax: 2 })).rejects.toMatchObject({
      code: "source_ratio_exceeded",
    });
    const abort = new AbortController();
    const good = scratch.source("a.gz", gzipSync(content), ["gzip"]);
    const opening = open(good, { signal: abort.signal });
    abort.abort(new Error("stop it"));
    await expect(opening).rejects.toThrow("stop it");
    expect(leftovers()).toEqual([]);
  });

  it("that cannot be written says where", async () => {
    const blocked = scratch.write("blocked", "a file");
    const source = scratch.source("a.gz", gzipSync(content), ["gzip"]);
    await expect(open(source, { temporaryDirectory: blocked })).rejects.toMatchObject({
      code: "spool_failed",
      message: expect.stringContaining(blocked),
    });
  });
});
