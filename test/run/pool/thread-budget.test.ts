import { describe, expect, it } from "vitest";
import { GIB, MIB, WORKER_HEAP_BYTES_MIN } from "../../../src/base/limits.js";
import { budgetThreads } from "../../../src/run/pool/worker-pool.js";

const options = { threads: 4, memoryBytes: 16 * GIB, rowBytesMax: 16 * MIB };

describe("the memory of a run", () => {
  it("gives the requested number of threads if it is large enough", () => {
    expect(budgetThreads(options).threads).toBe(4);
  });

  it("is never exceeded by the needs of the threads, which share the rest", () => {
    for (let memoryBytes = 400 * MIB; memoryBytes <= 4 * GIB; memoryBytes += 37 * MIB) {
      const { threads, heapBytes } = budgetThreads({ ...options, threads: 64, memoryBytes });
      expect(threads * heapBytes).toBeLessThan(memoryBytes);
      expect(heapBytes).toBeGreaterThanOrEqual(WORKER_HEAP_BYTES_MIN);
    }
  });

  it("that is too small for one thread is refused with the required minimum", () => {
    const tooLittle = () => budgetThreads({ ...options, memoryBytes: 100 * MIB });
    expect(tooLittle).toThrow(expect.objectContaining({ exitCode: 2, code: "memory_too_small" }));
    let least = 0;
    try {
      tooLittle();
    } catch (error) {
      least = Number(/at least (\d+)MiB/.exec((error as Error).message)?.[1]);
    }
    expect(budgetThreads({ ...options, memoryBytes: least * MIB }).threads).toBe(1);
    expect(() => budgetThreads({ ...options, memoryBytes: (least - 1) * MIB })).toThrow();
  });
});
