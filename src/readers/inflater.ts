import { DECODE_CHUNK_BYTES, KIB } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { streamLayout } from "../batch/layouts.js";
import type { CompressedInput } from "./compressed-input.js";
import { ZlibFailure } from "./zlib-failure.js";

/** Behind the stream; `CODE_LENGTHS_MAX` of the kernels. */
const CODE_LENGTHS_BYTES = 320;

/** How `inflate` ends; what is higher is the place of a fault in `faults` below. */
const inflateStatuses = { wantsInput: 0, wantsRoom: 1, done: 2, truncated: 3 } as const;

/** In the words of zlib. */
const faults = [
  "invalid block type",
  "invalid stored block lengths",
  "too many length or distance symbols",
  "invalid code lengths set",
  "invalid bit length repeat",
  "invalid code -- missing end-of-block",
  "invalid literal/lengths set",
  "invalid distances set",
  "invalid literal/length code",
  "invalid distance code",
  "invalid distance too far back",
] as const;

/** How far back matches reach. */
const HISTORY_BYTES = 32 * KIB;

/**
 * One DEFLATE stream after the other, decoded in kernel memory. Output lies at [`from`, `to`) until
 * `makeRoom`; whoever takes it moves `from` on.
 */
export class Inflater {
  from: number;
  readonly #kernel: Kernel;
  readonly #input: CompressedInput;
  readonly #stream: KernelRecord<keyof typeof streamLayout.words>;
  readonly #output: number;

  constructor(kernel: Kernel, input: CompressedInput) {
    this.#kernel = kernel;
    this.#input = input;
    this.#stream = new KernelRecord(kernel, streamLayout, CODE_LENGTHS_BYTES);
    this.#output = kernel.allocate(HISTORY_BYTES + DECODE_CHUNK_BYTES);
    this.from = this.#output;
    this.#stream.set("output", this.#output);
    this.#stream.set("outputEnd", this.#output + HISTORY_BYTES + DECODE_CHUNK_BYTES);
    this.begin();
  }

  get to(): number {
    return this.#stream.get("output");
  }

  /** Begins a stream at the input's cursor. Output of the one before stays where it is. */
  begin(): void {
    this.#stream.set("history", this.to);
    this.#stream.set("phase", 0);
    this.#kernel.doubles[this.#stream.address / 8 + streamLayout.longs.bits] = 0;
    this.#stream.set("bitCount", 0);
  }

  /**
   * Decodes on: `done` at the end of the stream, `wantsRoom` when there is no more room. Throws
   * `ZlibFailure` with all output before the damage written.
   */
  async run(): Promise<"done" | "wantsRoom"> {
    const input = this.#input;
    for (;;) {
      this.#stream.set("input", input.cursor);
      this.#stream.set("inputEnd", input.end);
      this.#stream.set("inputIsLast", input.ended ? 1 : 0);
      const status = this.#kernel.run.inflate(this.#stream.address);
      input.cursor = this.#stream.get("input");
      switch (status) {
        case inflateStatuses.wantsInput:
          await input.fill();
          break;
        case inflateStatuses.wantsRoom:
          return "wantsRoom";
        case inflateStatuses.done:
          return "done";
        case inflateStatuses.truncated:
          throw new ZlibFailure("truncated", "unexpected end of file");
        default:
          throw new ZlibFailure("corrupt", faults[status - inflateStatuses.truncated - 1] ?? "");
      }
    }
  }

  /** Drops output that was taken, but for the history. Gives how far what remains has moved. */
  makeRoom(): number {
    const { to } = this;
    const kept = Math.max(this.#stream.get("history"), to - HISTORY_BYTES);
    const shift = kept - this.#output;
    this.#kernel.bytes.copyWithin(this.#output, kept, to);
    this.#stream.set("history", this.#output);
    this.#stream.set("output", to - shift);
    this.from -= shift;
    return shift;
  }

  free(): void {
    this.#stream.free();
    this.#kernel.free(this.#output);
  }
}
