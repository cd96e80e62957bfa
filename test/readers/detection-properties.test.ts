import { rmSync } from "node:fs";
import { deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SNIFF_BYTES } from "../../src/base/limits.js";
import { createFormatDetection } from "../../src/formats/input-formats.js";
import { detectJson } from "../../src/readers/json/detect-json.js";
import { discoverSources } from "../../src/sources/discovery.js";
import type { HeadExtent } from "../../src/sources/source-head.js";
import { writeZip } from "../sources/zip-writer.js";
import { propertyRuns } from "../support/property-runs.js";
import { detectJsonEagerly } from "./json/eager-json-detection.js";
import { openOptions, useScratchDirectory } from "./scratch.js";

const detect = createFormatDetection({ csv: {} });
const name = "input";

const reject = JSON.stringify({ source: "a", code: "b", raw: "{}", format: { kind: "ndjson" } });
const line = fc.oneof(
  { weight: 3, arbitrary: fc.json({ maxDepth: 2 }) },
  fc.constantFrom(
    '{"a":1}',
    reject,
    "{",
    "}",
    '  "a": 1,',
    "[",
    "],",
    '{"a":1}{"b":2}',
    "1",
    '"a"',
    "null",
    "",
    " ",
    "\r",
    "\u00a0",
    "\ufeff",
    "\u2028 ",
    "log line",
    "a,b",
    "x;{",
    '\ufeff{"a":1}',
    "{}",
    '{"a":1}\u00a0',
    ' {"a":1}\r',
    "-1",
    "nul",
    '{"é":"',
    "event_type,user_id",
    "click,12",
  ),
  fc.integer({ min: 1, max: 6_000 }).map((length) => `{"a":"${"x".repeat(length)}"}`),
);
const blank = fc.constantFrom(
  "",
  "",
  "\ufeff",
  "\n",
  "\r\n\n",
  "\u00a0\n",
  "\ufeff\n\ufeff",
  "\x01",
);
/** Few different lines, because most files have lines of one kind. */
const lines = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(), { maxLength: 45 }))
  .map(([kinds, places]) => places.map((place) => kinds[place % kinds.length] ?? ""));
const text = fc
  .tuple(
    blank,
    lines,
    fc.constantFrom("\n", "\n", "\r\n"),
    fc.constantFrom<BufferEncoding>("utf8", "utf8", "utf8", "utf16le", "latin1"),
  )
  .map(([start, all, end, encoding]) => Buffer.from(start + all.join(end), encoding));
/** Cut anywhere, also inside a character. */
const head = fc
  .tuple(text, fc.boolean(), fc.nat())
  .map(([bytes, isCut, at]) => (isCut ? bytes.subarray(0, at % (bytes.length + 1)) : bytes));

/** The format, or the code of the failure; null where more bytes are asked for. */
async function outcome(bytes: Uint8Array, extent: HeadExtent) {
  try {
    return await detect({ bytes, extent }, name);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test("JSON is told as if all lines were parsed", () => {
  fc.assert(
    fc.property(head, fc.constantFrom("whole", "limit"), (bytes, extent: HeadExtent) => {
      const expected = detectJsonEagerly(bytes, extent === "whole") ?? "none";
      expect(detectJson(bytes, extent, new Set())).toEqual(expected);
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test("a part of a head gives the result of the whole head, or none", async () => {
  let decided = 0;
  const extents = fc.constantFrom<HeadExtent>("whole", "limit");
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), extents, async (bytes, at, extent) => {
      const part = await outcome(bytes.subarray(0, 1 + (at % (bytes.length + 1))), "part");
      if (part === null) return;
      decided++;
      expect(part).toEqual(await outcome(bytes, extent));
    }),
    { numRuns: propertyRuns(2_000) },
  );
  expect(decided).toBeGreaterThan(propertyRuns(2_000) / 100);
});

const scratch = useScratchDirectory();

/** The formats, by file, that discovery finds. */
async function discover(files: Readonly<Record<string, Uint8Array>>) {
  for (const [name, data] of Object.entries(files)) scratch.write(name, data);
  const inputs = Object.keys(files).map((name) => ({ name, path: scratch.path(name) }));
  const { sources, failures } = await discoverSources(inputs, { ...openOptions, detect });
  for (const { path } of inputs) rmSync(path);
  return [...sources.map(({ format }) => format), ...failures.map(({ code }) => code)];
}

/** Texts of which not all is there in the first kilobytes, compressed or not. */
const long = fc
  .tuple(text, fc.integer({ min: 1, max: 300_000 }), fc.boolean(), fc.nat({ max: 40 }))
  .map(([bytes, length, isNoise, repeats]) => {
    let state = length;
    const filling = Buffer.alloc(length, "x").map((byte) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return isNoise ? 0x61 + ((state >>> 16) % 26) : byte;
    });
    const first = Buffer.concat([Buffer.from('{"a":"'), filling, Buffer.from('"}\n')]);
    const tail = Array.from({ length: repeats }, () => bytes);
    return Buffer.concat(length % 2 === 0 ? [first, bytes] : [bytes, ...tail, first]);
  });

test("plain, in gzip, in gzip twice, and in a zip the same format is found", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, long), fc.constantFrom(1, 6, 9), async (content, level) => {
      const isShort = content.length < SNIFF_BYTES;
      const first = content.subarray(0, SNIFF_BYTES);
      // An empty source has no format.
      if (content.length === 0) return;
      const expected = await outcome(first, isShort ? "whole" : "limit");
      const packed = gzipSync(content, { level });
      const compressed = deflateRawSync(content, { level });
      const entry = { name: "input", data: content, method: 8, compressed };
      const found = await discover({
        "a.input": content,
        "b.input": packed,
        "c.input": gzipSync(packed),
        "d.input": Buffer.concat([
          gzipSync(content.subarray(0, 3_000)),
          gzipSync(content.subarray(3_000)),
        ]),
        "e.zip": writeZip([entry]),
      });
      expect(found).toEqual([expected, expected, expected, expected, expected]);
    }),
    { numRuns: propertyRuns(60) },
  );
});

test("layers after a gzip header longer than the first decoded bytes are found", async () => {
  const content = Buffer.from('{"a":1}\n'.repeat(2_000));
  const packed = gzipSync(content);
  const name = Buffer.alloc(5_000, "n");
  const header = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, ...name, 0]);
  const twice = Buffer.concat([header, gzipSync(packed).subarray(10)]);
  expect(await discover({ "a.gz": twice })).toEqual([{ kind: "ndjson" }]);
  const zip = gzipSync(writeZip([{ name: "input", data: content }]));
  const around = Buffer.concat([header, zip.subarray(10)]);
  expect(await discover({ "b.gz": around })).toEqual(["source_unsupported"]);
});
