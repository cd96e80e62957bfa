import type { Kernel } from "./kernel.js";

/** One of `layouts.ts`, by the names of the members that are words. */
export interface WordLayout<Name extends string> {
  readonly bytes: number;
  readonly words: Readonly<Record<Name, number>>;
}

/** An object of the kernels in their memory, all zero at first; `bytesBehind` it are the kernels', too. */
export class KernelRecord<Name extends string> {
  /** What kernels take. */
  readonly address: number;
  readonly #words: Readonly<Record<Name, number>>;

  constructor(
    private readonly kernel: Kernel,
    { bytes, words }: WordLayout<Name>,
    bytesBehind = 0,
  ) {
    this.address = kernel.allocate(bytes + bytesBehind);
    this.#words = words;
    kernel.bytes.fill(0, this.address, this.address + bytes);
  }

  get(name: Name): number {
    return this.kernel.words[this.address / 4 + this.#words[name]]!;
  }

  set(name: Name, value: number): void {
    this.kernel.words[this.address / 4 + this.#words[name]] = value;
  }

  free(): void {
    this.kernel.free(this.address);
  }
}

/** Writes all words of an object at an address; other members stay as they are. */
export function writeWords<Name extends string>(
  { words }: Kernel,
  layout: WordLayout<Name>,
  address: number,
  values: Readonly<Record<NoInfer<Name>, number>>,
): void {
  for (const name of Object.keys(values) as Name[]) {
    words[address / 4 + layout.words[name]] = values[name];
  }
}

/** Puts an object of words alone into the kernel's memory and returns its address. */
export function placeRecord<Name extends string>(
  kernel: Kernel,
  layout: WordLayout<Name>,
  values: Readonly<Record<NoInfer<Name>, number>>,
): number {
  const address = kernel.allocate(layout.bytes);
  writeWords(kernel, layout, address, values);
  return address;
}
