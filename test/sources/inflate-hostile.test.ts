import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { KIB } from "../../src/base/limits.js";
import { BitWriter, dynamicHeader, sparse } from "../readers/bit-writer.js";
import { expectSame, inflate, messageOf } from "./inflate-oracle.js";

/** A literal and the end of the block with codes of one bit each, and no distance. */
const twoLiterals = { 97: 1, 256: 1 };

const hostile: Readonly<Record<string, readonly [BitWriter, string]>> = {
  "a block of the reserved type": [new BitWriter().number(7, 3), "invalid block type"],
  "a stored length that its complement does not bear out": [
    new BitWriter().number(1, 8).number(5, 16).number(5, 16),
    "invalid stored block lengths",
  ],
  "more than 286 literals": [dynamicHeader(287, 1, []), "too many length or distance symbols"],
  "more than 30 distances": [dynamicHeader(257, 31, []), "too many length or distance symbols"],
  "more code length codes than there are": [
    new BitWriter().number(5, 3).number(0, 14).number(0b001001001001, 12),
    "invalid code lengths set",
  ],
  "a repeat of the length before the first": [
    // Codes of one bit: 16 and 0.
    new BitWriter().number(5, 3).number(0, 14).number(0b001000000001, 12).number(0xffff, 16),
    "invalid bit length repeat",
  ],
  "repeats beyond the last length": [
    // Codes of one bit: 18 and 0.
    new BitWriter().number(5, 3).number(0, 14).number(0b001001000000, 12).number(0xffffff, 24),
    "invalid bit length repeat",
  ],
  "no code for the end of the block": [
    dynamicHeader(257, 1, sparse(258, { 97: 1, 98: 1 })),
    "missing end-of-block",
  ],
  "more literal codes than there are": [
    dynamicHeader(257, 1, sparse(258, { 97: 1, 98: 1, 256: 1 })),
    "invalid literal/lengths set",
  ],
  "fewer literal codes than there could be": [
    dynamicHeader(257, 1, sparse(258, { 97: 2, 256: 2 })),
    "invalid literal/lengths set",
  ],
  "more distance codes than there are": [
    dynamicHeader(257, 3, sparse(260, { ...twoLiterals, 257: 1, 258: 1, 259: 1 })),
    "invalid distances set",
  ],
  "fewer distance codes than there could be": [
    dynamicHeader(257, 2, sparse(259, { ...twoLiterals, 257: 2, 258: 2 })),
    "invalid distances set",
  ],
  "a length symbol that means nothing": [
    new BitWriter().number(3, 3).code(0b11000110, 8).number(0, 32),
    "invalid literal/length code",
  ],
  "a distance symbol that means nothing": [
    new BitWriter()
      .number(3, 3)
      .code(0b00110000 + 97, 8)
      .code(1, 7)
      .code(30, 5)
      .number(0, 32),
    "invalid distance code",
  ],
  "a distance where the block has no code for any": [
    dynamicHeader(258, 1, sparse(259, { 97: 1, 256: 2, 257: 2 }))
      .code(0, 1)
      .code(3, 2)
      .number(0, 32),
    "invalid distance code",
  ],
  "the other half of a single distance code": [
    dynamicHeader(258, 1, sparse(259, { 97: 1, 256: 2, 257: 2, 258: 1 }))
      .code(0, 1)
      .code(3, 2)
      .number(0xffff, 16),
    "invalid distance code",
  ],
  "a distance to before the beginning": [
    // One literal, then a match of three bytes from two bytes before.
    new BitWriter()
      .number(3, 3)
      .code(0b00110000 + 97, 8)
      .code(1, 7)
      .code(1, 5)
      .number(0, 32),
    "invalid distance too far back",
  ],
};

describe("hostile deflate", () => {
  it.each(Object.entries(hostile))("is refused: %s", async (_, [writer, words]) => {
    // Near the end of the input and far from it, where other loops decode.
    for (const behind of [0, 2_000]) {
      const content = Buffer.concat([writer.bytes(), Buffer.alloc(behind)]);
      const { error } = await inflate(content, "deflate");
      expect(messageOf(error)).toContain(words);
      await expectSame(content, "deflate");
    }
  });

  it("may have no distances at all, or a single literal", async () => {
    const plain = dynamicHeader(257, 1, sparse(258, twoLiterals)).code(0, 1).code(1, 1);
    expect((await inflate(plain.bytes(), "deflate")).bytes.toString()).toBe("a");
    const empty = dynamicHeader(257, 1, sparse(258, { 256: 1 })).code(0, 1);
    expect(await inflate(empty.bytes(), "deflate")).toEqual({ bytes: Buffer.alloc(0) });
    await expectSame(empty.bytes(), "deflate");
  });

  it("has codes of up to 15 bits in its tables", async () => {
    // Lengths 1, 2, … 14, 15, 15 make a whole code.
    const literals = Object.fromEntries(
      Array.from({ length: 14 }, (_, index) => [97 + index, index + 1]),
    );
    const distances = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [259 + index, index + 1]),
    );
    const lengths = sparse(258 + 17, { ...literals, 256: 15, 257: 15, ...distances, 274: 15 });
    const writer = dynamicHeader(258, 17, lengths);
    // Each literal, then a match of three bytes from each of the distances 2, 3, 4, 5 and 6.
    const ones = (count: number) => 2 ** count - 2;
    for (let bits = 1; bits <= 14; bits++) writer.code(ones(bits), bits);
    for (const [symbol, extra] of [[1], [2], [3], [4, 1]] as const) {
      writer.code(0x7fff, 15).code(ones(symbol), symbol);
      if (extra !== undefined) writer.number(extra, 1);
    }
    writer.code(0x7ffe, 15);
    for (const behind of [0, 2_000]) {
      const content = Buffer.concat([writer.bytes(), Buffer.alloc(behind)]);
      await expectSame(content, "deflate");
      expect((await inflate(content, "deflate")).bytes.length).toBe(14 + 12);
    }
  });

  it("has distances of every size behind codes of every length", async () => {
    // Distance symbol 0 has a code of 1 bit, 16 to 29 have 2 to 15, and 15 has 15, so that all is used.
    const literals = { 97: 2, 98: 2, 256: 3, 257: 3, 285: 2 };
    const far = Array.from({ length: 14 }, (_, index) => [286 + 16 + index, index + 2] as const);
    const lengths = sparse(286 + 30, { ...literals, ...Object.fromEntries(far), 286: 1, 301: 15 });
    const writer = dynamicHeader(286, 30, lengths).code(1, 2).code(0, 2);
    let size = 2;
    for (let symbol = 16; symbol < 30; symbol++) {
      const extraBits = (symbol >> 1) - 1;
      const base = 1 + ((2 + (symbol & 1)) << extraBits);
      // Past the base by some bytes, so that the extra bits count.
      for (; size + 258 <= base + symbol; size += 258) writer.code(2, 2).code(0, 1);
      for (; size < base + symbol; size++) writer.code(0, 2);
      const bits = symbol - 14;
      writer.code(7, 3).code(bits === 15 ? 0x7fff : 2 ** bits - 2, bits);
      writer.number(size - base, extraBits);
      size += 3;
    }
    const content = writer.code(6, 3).bytes();
    for (const behind of [0, 2_000]) {
      await expectSame(Buffer.concat([content, Buffer.alloc(behind)]), "deflate");
    }
    const { bytes } = await inflate(content, "deflate");
    expect(bytes.length).toBe(size);
    expect(bytes.filter((byte) => byte === 98)).toHaveLength(15);
  });

  it("looks back over 32 KiB, but not beyond the beginning of its member", async () => {
    const far = Buffer.concat([
      Buffer.from("begin"),
      Buffer.alloc(32 * KIB - 5),
      Buffer.from("begin"),
    ]);
    const body = zlib.deflateRawSync(far, { level: 9 });
    expect((await inflate(body, "deflate")).bytes.equals(far)).toBe(true);
    const match = hostile["a distance to before the beginning"]?.[0].bytes() ?? Buffer.alloc(0);
    const header = zlib.gzipSync("").subarray(0, 10);
    const content = Buffer.concat([zlib.gzipSync("before"), header, match]);
    expect(messageOf((await inflate(content, "gzip")).error)).toContain("too far back");
    await expectSame(content, "gzip");
  });
});
