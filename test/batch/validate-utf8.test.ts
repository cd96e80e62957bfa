import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { longTest } from "../support/long-test.js";
import { propertyRuns } from "../support/property-runs.js";

const kernel = new Kernel();
const address = kernel.allocate(4096);

/** As the kernel sees bytes among others: at `place` of a row, with bytes behind that do not count. */
function isValid(bytes: Uint8Array, place = 0, behind = 0x80): boolean {
  const start = address + place;
  kernel.bytes.set(bytes, start);
  kernel.bytes.fill(behind, start + bytes.length, start + bytes.length + 32);
  return kernel.run.validateUtf8(start, start + bytes.length) === 1;
}

/** Both ends of every range that table 3-7 of Unicode tells apart, and what lies beside them. */
const edges = [
  0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
  0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff,
];

describe("validateUtf8", () => {
  longTest(
    "agrees with Node on every sequence of up to four bytes from the edges of all ranges",
    () => {
      const differing: string[] = [];
      const check = (bytes: readonly number[]) => {
        const data = Uint8Array.from(bytes);
        if (isValid(data) !== isUtf8(data)) differing.push(Buffer.from(data).toString("hex"));
      };
      for (let first = 0; first < 256; first++) {
        check([first]);
        for (let second = 0; second < 256; second++) check([first, second]);
      }
      for (const first of edges) {
        for (let second = 0; second < 256; second++) {
          for (const third of edges) {
            check([first, second, third]);
            for (const fourth of edges) check([first, second, third, fourth]);
          }
        }
      }
      expect(differing).toEqual([]);
    },
  );

  test("agrees with Node wherever the sequence falls on the steps, and wherever it is cut", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 6 }).map((text) => Buffer.from(text)),
      fc.nat(70).map((length) => Buffer.alloc(length, "a")),
      fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(...edges).map((byte) => Buffer.from([byte])),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.nat(63),
        fc.constantFrom(0x80, 0x41, 0xf0),
        (pieces, place, behind) => {
          const bytes = Buffer.concat(pieces);
          for (let end = 0; end <= bytes.length; end++) {
            const part = bytes.subarray(0, end);
            expect(isValid(part, place, behind)).toBe(isUtf8(part));
          }
        },
      ),
      { numRuns: propertyRuns(1000) },
    );
  });
});
