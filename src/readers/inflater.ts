import { DECODE_CHUNK_BYTES, KIB } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import type { CompressedInput } from "./compressed-input.js";
import { ZlibFailure } from "./zlib-failure.js";

/** Words of `Stream` in src/kernels/inflate/inflate-state.ts, by index. */
const streamWords = {
  input: 0,
  inputEnd: 1,
  output: 2,
  outputEnd: 3,
  history: 4,
  inputIsLast: 5,
  bits: 6,
  bitCount: 8,
  phase: 9,
} as const;

const STREAM_BYTES = 56 + 320;

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
  readonly #stream: number;
  readonly #output: number;

  constructor(kernel: Kernel, input: CompressedInput) {
    this.#kernel = kernel;
    this.#input = input;
    this.#stream = kernel.allocate(STREAM_BYTES);
    this.#output = kernel.allocate(HISTORY_BYTES + DECODE_CHUNK_BYTES);
    this.from = this.#output;
    this.#set("output", this.#output);
    this.#set("outputEnd", this.#output + HISTORY_BYTES + DECODE_CHUNK_BYTES);
    this.begin();
  }

  get to(): number {
    return this.#get("output");
  }

  /** Begins a stream at the input's cursor. Output of the one before stays where it is. */
  begin(): void {
    this.#set("history", this.to);
    this.#set("phase", 0);
    this.#set("bits", 0);
    this.#kernel.words[this.#stream / 4 + streamWords.bits + 1] = 0;
    this.#set("bitCount", 0);
  }

  /**
   * Decodes on: `done` at the end of the stream, `wantsRoom` when there is no more room. Throws
   * `ZlibFailure` with all output before the damage written.
   */
  async run(): Promise<"done" | "wantsRoom"> {
    const input = this.#input;
    for (;;) {
      this.#set("input", input.cursor);
      this.#set("inputEnd", input.end);
      this.#set("inputIsLast", input.ended ? 1 : 0);
      const status = this.#kernel.run.inflate(this.#stream);
      input.cursor = this.#get("input");
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
    const kept = Math.max(this.#get("history"), to - HISTORY_BYTES);
    const shift = kept - this.#output;
    this.#kernel.bytes.copyWithin(this.#output, kept, to);
    this.#set("history", this.#output);
    this.#set("output", to - shift);
    this.from -= shift;
    return shift;
  }

  free(): void {
    this.#kernel.free(this.#stream);
    this.#kernel.free(this.#output);
  }

  #get(word: keyof typeof streamWords): number {
    return this.#kernel.words[this.#stream / 4 + streamWords[word]]!;
  }

  #set(word: keyof typeof streamWords, value: number): void {
    this.#kernel.words[this.#stream / 4 + streamWords[word]] = value;
  }
}
