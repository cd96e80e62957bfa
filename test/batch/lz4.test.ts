import fc from "fast-check";
import { expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import { propertyRuns } from "../support/property-runs.js";

const kernel = new Kernel();
const RUNS = propertyRuns(300);
/** Bytes behind the target that are written to, at most. */
const LOOSE_BYTES = 64;
const GUARD_BYTES = 64;

/** Decompresses a block; undefined if it is refused. Expects that nothing else is written to. */
function decompress(input: Uint8Array, size: number): Uint8Array | undefined {
  const source = kernel.allocate(input.length);
  const target = kernel.allocate(size + LOOSE_BYTES + 2 * GUARD_BYTES) + GUARD_BYTES;
  const behind = target + size + LOOSE_BYTES;
  kernel.bytes.set(input, source);
  kernel.bytes.fill(0x5a, source + input.length, source + input.length + 64);
  kernel.bytes.fill(0x5a, target - GUARD_BYTES, behind + GUARD_BYTES);
  const end = source + input.length;
  const written = kernel.run.lz4Decompress(source, end, target, target, target + size);
  const untouched = new Uint8Array(GUARD_BYTES).fill(0x5a);
  expect(kernel.bytes.slice(target - GUARD_BYTES, target)).toEqual(untouched);
  expect(kernel.bytes.slice(behind, behind + GUARD_BYTES)).toEqual(untouched);
  expect(written === 0 || (written >= target && written <= target + size)).toBe(true);
  const output = written === 0 ? undefined : kernel.bytes.slice(target, written);
  kernel.free(source);
  kernel.free(target - GUARD_BYTES);
  return output;
}

interface Sequence {
  readonly literals: Uint8Array;
  readonly distance: number;
  readonly length: number;
}

/** The bytes of a length beyond the 15 that a token has. */
function rest(length: number): readonly number[] {
  if (length < 15) return [];
  return [...new Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];
}

/** Encodes sequences, and decodes them byte by byte. Matches that reach too far are shortened. */
function encode(sequences: readonly Sequence[], last: Uint8Array) {
  const block: number[] = [];
  const plain: number[] = [];
  for (const { literals, distance, length } of sequences) {
    const back = Math.min(distance, plain.length + literals.length);
    if (back === 0) continue;
    block.push((Math.min(literals.length, 15) << 4) | Math.min(length - 4, 15));
    block.push(...rest(literals.length), ...literals, back & 255, back >> 8, ...rest(length - 4));
    plain.push(...literals);
    for (let i = 0; i < length; i++) plain.push(plain[plain.length - back] ?? 0);
  }
  block.push(Math.min(last.length, 15) << 4, ...rest(last.length), ...last);
  plain.push(...last);
  return { block: Uint8Array.from(block), plain: Uint8Array.from(plain) };
}

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.uint8Array({ minLength: 60, maxLength: 700 }),
);
const sequence = fc.record({
  literals: bytes,
  distance: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 2000 })),
  length: fc.oneof(fc.integer({ min: 4, max: 80 }), fc.integer({ min: 4, max: 1500 })),
});
const blocks = fc.tuple(fc.array(sequence, { maxLength: 12 }), bytes);

test("blocks of any sequences decompress to their content", () => {
  const property = fc.property(blocks, ([sequences, last]) => {
    const { block, plain } = encode(sequences, last);
    expect(decompress(block, plain.length)).toEqual(plain);
  });
  fc.assert(property, { numRuns: RUNS });
});

test("a block that decompresses to more than there is room for is refused", () => {
  const property = fc.property(blocks, fc.nat(), ([sequences, last], at) => {
    const { block, plain } = encode(sequences, last);
    if (plain.length === 0) return;
    expect(decompress(block, at % plain.length)).toBeUndefined();
  });
  fc.assert(property, { numRuns: RUNS });
});

test("blocks whose bytes were changed, and random bytes, write nowhere else", () => {
  let refused = 0;
  const changed = blocks.chain(([sequences, last]) => {
    const { block, plain } = encode(sequences, last);
    const change = fc.tuple(fc.nat(block.length - 1), fc.nat(255));
    return fc.record({
      block: fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
        const copy = Uint8Array.from(block);
        for (const [at, byte] of changes) copy[at] = byte;
        return copy;
      }),
      size: fc.constant(plain.length),
    });
  });
  const random = fc.record({ block: fc.uint8Array({ maxLength: 300 }), size: fc.nat(3000) });
  const property = fc.property(fc.oneof(changed, random), ({ block, size }) => {
    if (decompress(block, size) === undefined) refused++;
  });
  fc.assert(property, { numRuns: propertyRuns(2) * RUNS });
  expect(refused).toBeGreaterThan(RUNS / 10);
});

test.each([
  ["a length without an end", [0xf0, ...new Array<number>(100).fill(255)]],
  ["a length beyond 32 bits", [0x0f, 1, 0, ...new Array<number>(60_000).fill(255), 0]],
  ["a distance of 0", [0x10, 1, 0, 0, 0x10, 1]],
  ["a distance before the first byte", [0x10, 1, 2, 0, 0x10, 1]],
  ["a match without literals behind it", [0x10, 1, 1, 0]],
  ["half a distance", [0x10, 1, 1]],
  ["nothing", []],
])("%s is refused", (_, block) => {
  expect(decompress(Uint8Array.from(block), 10_000)).toBeUndefined();
});
