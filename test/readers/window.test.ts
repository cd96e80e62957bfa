import { describe, expect, it } from "vitest";
import { KIB, MIB } from "../../src/base/limits.js";
import { Kernel } from "../../src/batch/kernel.js";
import { Window } from "../../src/readers/window.js";
import type { ByteSource } from "../../src/sources/byte-source.js";

/** Bytes without end, as many as are asked for. */
const endless: ByteSource = {
  read: (target) => target.length,
  consumed: 0,
  close: () => Promise.resolve(),
};

describe("a window on a source", () => {
  it("is filled in steps that grow if a row ends far after its range", async () => {
    const window = new Window(new Kernel(), endless, 16 * MIB, 0);
    const ends: number[] = [];
    while (!window.isFull) {
      await window.fill(64 * KIB);
      ends.push(window.offsetOf(window.end) / KIB);
    }
    // After the first two steps, each end is at most twice the one before.
    expect(ends).toEqual([128, 192, 320, 576, 1088, 2112, 4160, 8256, 16_384]);
  });

  it("reads at most one step beyond a range whose last row ends there", async () => {
    const window = new Window(new Kernel(), endless, 2 * MIB, 0);
    await window.fill(MIB);
    expect(window.offsetOf(window.end)).toBe(MIB + 64 * KIB);
  });
});
