import { DECODE_FEED_BYTES } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";

/** Bytes in front of a feed that the feed before has left over. */
const REST_BYTES_MAX = 1_024;

/** Compressed bytes in kernel memory, up to `DECODE_FEED_BYTES` at a time. Addresses all. */
export class CompressedInput {
  cursor: number;
  end: number;
  /** Whether nothing comes after `end`, also where upstream broke there. */
  ended = false;
  /** What broke upstream, to be thrown once what came before it is decoded. */
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

  /** Moves what is left to the front and reads more behind it; sets `ended` where there is no more. */
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

  /** Whether there are `count` bytes more, at most `DECODE_FEED_BYTES`. */
  async has(count: number): Promise<boolean> {
    while (this.end - this.cursor < count && !this.ended) await this.fill();
    return this.end - this.cursor >= count;
  }

  /** The next bytes, which must be there; the view is valid until the next `has` or `fill`. */
  take(count: number): Uint8Array {
    this.cursor += count;
    return this.kernel.bytes.subarray(this.cursor - count, this.cursor);
  }

  /** All bytes that are there. */
  takeAll(): Uint8Array {
    return this.take(this.end - this.cursor);
  }

  free(): void {
    this.kernel.free(this.#start);
  }
}
