import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SourceError } from "../../src/base/errors.js";
import { MIB } from "../../src/base/limits.js";
import { builtFile } from "../../src/base/package-files.js";
import { DecodeAhead } from "../../src/sources/decode-ahead.js";
import { openBytes } from "../../src/sources/open-bytes.js";
import type { Codec, SourceBytes } from "../../src/sources/source.js";
import { drain, openOptions, sampleBytes, useScratchDirectory } from "../readers/scratch.js";
import { longTest } from "../support/long-test.js";
import { isCi } from "../support/property-runs.js";
import { storedFrame } from "./zstd-frames.js";

const scratch = useScratchDirectory();
const decodeAhead = new DecodeAhead(builtFile("decode-thread.js"));
/** More than all blocks of the thread hold. */
const content = sampleBytes(14 * MIB);
const encodings: [Codec, Buffer][] = [
  ["gzip", gzipSync(content, { level: 1 })],
  ["zstd", storedFrame(content)],
];
// The reader of Brotli takes most of the time here, and what is tested is its thread.
if (isCi) encodings.push(["brotli", brotliCompressSync(content, { params: { 1: 0 } })]);

/** Reads a source here and by the thread. */
async function readTwice(source: SourceBytes, options = openOptions) {
  const here = await drain(await openBytes(source, 0, options));
  const opened = decodeAhead.open(source, options);
  if (opened === undefined) throw new Error("the thread did not open it");
  return { here, ahead: { ...(await drain(opened)), consumed: opened.consumed } };
}

function factsOf(error: unknown) {
  if (error === undefined) return undefined;
  if (!(error instanceof SourceError)) throw error;
  const { code, message, position, reason, alteredFrom } = error;
  return { code, message, position, reason, alteredFrom };
}

describe.each(encodings)("%s, decompressed in a thread", (codec, encoded) => {
  it("gives the bytes back, one source after the other", async () => {
    for (const name of ["a", "b"]) {
      const source = scratch.source(name, encoded, [codec]);
      const { ahead } = await readTwice(source);
      expect(ahead.error).toBeUndefined();
      expect(ahead.bytes.equals(content)).toBe(true);
      expect(ahead.consumed).toBe(encoded.length);
    }
  });

  it("ends as without a thread if the file is cut off or damaged", async () => {
    const damaged = Buffer.from(encoded);
    damaged.fill(0xff, encoded.length - 100_000, encoded.length - 99_000);
    for (const bytes of [encoded.subarray(0, encoded.length - 70_000), damaged]) {
      const { here, ahead } = await readTwice(scratch.source("broken", bytes, [codec]));
      expect(factsOf(ahead.error)).toEqual(factsOf(here.error));
      expect(ahead.bytes.equals(here.bytes)).toBe(true);
    }
  });
});

const [[, gzip]] = encodings as [[Codec, Buffer]];

it("opens the next source after one that was closed early", async () => {
  const source = scratch.source("a", gzip, ["gzip"]);
  const opened = decodeAhead.open(source, openOptions);
  await opened?.read(new Uint8Array(100));
  await opened?.close();
  const { ahead } = await readTwice(source);
  expect(ahead.bytes.equals(content)).toBe(true);
});

it("tells that a file is missing", async () => {
  const source = scratch.source("a", gzip, ["gzip"]);
  const missing = { ...source, path: `${source.path}.gone` };
  const opened = decodeAhead.open(missing, openOptions);
  const { error } = await drain(opened as NonNullable<typeof opened>);
  expect(error).toMatchObject({ code: "source_missing" });
});

longTest("stops a decompression bomb after the same bytes as without a thread", async () => {
  const zeros = scratch.source("zeros", gzipSync(Buffer.alloc(1_400 * MIB), { level: 1 }), [
    "gzip",
  ]);
  const { here, ahead } = await readTwice(zeros, { ...openOptions, ratioMax: 10 });
  expect(factsOf(ahead.error)).toEqual(factsOf(here.error));
  expect(ahead.bytes.length).toBe(here.bytes.length);
});

it("leaves small files to the reader's own thread", () => {
  expect(decodeAhead.open(scratch.source("a", "abc", ["gzip"]), openOptions)).toBeUndefined();
});
