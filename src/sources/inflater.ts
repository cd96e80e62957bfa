import { DECODE_FEED_BYTES, KIB } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import { KernelRecord } from "../batch/kernel-record.js";
import { streamLayout } from "../batch/layouts.js";
import type { ByteSource } from "./byte-source.js";
import { corrupt, truncated } from "./source-errors.js";

/** Compressed bytes that end too early, break the codec's rules, or are followed by other bytes. */
export class DecodeFailure extends Error {
  constructor(
    readonly kind: "truncated" | "corrupt" | "trailing",
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }

  /**
   * The error of the source. `byte`: decompressed bytes before the failure. `unitStart`: those before
   * the member or stream that failed, which has one checksum.
   */
  toSourceError(source: string, codec: string, byte: number, unitStart: number): Error {
    const facts = { byte, cause: this };
    const what = `the ${codec} data`;
    switch (this.kind) {
      case "truncated":
        return truncated(source, what, facts);
      case "corrupt":
        return corrupt(source, `${what} is damaged (${this.message})`, {
          ...facts,
          alteredFrom: unitStart,
        });
      case "trailing":
        return corrupt(source, `other bytes follow after the end of ${what}`, facts);
    }
  }
}

/** Unread bytes that `CompressedInput` keeps in front of the next feed. */
const REST_BYTES_MAX = 1_024;

/** Compressed bytes in kernel memory, up to `DECODE_FEED_BYTES` at a time. Positions are addresses. */
export class CompressedInput {
  cursor: number;
  end: number;
  /** True if nothing comes after `end`, also because upstream broke there. */
  ended = false;
  /** The error that broke upstream, to be thrown once everything before it is decoded. */
  failure: unknown;
  readonly #start: number;

  constructor(
    private readonly kernel: Kernel,
    private readonly upstream: ByteSource,
  ) {
    this.#start = kernel.allocate(REST_BYTES_MAX + DECODE_FEED_BYTES);
    this.cursor = this.#start;
    this.end = this.#start;
  }

  /** Moves the unread bytes to the front and reads more after them; sets `ended` at the end. */
  async fill(): Promise<void> {
    this.kernel.bytes.copyWithin(this.#start, this.cursor, this.end);
    this.end -= this.cursor - this.#start;
    this.cursor = this.#start;
    const limit = this.#start + REST_BYTES_MAX + DECODE_FEED_BYTES;
    try {
      const count = await this.upstream.read(this.kernel.bytes.subarray(this.end, limit));
      this.end += count;
      this.ended = count === 0;
    } catch (error) {
      this.failure = error;
      this.ended = true;
    }
  }

  /** True if `count` more bytes follow; `count` is at most `DECODE_FEED_BYTES`. */
  async has(count: number): Promise<boolean> {
    while (this.end - this.cursor < count && !this.ended) await this.fill();
    return this.end - this.cursor >= count;
  }

  /** The next bytes, of which `has` was asked before; the view is valid until the next `has` or `fill`. */
  take(count: number): Uint8Array {
    this.cursor += count;
    return this.kernel.bytes.subarray(this.cursor - count, this.cursor);
  }

  /** All bytes that are in memory. */
  takeAll(): Uint8Array {
    return this.take(this.end - this.cursor);
  }

  free(): void {
    this.kernel.free(this.#start);
  }
}

/** Bytes after the stream's record; `CODE_LENGTHS_MAX` of the kernels. */
export const CODE_LENGTHS_BYTES = 320;

/** Results of `inflate`; higher numbers are `truncated` plus 1 plus an index of `faults`. */
export const inflateStatuses = { wantsInput: 0, wantsRoom: 1, done: 2, truncated: 3 } as const;

/** With the wording of zlib. */
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

/** The largest distance of a match. */
const HISTORY_BYTES = 32 * KIB;

/**
 * Decodes DEFLATE streams, one after the other, in kernel memory. Output lies at [`from`, `to`) until
 * `makeRoom`; the caller moves `from` past the bytes that it has taken.
 */
export class Inflater {
  from: number;
  readonly #kernel: Kernel;
  readonly #input: CompressedInput;
  readonly #stream: KernelRecord<keyof typeof streamLayout.words>;
  readonly #output: number;

  /** `chunkBytes`: output of one `run`, at most. */
  constructor(kernel: Kernel, input: CompressedInput, chunkBytes: number) {
    this.#kernel = kernel;
    this.#input = input;
    this.#stream = new KernelRecord(kernel, streamLayout, CODE_LENGTHS_BYTES);
    this.#output = kernel.allocate(HISTORY_BYTES + chunkBytes);
    this.from = this.#output;
    this.#stream.set("output", this.#output);
    this.#stream.set("outputEnd", this.#output + HISTORY_BYTES + chunkBytes);
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
   * Decodes up to the end of the stream (`done`) or until the output is full (`wantsRoom`). Throws
   * `DecodeFailure` after all output before the damage is written.
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
          throw new DecodeFailure("truncated", "unexpected end of file");
        default:
          throw new DecodeFailure("corrupt", faults[status - inflateStatuses.truncated - 1] ?? "");
      }
    }
  }

  /** Drops output that was taken, except the history. Returns by how much the rest has moved. */
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
