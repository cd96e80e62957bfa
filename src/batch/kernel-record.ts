import type { Kernel } from "./kernel.js";

/** A layout of `layouts.ts` with its u32 members by name. */
interface WordLayout<Name extends string> {
  readonly bytes: number;
  readonly words: Readonly<Record<Name, number>>;
}

/** An object in kernel memory, zeroed, with `bytesBehind` more bytes for the kernels. */
export class KernelRecord<Name extends string> {
  /** The address that kernels take. */
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
    return this.kernel.u32[this.address / 4 + this.#words[name]]!;
  }

  set(name: Name, value: number): void {
    this.kernel.u32[this.address / 4 + this.#words[name]] = value;
  }

  free(): void {
    this.kernel.free(this.address);
  }
}

/** Writes the u32 members of the object at an address; other members keep their values. */
export function writeWords<Name extends string>(
  { u32 }: Kernel,
  layout: WordLayout<Name>,
  address: number,
  values: Readonly<Record<NoInfer<Name>, number>>,
): void {
  for (const name of Object.keys(values) as Name[]) {
    u32[address / 4 + layout.words[name]] = values[name];
  }
}

/** Allocates an object that has u32 members only; returns its address. */
export function placeRecord<Name extends string>(
  kernel: Kernel,
  layout: WordLayout<Name>,
  values: Readonly<Record<NoInfer<Name>, number>>,
): number {
  const address = kernel.allocate(layout.bytes);
  writeWords(kernel, layout, address, values);
  return address;
}
