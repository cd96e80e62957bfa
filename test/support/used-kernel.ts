import { Kernel } from "../../src/batch/kernel.js";

const MEMORY_BYTES_MAX = 256 * 2 ** 20;
let kernel: Kernel | undefined;

/**
 * Returns a kernel with memory that earlier tests have used. Most of the time of a new one goes into
 * memory that grows, which makes V8 collect garbage.
 */
export function usedKernel(): Kernel {
  if (kernel === undefined || kernel.memory.buffer.byteLength > MEMORY_BYTES_MAX) {
    kernel = new Kernel();
  }
  return kernel;
}
