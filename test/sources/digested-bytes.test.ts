import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import type { ByteSource } from "../../src/sources/byte-source.js";
import { DigestedBytes } from "../../src/sources/digested-bytes.js";

/** A file whose reads end where they like. */
function sourceOf(bytes: Uint8Array, counts: readonly number[]): ByteSource {
  let position = 0;
  let reads = 0;
  return {
    read(target) {
      const most = counts[reads++ % counts.length] ?? 1;
      const part = bytes.subarray(position, position + Math.min(most, target.length));
      target.set(part);
      position += part.length;
      return part.length;
    },
    get consumed() {
      return position;
    },
    async close() {},
  };
}

it.each(["the kernel's memory", "other memory"])(
  "have the CRC-32 of what was read into %s",
  (memory) =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 20_000 }),
        fc.array(fc.integer({ min: 1, max: 6_000 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 40 }),
        async (bytes, counts, offset) => {
          const kernel = new Kernel();
          const digested = new DigestedBytes(kernel, sourceOf(bytes, counts), 7);
          const address = kernel.allocate(8_000) + offset;
          const target =
            memory === "other memory"
              ? new Uint8Array(7_000)
              : kernel.bytes.subarray(address, address + 7_000);
          while ((await digested.read(target)) > 0);
          expect(digested.digest()).toEqual({
            start: 7,
            bytes: bytes.length,
            crc32: crc32(bytes),
          });
          await digested.close();
        },
      ),
      { numRuns: 60 },
    ),
);
