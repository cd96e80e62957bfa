import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GzipPages } from "../../src/parquet/gzip-pages.js";
import { LOOSE_BYTES } from "../../src/parquet/page-memory.js";
import { propertyRuns } from "../support/property-runs.js";
import { usedKernel } from "../support/used-kernel.js";

const kernel = usedKernel();
const pages = new GzipPages(kernel);
const GUARD_BYTES = 64;

/** Decompresses a page of `size` bytes; undefined if it is refused. */
function decompress(input: Uint8Array, size: number): Uint8Array | undefined {
  const source = kernel.allocate(input.length);
  const target = kernel.allocate(size + LOOSE_BYTES + GUARD_BYTES);
  const behind = target + size + LOOSE_BYTES;
  kernel.bytes.set(input, source);
  kernel.bytes.fill(0x5a, behind, behind + GUARD_BYTES);
  const isWhole = pages.decompress(
    { start: source, end: source + input.length },
    { start: target, end: target + size },
  );
  expect(kernel.bytes.slice(behind, behind + GUARD_BYTES)).toEqual(
    new Uint8Array(GUARD_BYTES).fill(0x5a),
  );
  const output = isWhole ? kernel.bytes.slice(target, target + size) : undefined;
  kernel.free(source);
  kernel.free(target);
  return output;
}

const text = Buffer.from("some text, again and again; ".repeat(200));
const member = gzipSync(text);

/** The member with optional parts in its header. */
function withHeader(flags: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const header = Buffer.from(member.subarray(0, 10));
  header[3] = flags;
  return Buffer.concat([header, ...parts, member.subarray(10)]);
}

describe("a gzip page", () => {
  it("is decompressed, whatever is in it", () => {
    const property = fc.property(
      fc.uint8Array({ maxLength: 3000 }),
      fc.integer({ min: 0, max: 9 }),
      (plain, level) => {
        expect(decompress(gzipSync(plain, { level }), plain.length)).toEqual(plain);
      },
    );
    fc.assert(property, { numRuns: propertyRuns(100) });
  });

  it("can have several members, and padding after them", () => {
    const rest = Buffer.from("the rest");
    const page = Buffer.concat([member, gzipSync(rest), new Uint8Array(20)]);
    const size = text.length + rest.length;
    expect(decompress(page, size)).toEqual(new Uint8Array(Buffer.concat([text, rest])));
  });

  it("can have a name, a comment and other fields in its header", () => {
    const name = Buffer.from("name\0");
    const extra = Uint8Array.of(3, 0, 1, 2, 3);
    for (const page of [withHeader(8, name), withHeader(4 + 8 + 16, extra, name, name)]) {
      expect(decompress(page, text.length)).toEqual(new Uint8Array(text));
    }
  });

  it.each([
    [
      "a wrong checksum",
      (bytes: Buffer) => bytes.writeUInt8(bytes[bytes.length - 5]! ^ 1, bytes.length - 5),
    ],
    [
      "a wrong length",
      (bytes: Buffer) => bytes.writeUInt8(bytes[bytes.length - 4]! ^ 1, bytes.length - 4),
    ],
    ["another magic", (bytes: Buffer) => bytes.writeUInt8(0, 0)],
    ["another method", (bytes: Buffer) => bytes.writeUInt8(7, 2)],
    ["a reserved flag", (bytes: Buffer) => bytes.writeUInt8(0x80, 3)],
    ["a name without an end", (bytes: Buffer) => bytes.fill(1, 10).writeUInt8(8, 3)],
    ["a wrong header checksum", (bytes: Buffer) => bytes.writeUInt8(2, 3)],
  ])("with %s is refused", (_, change) => {
    const page = Buffer.from(member);
    change(page);
    expect(decompress(page, text.length)).toBeUndefined();
  });

  it("of another size, or cut off anywhere, is refused", () => {
    for (const size of [0, text.length - 1, text.length + 1]) {
      expect(decompress(member, size)).toBeUndefined();
    }
    for (let length = 0; length < member.length; length++) {
      expect(decompress(member.subarray(0, length), text.length)).toBeUndefined();
    }
  });
});
