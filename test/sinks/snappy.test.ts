import fc from "fast-check";
import { snappyUncompress } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../support/property-runs.js";
import { usedKernel } from "../support/used-kernel.js";

const kernel = usedKernel();

function compress(input: Uint8Array): Uint8Array {
  const source = kernel.allocate(input.length);
  const sizeMax = kernel.run.snappyBytesMax(input.length);
  const target = kernel.allocate(sizeMax);
  kernel.bytes.set(input, source);
  // Bytes around the input must neither get into the result nor be overwritten.
  kernel.bytes.fill(0x5a, source + input.length, source + input.length + 16);
  kernel.bytes.fill(0x5a, target + sizeMax, target + sizeMax + 16);
  const size = kernel.run.snappyCompress(source, input.length, target);
  const guard = kernel.bytes.slice(target + sizeMax, target + sizeMax + 16);
  expect(guard).toEqual(new Uint8Array(16).fill(0x5a));
  const output = kernel.bytes.slice(target, target + size);
  kernel.free(source);
  kernel.free(target);
  return output;
}

/** Two decoders, one in JavaScript and one in WebAssembly, that are not ours. */
function expectRoundTrip(input: Uint8Array): Uint8Array {
  const compressed = compress(input);
  const plain = new Uint8Array(input.length);
  snappyUncompress(compressed, plain);
  expect(Buffer.compare(plain, input)).toBe(0);
  if (input.length > 0) {
    const other = compressors.SNAPPY?.(compressed, input.length) as Uint8Array;
    expect(Buffer.compare(other, input)).toBe(0);
  }
  return compressed;
}

/** A fixed sequence of bytes that does not compress. */
function noise(length: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

describe("snappy", () => {
  test("random bytes over small alphabets come back", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 256 }),
        fc.uint8Array({ maxLength: 3000, size: "max" }),
        (alphabet, bytes) => {
          expectRoundTrip(bytes.map((byte) => byte % alphabet));
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  test("repeats of every length and distance come back", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 70_000 }), fc.integer({ min: 1, max: 300 })), {
          maxLength: 12,
        }),
        (repeats) => {
          const parts = [noise(70_000)];
          for (const [distance, length] of repeats) {
            const before = Buffer.concat(parts);
            const start = before.length - distance;
            parts.push(before.subarray(start, Math.min(before.length, start + length)));
          }
          expectRoundTrip(Buffer.concat(parts));
        },
      ),
      { numRuns: propertyRuns(60) },
    );
  });

  test.each([0, 1, 15, 16, 17, 59, 60, 61, 255, 256, 257, 65_535, 65_536, 65_537, 1_200_000])(
    "%d bytes that do not compress grow by no more than the bound, and come back",
    (length) => {
      const compressed = expectRoundTrip(noise(length));
      expect(compressed.length).toBeLessThanOrEqual(kernel.run.snappyBytesMax(length));
    },
  );

  test.each([64, 65, 66, 67, 68, 69, 127, 128, 132, 1_000_000])(
    "a run of %d equal bytes becomes small and comes back",
    (length) => {
      const compressed = expectRoundTrip(new Uint8Array(length).fill(65));
      expect(compressed.length).toBeLessThan(12 + (length / 64) * 3.1);
    },
  );

  test("the same input gives the same output whatever was compressed before", () => {
    const input = Buffer.from("a tea house in a teapot, a tea house on a tea tray ".repeat(300));
    const first = compress(input);
    compress(noise(100_000));
    expect(compress(input)).toEqual(first);
  });
});
