import type { Kernel } from "../batch/kernel.js";

/** Bytes in kernel memory that stay as long as the kernel does. */
export interface KernelConstant {
  readonly address: number;
  readonly length: number;
}

const encoder = new TextEncoder();

/** Puts a text into the kernel's memory as UTF-8. */
export function placeText(kernel: Kernel, text: string): KernelConstant {
  const bytes = encoder.encode(text);
  const address = kernel.allocate(bytes.length);
  kernel.bytes.set(bytes, address);
  return { address, length: bytes.length };
}

/** Puts u32 words into the kernel's memory and returns their address. */
export function placeWords(kernel: Kernel, words: readonly number[]): number {
  const address = kernel.allocate(words.length * 4);
  kernel.u32.set(words, address / 4);
  return address;
}

/**
 * Puts texts into the kernel's memory, and pairs of their addresses and lengths, whose address it gives.
 */
export function placeTexts(kernel: Kernel, texts: readonly string[]): number {
  return placeWords(
    kernel,
    texts.flatMap((text) => {
      const { address, length } = placeText(kernel, text);
      return [address, length];
    }),
  );
}
