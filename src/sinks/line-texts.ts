import { type Kernel, Region } from "../batch/kernel.js";
import { LOOSE_BYTES, type Segment } from "./segment.js";

/** The lines of a `LineSegment`, some at a time, in any order. Kernel memory is taken once. */
export class LineTexts {
  readonly #copies: Region;
  readonly #result: number;
  #address = 0;
  #length = 0;

  constructor(
    private readonly kernel: Kernel,
    private readonly bytesMax: number,
  ) {
    this.#copies = new Region(kernel, bytesMax + LOOSE_BYTES);
    this.#result = kernel.allocate(16);
  }

  /** What the last `encode` has found; a view, valid until the next one. */
  get bytes(): Uint8Array {
    return this.kernel.bytes.subarray(this.#address, this.#address + this.#length);
  }

  /**
   * Takes the lines at places [start, end) of the order (address of u32 row numbers), as many as have
   * `bytesMax` bytes together, one at least; returns the place after the last of them. Lines that lie
   * one behind the other, as all do of an export in order, are not copied.
   */
  encode(segment: Segment, order: number, start: number, end: number): number {
    const { run, words } = this.kernel;
    const column = segment.columns[0]!.address;
    run.measureTexts(column, order, start, end, this.bytesMax, this.#result);
    const result = this.#result / 4;
    const [next, length, piece] = [words[result]!, words[result + 1]!, words[result + 2]!];
    this.#length = length;
    this.#address = piece;
    if (piece !== 0) return next;
    this.#copies.ensure(length + LOOSE_BYTES);
    this.#address = this.#copies.address;
    run.copyTexts(column, order, start, next, this.#address);
    return next;
  }
}
