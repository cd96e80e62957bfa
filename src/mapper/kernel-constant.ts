import type { Kernel } from "../batch/kernel.js";

/** Bytes in kernel memory that are never freed. */
export interface KernelConstant {
  readonly address: number;
  readonly length: number;
}

const encoder = new TextEncoder();

/** Stores a text in kernel memory as UTF-8. */
export function storeText(kernel: Kernel, text: string): KernelConstant {
  const bytes = encoder.encode(text);
  const address = kernel.allocate(bytes.length);
  kernel.bytes.set(bytes, address);
  return { address, length: bytes.length };
}

/** Stores u32 values in kernel memory and returns their address. */
export function storeU32s(kernel: Kernel, values: readonly number[]): number {
  const address = kernel.allocate(values.length * 4);
  kernel.u32.set(values, address / 4);
  return address;
}

/** Stores texts in kernel memory. Returns the address of their (address, length) pairs. */
export function storeTexts(kernel: Kernel, texts: readonly string[]): number {
  return storeU32s(
    kernel,
    texts.flatMap((text) => {
      const { address, length } = storeText(kernel, text);
      return [address, length];
    }),
  );
}
