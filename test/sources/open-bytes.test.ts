import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { DECOMPRESSION_RATIO_FLOOR_BYTES, MIB } from "../../src/base/limits.js";
import { openBytes } from "../../src/sources/open-bytes.js";
import type { Codec } from "../../src/sources/source.js";
import { drain, openOptions, sampleBytes, useScratchDirectory } from "../readers/scratch.js";
import { longTest } from "../support/long-test.js";
import {
  repeatedFrame,
  skippableFrame,
  storedFrame,
  ZSTD_SAMPLE,
  ZSTD_SAMPLE_TEXT,
} from "./zstd-frames.js";

const scratch = useScratchDirectory();
const small = Buffer.from(ZSTD_SAMPLE_TEXT);

/** For each codec: the same small text and how to compress more. */
const encodings: readonly [Codec, Buffer, (data: Buffer) => Buffer][] = [
  ["gzip", gzipSync(small), (data) => gzipSync(data)],
  ["brotli", brotliCompressSync(small), (data) => brotliCompressSync(data, { params: { 1: 4 } })],
  ["zstd", ZSTD_SAMPLE, storedFrame],
];

async function read(content: Uint8Array, codecs: readonly Codec[], size?: number) {
  const source = scratch.source("input", content, codecs);
  return drain(await openBytes(source, 0, openOptions), size);
}

describe("a plain file", () => {
  it("is read from the requested byte, into memory of any size", async () => {
    const content = sampleBytes(300_000);
    const source = scratch.source("a.jsonl", content);
    for (const [start, size] of [
      [0, 1_000_000],
      [1, 4_096],
      [299_999, 7],
      [300_000, 10],
    ] as const) {
      const { bytes, error } = await drain(await openBytes(source, start, openOptions), size);
      expect(error).toBeUndefined();
      expect(bytes.equals(content.subarray(start))).toBe(true);
    }
  });

  it("is read at once, without a promise for each read", async () => {
    const bytes = await openBytes(scratch.source("a", "abc"), 0, openOptions);
    expect(bytes.read(new Uint8Array(2))).toBe(2);
    expect(bytes.consumed).toBe(2);
    await bytes.close();
  });
});

describe.each(encodings)("%s", (codec, encoded, encode) => {
  it("gives the bytes back, also one at a time", async () => {
    for (const size of [1, 3, 65_536]) {
      const { bytes, error } = await read(encoded, [codec], size);
      expect(error).toBeUndefined();
      expect(bytes.toString()).toBe(ZSTD_SAMPLE_TEXT);
    }
  });

  it("gives megabytes back, and has consumed the whole file then", async () => {
    const content = sampleBytes(5 * MIB);
    const source = scratch.source("input", encode(content), [codec]);
    const opened = await openBytes(source, 0, openOptions);
    const { bytes, error } = await drain(opened);
    expect(error).toBeUndefined();
    expect(bytes.equals(content)).toBe(true);
    expect(opened.consumed).toBe(source.size);
  });

  it("is skipped forward to a start", async () => {
    const source = scratch.source("input", encoded, [codec]);
    const { bytes } = await drain(await openBytes(source, 10, openOptions));
    expect(bytes.toString()).toBe(ZSTD_SAMPLE_TEXT.slice(10));
  });

  it("gives a beginning and source_truncated when cut at any byte", async () => {
    let longest = 0;
    for (let end = 1; end < encoded.length; end += 1) {
      const { bytes, error } = await read(encoded.subarray(0, end), [codec], 7);
      expect(error, `cut at ${end}`).toMatchObject({ code: "source_truncated" });
      expect((error as SourceError).message).toMatch(
        /^input, byte \d+: the .* stops in the middle/,
      );
      expect(ZSTD_SAMPLE_TEXT.startsWith(bytes.toString())).toBe(true);
      longest = Math.max(longest, bytes.length);
    }
    expect(longest).toBeGreaterThan(codec === "brotli" ? 200 : ZSTD_SAMPLE_TEXT.length - 1);
  });

  it("gives all but the last bytes of a long stream that is cut", async () => {
    const content = sampleBytes(3 * MIB);
    const encodedContent = encode(content);
    const { bytes, error } = await read(encodedContent.subarray(0, -10), [codec]);
    expect(error).toMatchObject({ code: "source_truncated", position: { byte: bytes.length } });
    expect(bytes.length).toBeGreaterThan(content.length - 200_000);
    expect(content.subarray(0, bytes.length).equals(bytes)).toBe(true);
  });

  it("never takes damage for the truth", async () => {
    for (let index = 0; index < encoded.length; index += 1) {
      const damaged = Buffer.from(encoded);
      damaged.writeUInt8(damaged.readUInt8(index) ^ 0x55, index);
      const { bytes, error } = await read(damaged, [codec]);
      // Brotli has no checksum; the other two have, and flags and names that do not matter.
      if (codec !== "brotli" && error === undefined)
        expect(bytes.toString()).toBe(ZSTD_SAMPLE_TEXT);
      if (error !== undefined) expect(error).toBeInstanceOf(SourceError);
    }
  });

  it("refuses bytes after the end", async () => {
    for (const rest of ["x", "trailing garbage", "\0\0\0x"]) {
      const { bytes, error } = await read(Buffer.concat([encoded, Buffer.from(rest)]), [codec]);
      expect(error).toBeInstanceOf(SourceError);
      expect(bytes.toString()).toBe(ZSTD_SAMPLE_TEXT);
    }
  });

  longTest(
    "stops a bomb at the ratio, whatever comes at a time, and names the option",
    async () => {
      const content =
        codec === "zstd" ? repeatedFrame(0x20, 2_200) : encode(Buffer.alloc(260 * MIB, " "));
      const source = scratch.source("bomb", content, [codec]);
      const opened = await openBytes(source, 0, { ...openOptions, ratioMax: 10 });
      const target = new Uint8Array(MIB - 1);
      let given = 0;
      const readAll = async () => {
        for (let count = await opened.read(target); count > 0; count = await opened.read(target)) {
          given += count;
        }
      };
      await expect(readAll()).rejects.toMatchObject({
        code: "source_ratio_exceeded",
        message: expect.stringContaining("--max-ratio"),
      });
      expect(given).toBe(DECOMPRESSION_RATIO_FLOOR_BYTES);
      await opened.close();
    },
  );

  it("stops when aborted", async () => {
    const abort = new AbortController();
    const source = scratch.source("input", encode(sampleBytes(2 * MIB)), [codec]);
    const opened = await openBytes(source, 0, { ...openOptions, signal: abort.signal });
    await opened.read(new Uint8Array(10));
    abort.abort(new Error("stop it"));
    await expect(async () => opened.read(new Uint8Array(10))).rejects.toThrow("stop it");
    await opened.close();
  });
});

describe("gzip", () => {
  it("reads every member, however many and however small", async () => {
    const parts = [
      sampleBytes(100_000),
      Buffer.alloc(0),
      sampleBytes(10, 2),
      sampleBytes(70_000, 3),
    ];
    const many = Array.from({ length: 500 }, (_, index) => gzipSync(`line ${index}\n`));
    const content = Buffer.concat([...parts.map((part) => gzipSync(part)), ...many]);
    const { bytes, error } = await read(content, ["gzip"]);
    expect(error).toBeUndefined();
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join("");
    expect(bytes.equals(Buffer.concat([...parts, Buffer.from(lines)]))).toBe(true);
  });

  it("takes members that begin where a read ends", async () => {
    for (const length of [65_533, 65_535, 65_536, 65_537]) {
      const first = storedMember(length);
      expect(first.length).toBe(length);
      const { bytes, error } = await read(Buffer.concat([first, gzipSync("end")]), ["gzip"]);
      expect(error).toBeUndefined();
      expect(bytes.subarray(-3).toString()).toBe("end");
    }
  });

  it("takes zeros after the last member as padding", async () => {
    for (const zeros of [1, 512, 200_000]) {
      const { bytes, error } = await read(Buffer.concat([gzipSync(small), Buffer.alloc(zeros)]), [
        "gzip",
      ]);
      expect(error).toBeUndefined();
      expect(bytes.equals(small)).toBe(true);
    }
  });

  it("refuses a member after padding instead of losing it", async () => {
    const content = Buffer.concat([gzipSync(small), Buffer.alloc(100_000), gzipSync("lost")]);
    const { bytes, error } = await read(content, ["gzip"]);
    expect(error).toMatchObject({
      code: "source_corrupt",
      message: expect.stringContaining("follow"),
    });
    expect(bytes.equals(small)).toBe(true);
  });

  it("gives every byte before a wrong checksum or a damaged block", async () => {
    const content = sampleBytes(2 * MIB);
    const encoded = gzipSync(content);
    encoded.writeUInt8(encoded.readUInt8(encoded.length - 5) ^ 1, encoded.length - 5);
    const wrongSum = await read(encoded, ["gzip"]);
    expect(wrongSum.error).toMatchObject({ code: "source_corrupt" });
    expect(wrongSum.bytes.equals(content)).toBe(true);

    // A stored block with a wrong length behind a good member: nothing of the member is lost.
    const broken = Buffer.concat([
      gzipSync(content),
      gzipSync("x").subarray(0, 10),
      Buffer.from([1, 9, 9, 9, 9]),
    ]);
    const damaged = await read(broken, ["gzip"]);
    expect(damaged.error).toMatchObject({
      code: "source_corrupt",
      position: { byte: content.length },
    });
    expect(damaged.bytes.equals(content)).toBe(true);
  });
});

describe("zstd", () => {
  it("reads frame after frame and leaves skippable ones out", async () => {
    const content = sampleBytes(700_000);
    const encoded = Buffer.concat([
      skippableFrame(Buffer.alloc(300_000, 7)),
      ZSTD_SAMPLE,
      skippableFrame(Buffer.alloc(0)),
      storedFrame(content),
      storedFrame(Buffer.alloc(0)),
      ZSTD_SAMPLE,
      skippableFrame(Buffer.from("index")),
    ]);
    const expected = Buffer.concat([small, content, small]);
    for (const size of [1_000, 131_072, 1_000_000]) {
      const { bytes, error } = await read(encoded, ["zstd"], size);
      expect(error).toBeUndefined();
      expect(bytes.equals(expected)).toBe(true);
    }
  });

  it("ends with the last frame even if that exactly fills the caller's memory", async () => {
    const { bytes, error } = await read(storedFrame(sampleBytes(1_000)), ["zstd"], 1_000);
    expect(error).toBeUndefined();
    expect(bytes).toHaveLength(1_000);
  });

  it("calls data that needs a larger window or a dictionary unsupported, not damaged", async () => {
    const magic = [0x28, 0xb5, 0x2f, 0xfd];
    // A window of 2^31 bytes; the dictionary with the id 7.
    const headers = { window: [0x00, 0xa8], dictionary: [0x21, 0x07, 0x01] };
    for (const [word, header] of Object.entries(headers)) {
      const frame = Buffer.from([...magic, ...header, 0x09, 0x00, 0x00, 0x41]);
      const { error } = await read(Buffer.concat([ZSTD_SAMPLE, frame]), ["zstd"]);
      expect(error).toMatchObject({
        code: "source_unsupported",
        message: expect.stringContaining(word),
      });
    }
  });

  it("verifies the checksum, after every byte before it", async () => {
    const damaged = Buffer.concat([ZSTD_SAMPLE, ZSTD_SAMPLE]);
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
    const { bytes, error } = await read(damaged, ["zstd"]);
    expect(error).toMatchObject({
      code: "source_corrupt",
      message: expect.stringContaining("checksum"),
    });
    expect(bytes.toString()).toBe(ZSTD_SAMPLE_TEXT + ZSTD_SAMPLE_TEXT);
  });

  it("keeps streams that are read in turns apart", async () => {
    const contents = [sampleBytes(600_000, 1), sampleBytes(600_000, 2)];
    const opened = await Promise.all(
      contents.map((content, index) =>
        openBytes(scratch.source(`${index}.zst`, storedFrame(content), ["zstd"]), 0, openOptions),
      ),
    );
    const results = await Promise.all(opened.map((bytes) => drain(bytes, 10_000)));
    expect(results.map(({ bytes }, index) => contents[index]?.equals(bytes))).toEqual([true, true]);
  });
});

describe("layers", () => {
  it("are removed from the outside in", async () => {
    const content = sampleBytes(400_000);
    const encoded = storedFrame(gzipSync(brotliCompressSync(content)));
    const { bytes, error } = await read(encoded, ["zstd", "gzip", "brotli"]);
    expect(error).toBeUndefined();
    expect(bytes.equals(content)).toBe(true);
  });

  it("pass on what breaks in an outer one, after the bytes before it", async () => {
    const content = sampleBytes(400_000);
    for (const outer of [gzipSync(gzipSync(content)), storedFrame(gzipSync(content))]) {
      const codecs: Codec[] = outer[0] === 0x1f ? ["gzip", "gzip"] : ["zstd", "gzip"];
      const { bytes, error } = await read(outer.subarray(0, -20), codecs);
      expect(error).toMatchObject({ code: "source_truncated" });
      expect(bytes.length).toBeGreaterThan(300_000);
      expect(content.subarray(0, bytes.length).equals(bytes)).toBe(true);
    }
  });
});

describe("bytes that may be altered", () => {
  const spoil = (bytes: Buffer, offset: number) => {
    const spoiled = Buffer.from(bytes);
    const index = (spoiled.length + offset) % spoiled.length;
    spoiled.writeUInt8(spoiled.readUInt8(index) ^ 1, index);
    return spoiled;
  };
  const member = gzipSync("a".repeat(1_000));
  const frame = ZSTD_SAMPLE;
  const frameBytes = ZSTD_SAMPLE_TEXT.length;
  const cases: readonly [string, Buffer, Codec[], number | undefined][] = [
    ["a gzip member", Buffer.concat([member, spoil(member, -8)]), ["gzip"], 1_000],
    ["a gzip header", Buffer.concat([member, spoil(member, 2)]), ["gzip"], undefined],
    ["a truncated member", Buffer.concat([member, member.subarray(0, -3)]), ["gzip"], undefined],
    ["a zstd frame", Buffer.concat([frame, spoil(frame, -1)]), ["zstd"], frameBytes],
    ["a zstd header", Buffer.concat([frame, spoil(frame, 2)]), ["zstd"], undefined],
    ["an outer layer", spoil(gzipSync(member), -8), ["gzip", "gzip"], 0],
  ];

  it.each(cases)("begin where the checksum of %s does", async (_, encoded, codecs, alteredFrom) => {
    const { error } = await read(encoded, codecs);
    expect(error).toMatchObject({ alteredFrom });
    const told = alteredFrom === undefined ? "" : `the bytes from ${alteredFrom} on may be altered`;
    expect((error as Error).message).toContain(told);
  });
});

/** A member of exactly `length` bytes: one stored block after the other. */
function storedMember(length: number): Buffer {
  const body = Buffer.alloc(length - 18 - 5, 97);
  const member = gzipSync(body, { level: 0 });
  if (member.length === length) return member;
  return gzipSync(body.subarray(0, body.length - (member.length - length)), { level: 0 });
}
