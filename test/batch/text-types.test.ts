import fc from "fast-check";
import { expect, test } from "vitest";
import { isOfType, parseBigint, parseDouble, type TextType } from "../../src/batch/text-types.js";
import { propertyRuns } from "../support/property-runs.js";

function takes(text: string, type: TextType): boolean {
  const bytes = Buffer.from(`"${text}"`);
  return isOfType(bytes, 1, bytes.length - 1, type);
}

function read<Value>(
  text: string,
  parse: (bytes: Uint8Array, start: number, end: number) => Value,
) {
  const bytes = Buffer.from(`9${text}9`);
  return parse(bytes, 1, bytes.length - 1);
}

function isJsonNumber(text: string): boolean {
  try {
    return Number.isFinite(JSON.parse(text)) && text.trim() === text;
  } catch {
    return false;
  }
}

const almostNumbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.tuple(fc.integer(), fc.nat(9_999_999)).map(([whole, part]) => `${whole}.${part}`),
  fc.stringMatching(/^[-+.0-9eE ]{0,20}$/),
);

test("doubles are the numbers of JSON, and have the value that JSON gives them", () => {
  fc.assert(
    fc.property(almostNumbers, (text) => {
      expect(takes(text, "double"), text).toBe(isJsonNumber(text));
      if (isJsonNumber(text)) expect(read(text, parseDouble)).toBe(Number(text));
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test("bigints are the whole numbers of 64 bits, digit for digit", () => {
  fc.assert(
    fc.property(almostNumbers, (text) => {
      const isWhole = /^(-?[1-9]\d*|-?0)$/.test(text);
      const isOf64Bits = isWhole && BigInt(text) >= -(2n ** 63n) && BigInt(text) < 2n ** 63n;
      expect(takes(text, "bigint"), text).toBe(isOf64Bits);
      if (isOf64Bits) expect(read(text, parseBigint)).toBe(BigInt(text));
    }),
    { numRuns: propertyRuns(3_000) },
  );
});

test.each(["", "-", ".5", "5.", "05", "-05.1", "1,5", "NaN", "Infinity", "1e400", "0x10", "1_000"])(
  "%j is no double",
  (text) => expect(takes(text, "double")).toBe(false),
);

test.each([
  ["9007199254740993", 9007199254740992],
  ["0.1", 0.1],
  ["123456789.123456", 123456789.123456],
  ["5e-324", 5e-324],
  ["1.7976931348623157e308", Number.MAX_VALUE],
])("%s is the double nearest to it", (text, value) => {
  expect(read(text, parseDouble)).toBe(value);
});
