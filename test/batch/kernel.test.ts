import { describe, expect, test } from "vitest";
import { BufferPool, Kernel } from "../../src/batch/kernel.js";

const MIB = 1024 * 1024;

/** Allocates blocks until there is no room for one; returns the sizes that the memory had. */
function exhaust(kernel: Kernel, blockBytes: number): readonly number[] {
  const sizes = new Set<number>();
  try {
    for (;;) {
      const address = kernel.allocate(blockBytes);
      kernel.bytes[address + blockBytes - 1] = 1;
      sizes.add(kernel.memory.buffer.byteLength);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
  }
  return [...sizes];
}

describe("the kernels' memory", () => {
  test("grows in few steps, and is given out to its end", () => {
    const kernel = new Kernel();
    const sizes = exhaust(kernel, 8 * MIB);
    expect(sizes.filter((size) => size < 800 * MIB).length).toBeLessThan(10);
    expect(sizes.at(-1)).toBeGreaterThan(2016 * MIB);
    expect(kernel.memory.buffer.byteLength).toBeLessThanOrEqual(2048 * MIB);
  });

  test.each([
    2 ** 31 - 65_536,
    2 ** 31,
    2 ** 32 - 64,
    2 ** 32,
    2 ** 32 + 64,
    2 ** 45,
    -64,
    Number.NaN,
  ])("has no room for %d bytes, and stays as it was", (size) => {
    const kernel = new Kernel();
    const before = kernel.allocate(64);
    expect(() => kernel.allocate(size)).toThrow(RangeError);
    const after = [kernel.allocate(64), kernel.allocate(64)];
    expect(new Set([before, ...after]).size).toBe(3);
    expect(Math.min(...after)).toBeGreaterThan(before);
  });

  test("is seen whole by each view once it has grown", () => {
    const kernel = new Kernel();
    for (const view of ["bytes", "u32", "doubles"] as const) {
      // Taken before the memory grows, by another view than the others.
      expect(kernel[view].byteLength).toBe(kernel.memory.buffer.byteLength);
      const before = kernel.memory.buffer.byteLength;
      kernel.allocate(before);
      expect(kernel[view].byteLength).toBe(kernel.memory.buffer.byteLength);
      expect(kernel[view].byteLength).toBeGreaterThan(before);
    }
    kernel.bytes[8] = 1;
    expect([kernel.u32[2], kernel.doubles[1]]).toEqual([1, Number.MIN_VALUE]);
  });

  test("gives what was freed to those that need about as much", () => {
    const kernel = new Kernel();
    for (let size = 4 * MIB; size < 8 * MIB; size += 5_000) {
      const address = kernel.allocate(size);
      kernel.bytes[address + size - 1] = 1;
      kernel.free(address);
    }
    expect(kernel.memory.buffer.byteLength).toBeLessThan(256 * MIB);
  });
});

class Tool {
  isFree = false;

  constructor(readonly size: number) {}

  free(): void {
    this.isFree = true;
  }
}

class OtherTool extends Tool {}

describe("what has no user", () => {
  test("goes to the next one that needs it, and to no other", () => {
    const pool = new BufferPool();
    const tool = new Tool(1);
    pool.keep(tool);
    expect(pool.take(OtherTool, () => true)).toBeUndefined();
    expect(pool.take(Tool, ({ size }) => size === 1)).toBe(tool);
    expect(pool.take(Tool, () => true)).toBeUndefined();
    expect(tool.isFree).toBe(false);
  });

  test("is freed if it does not fit, or if another request of its class comes", () => {
    const pool = new BufferPool();
    const tools = [1, 2, 3].map((size) => new Tool(size));
    for (const tool of tools) pool.keep(tool);
    expect(tools.map(({ isFree }) => isFree)).toEqual([true, true, false]);
    expect(pool.take(Tool, ({ size }) => size === 1)).toBeUndefined();
    expect(tools.map(({ isFree }) => isFree)).toEqual([true, true, true]);
  });
});
