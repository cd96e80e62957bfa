import {
  appendFileSync,
  existsSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MIB } from "../../src/base/limits.js";
import { openBytes } from "../../src/sources/open-bytes.js";
import type { Codec } from "../../src/sources/source.js";
import { drain, openOptions, sampleBytes, useScratchDirectory } from "../readers/scratch.js";

const scratch = useScratchDirectory();

describe("a file that is not the one of the plan", () => {
  it("is missing", async () => {
    const source = scratch.source("gone.jsonl", "abc");
    rmSync(source.path);
    await expect(openBytes(source, 0, openOptions)).rejects.toMatchObject({
      code: "source_missing",
      message: expect.stringContaining("gone.jsonl"),
    });
  });

  it("has another size or time when it is opened", async () => {
    const source = scratch.source("a.jsonl", "abc");
    appendFileSync(source.path, "d");
    await expect(openBytes(source, 0, openOptions)).rejects.toMatchObject({
      code: "source_changed",
      message: expect.stringContaining("size 3 → 4 bytes"),
    });
    const touched = scratch.source("b.jsonl", "abc");
    utimesSync(touched.path, 1, 1);
    await expect(openBytes(touched, 0, openOptions)).rejects.toMatchObject({
      code: "source_changed",
      message: expect.stringContaining("modified"),
    });
  });

  it("shrinks while it is read", async () => {
    const source = scratch.source("a.jsonl", sampleBytes(100_000));
    const opened = await openBytes(source, 0, openOptions);
    await opened.read(new Uint8Array(10));
    truncateSync(source.path, 50);
    const { bytes, error } = await drain(opened);
    expect(error).toMatchObject({ code: "source_changed" });
    expect(bytes.length).toBe(40);
  });

  it("is rewritten while it is read", async () => {
    const content = sampleBytes(100_000);
    const source = scratch.source("a.jsonl", content);
    const opened = await openBytes(source, 0, openOptions);
    await opened.read(new Uint8Array(10));
    writeFileSync(source.path, content.reverse());
    utimesSync(source.path, 1, 1);
    expect((await drain(opened)).error).toMatchObject({ code: "source_changed" });
  });

  it("shrinks below a decoder", async () => {
    const source = scratch.source("a.gz", gzipSync(sampleBytes(4 * MIB)), ["gzip"]);
    const opened = await openBytes(source, 0, openOptions);
    await opened.read(new Uint8Array(10));
    truncateSync(source.path, 200_000);
    expect((await drain(opened)).error).toMatchObject({ code: "source_changed" });
  });
});

describe.skipIf(!existsSync("/proc/self/fd"))("open files", () => {
  it("are none, however the reading ends", async () => {
    const read = async (content: Uint8Array, codecs: readonly Codec[]) =>
      drain(await openBytes(scratch.source("input", content, codecs), 0, openOptions));
    const before = openDescriptors();
    const content = gzipSync(sampleBytes(2 * MIB));
    await read(content, ["gzip"]);
    await read(content.subarray(0, -1), ["gzip"]);
    await read(Buffer.concat([content, Buffer.from("x")]), ["gzip"]);
    await read(Buffer.from("no zstd"), ["zstd"]);
    const early = await openBytes(scratch.source("early", content, ["gzip"]), 0, openOptions);
    await early.read(new Uint8Array(1));
    await early.close();
    await early.close();
    expect(openDescriptors()).toBe(before);
  });
});

function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
