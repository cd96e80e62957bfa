import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InflateBytes } from "../../src/sources/inflate-bytes.js";
import { drain, sampleBytes } from "../readers/scratch.js";
import { propertyRuns } from "../support/property-runs.js";
import { expectSame, inflate, kernel, messageOf, Steps, signal } from "./inflate-oracle.js";

/** Text whose matches lie near and far, are short and long, and overlap themselves. */
const text = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat({ max: 400 }))
        .map(([bytes, repeats]) => Buffer.concat(Array(repeats).fill(Buffer.from(bytes)))),
      fc
        .tuple(fc.integer({ min: 1, max: 40_000 }), fc.nat({ max: 80_000 }))
        .map(([seed, length]) => sampleBytes(length, seed)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));

const deflated = fc
  .record({
    text,
    level: fc.integer({ min: 0, max: 9 }),
    strategy: fc.integer({ min: 0, max: 4 }),
    windowBits: fc.integer({ min: 9, max: 15 }),
    memLevel: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ text, ...options }) => ({ text, body: zlib.deflateRawSync(text, options) }));

const headerFields = fc.record({
  extra: fc.option(fc.uint8Array({ maxLength: 300 })),
  name: fc.option(fc.string({ unit: "grapheme-ascii", maxLength: 50 })),
  comment: fc.option(fc.string({ unit: "grapheme-ascii", maxLength: 50 })),
  checksum: fc.boolean(),
});

function memberOf(
  { text, body }: { text: Uint8Array; body: Buffer },
  {
    extra,
    name,
    comment,
    checksum,
  }: { [Key in "extra" | "name" | "comment" | "checksum"]: unknown },
): Buffer {
  const parts = [Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0, 255])];
  if (extra instanceof Uint8Array) {
    parts.push(Buffer.from([extra.length & 0xff, extra.length >> 8]), Buffer.from(extra));
  }
  for (const word of [name, comment]) if (word !== null) parts.push(Buffer.from(`${word}\0`));
  const flags = [checksum === true, extra !== null, name !== null, comment !== null];
  parts[0]?.writeUInt8(
    flags.reduce((sum, set, bit) => sum + (set ? 2 << bit : 0), 0),
    3,
  );
  const header = Buffer.concat(parts);
  const sum = Buffer.alloc(checksum === true ? 2 : 0);
  if (checksum === true) sum.writeUInt16LE(zlib.crc32(header) & 0xffff);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(zlib.crc32(text), 0);
  end.writeUInt32LE(text.length, 4);
  return Buffer.concat([header, sum, body, end]);
}

const members = fc
  .array(fc.tuple(deflated, headerFields), { minLength: 1, maxLength: 4 })
  .map((parts) => ({
    text: Buffer.concat(parts.map(([{ text }]) => text)),
    content: Buffer.concat(parts.map(([stream, fields]) => memberOf(stream, fields))),
  }));

const steps = fc.constantFrom(1, 7, 500, 600, 601, 4_096, 65_536);
const sizes = fc.constantFrom(1_000, 65_536, 262_144, 1_000_000);

describe("inflating with the kernel", () => {
  it("gives back what zlib has deflated, whatever its settings, members and reads", async () => {
    const property = fc.asyncProperty(
      members,
      steps,
      sizes,
      async ({ text, content }, step, size) => {
        const { bytes, error } = await inflate(content, "gzip", step, size);
        expect(error).toBeUndefined();
        expect(bytes.equals(text)).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: propertyRuns(150) });
  });

  it("gives the bytes and the error of zlib if bits are flipped", async () => {
    const flips = fc.array(fc.nat(), { minLength: 1, maxLength: 2 });
    const property = fc.asyncProperty(deflated, flips, steps, async ({ body }, places, step) => {
      const damaged = Buffer.from(body);
      for (const place of places) {
        const bit = place % (damaged.length * 8);
        damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      }
      await expectSame(damaged, "deflate", step);
    });
    await fc.assert(property, { numRuns: propertyRuns(100) });
  });

  it("gives the bytes and the error of zlib if members are damaged", async () => {
    const property = fc.asyncProperty(members, fc.nat(), fc.nat(), async ({ content }, at, bit) => {
      // Mostly in the headers and trailers.
      const place = at % 2 === 0 ? at % 20 : content.length - 1 - (at % 20);
      const index = Math.min(Math.max(place, 0), content.length - 1);
      content.writeUInt8(content.readUInt8(index) ^ (1 << (bit % 8)), index);
      await expectSame(content, "gzip");
    });
    await fc.assert(property, { numRuns: propertyRuns(100) });
  });

  it("gives the bytes and the error that zlib gives for bytes by chance", async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      await expectSame(bytes, "deflate");
      await expectSame(Buffer.concat([zlib.gzipSync("a"), bytes]), "gzip");
    });
    await fc.assert(property, { numRuns: propertyRuns(200) });
  });

  it("gives all that can be known of input that is cut anywhere", async () => {
    const inputs = [
      zlib.deflateRawSync(sampleBytes(2_000), { level: 9 }),
      zlib.deflateRawSync(sampleBytes(300), { strategy: zlib.constants.Z_FIXED }),
      zlib.deflateRawSync(sampleBytes(300), { strategy: zlib.constants.Z_HUFFMAN_ONLY }),
      zlib.deflateRawSync(sampleBytes(300), { level: 0 }),
    ];
    for (const body of inputs) {
      for (let end = 0; end < body.length; end++) {
        await expectSame(body.subarray(0, end), "deflate", end % 3 === 0 ? 1 : 4_096);
      }
    }
  });

  it("keeps streams apart that are read in turns", async () => {
    const texts = [sampleBytes(700_000, 1), sampleBytes(700_000, 2)];
    const open = texts.map((text) => {
      const upstream = new Steps(zlib.gzipSync(text), 5_000);
      return new InflateBytes(kernel, upstream, { name: "input", codec: "gzip", signal });
    });
    const results = await Promise.all(open.map((bytes) => drain(bytes, 10_000)));
    expect(results.map(({ bytes }, index) => texts[index]?.equals(bytes))).toEqual([true, true]);
  });

  it("holds a member against its length", async () => {
    const member = zlib.gzipSync("abc");
    member.writeUInt32LE(4, member.length - 4);
    const { bytes, error } = await inflate(member, "gzip");
    expect(bytes.toString()).toBe("abc");
    expect(messageOf(error)).toContain("incorrect length check");
  });
});
