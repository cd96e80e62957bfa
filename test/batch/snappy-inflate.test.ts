import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { propertyRuns } from "../support/property-runs.js";

const kernel = new Kernel();
const RUNS = propertyRuns(300);
/** Bytes behind the target that may be written to. */
const LOOSE_BYTES = 64;
const GUARD_BYTES = 64;

interface Placed {
  readonly output: Uint8Array;
  readonly sound: boolean;
}

function decompress(input: Uint8Array, size: number): Placed {
  const source = kernel.allocate(input.length);
  const target = kernel.allocate(size + LOOSE_BYTES + GUARD_BYTES);
  kernel.bytes.set(input, source);
  kernel.bytes.fill(0x5a, source + input.length, source + input.length + 64);
  kernel.bytes.fill(0x5a, target - GUARD_BYTES, target + size + LOOSE_BYTES + GUARD_BYTES);
  const sound = kernel.run.snappyDecompress(source, input.length, target, size) === 1;
  const untouched = new Uint8Array(GUARD_BYTES).fill(0x5a);
  const behind = target + size + LOOSE_BYTES;
  expect(kernel.bytes.slice(target - GUARD_BYTES, target)).toEqual(untouched);
  expect(kernel.bytes.slice(behind, behind + GUARD_BYTES)).toEqual(untouched);
  const output = kernel.bytes.slice(target, target + size);
  kernel.free(source);
  kernel.free(target);
  return { output, sound };
}

type Element =
  | { readonly literal: Uint8Array; readonly lengthBytes: number }
  | { readonly distance: number; readonly length: number; readonly distanceBytes: number };

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

const littleEndian = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, index) => (value >>> (8 * index)) & 255);

/** The elements as Snappy has them, and what they stand for; copies that reach too far are left out. */
function encode(elements: readonly Element[]): { compressed: Uint8Array; plain: Uint8Array } {
  const body: number[] = [];
  const plain: number[] = [];
  for (const element of elements) {
    if ("literal" in element) {
      const { literal, lengthBytes } = element;
      if (lengthBytes === 0) body.push((literal.length - 1) << 2);
      else body.push((59 + lengthBytes) << 2, ...littleEndian(literal.length - 1, lengthBytes));
      body.push(...literal);
      plain.push(...literal);
      continue;
    }
    const { distance, length, distanceBytes } = element;
    if (distance > plain.length) continue;
    if (distanceBytes === 1)
      body.push(((distance >> 8) << 5) | ((length - 4) << 2) | 1, distance & 255);
    else {
      body.push(((length - 1) << 2) | (distanceBytes === 2 ? 2 : 3));
      body.push(...littleEndian(distance, distanceBytes));
    }
    for (let i = 0; i < length; i++) plain.push(plain[plain.length - distance] ?? 0);
  }
  return {
    compressed: Uint8Array.from([...varint(plain.length), ...body]),
    plain: Uint8Array.from(plain),
  };
}

const literals = fc.oneof(
  fc.record({
    literal: fc.uint8Array({ minLength: 1, maxLength: 60 }),
    lengthBytes: fc.constant(0),
  }),
  fc.record({
    literal: fc.uint8Array({ minLength: 1, maxLength: 250 }),
    lengthBytes: fc.integer({ min: 1, max: 4 }),
  }),
);
const copies = fc.oneof(
  fc.record({
    distance: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 2047 })),
    length: fc.integer({ min: 4, max: 11 }),
    distanceBytes: fc.constant(1),
  }),
  fc.record({
    distance: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 3000 })),
    length: fc.integer({ min: 1, max: 64 }),
    distanceBytes: fc.constantFrom(2, 4),
  }),
);
const elements = fc.array(fc.oneof(literals, copies), { maxLength: 40 });

describe("decompression of Snappy", () => {
  test("decodes any elements, and writes nothing beyond its room", () => {
    fc.assert(
      fc.property(elements, (given) => {
        const { compressed, plain } = encode(given);
        const { output, sound } = decompress(compressed, plain.length);
        expect(sound).toBe(true);
        expect(Buffer.compare(output, plain)).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });

  test("refuses another size than the data has, and data that is cut off anywhere", () => {
    fc.assert(
      fc.property(
        elements,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (given, at) => {
          const { compressed, plain } = encode(given);
          expect(decompress(compressed, plain.length + 1).sound).toBe(false);
          if (plain.length > 0) expect(decompress(compressed, plain.length - 1).sound).toBe(false);
          const cut = compressed.subarray(0, Math.floor(at * compressed.length));
          expect(decompress(cut, plain.length).sound).toBe(false);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("stays in its room whatever bytes it is given", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(400), (bytes, size) => {
        decompress(Uint8Array.from([...varint(size), ...bytes]), size);
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    ["nothing at all", [], 0],
    ["a size that does not end", [0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 0],
    ["a copy at the start", [4, 0x01, 0x00], 4],
    ["a copy from before the start", [8, 0x0c, 1, 2, 3, 4, 0x01, 0x05], 8],
    ["a literal as long as memory", [4, 0xfc, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4], 4],
  ])("refuses %s", (_, bytes, size) => {
    expect(decompress(Uint8Array.from(bytes), size).sound).toBe(false);
  });

  test("a size of nothing needs no elements", () => {
    expect(decompress(Uint8Array.of(0), 0).sound).toBe(true);
  });
});
