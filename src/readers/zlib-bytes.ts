import type { ByteSource } from "./byte-source.js";
import { describeFailure, type ZlibCodec, ZlibFailure } from "./zlib-failure.js";
import { ZlibPass } from "./zlib-pass.js";

/**
 * Compressed bytes of one step near a break, pass by pass: the first finds the place, the second goes
 * there byte by byte. One pass alone would take tens of thousands of steps.
 */
const REPEAT_STEPS = [256, 1];

/** Opens the bytes below a layer, from their start. */
export type OpenUpstream = () => Promise<ByteSource>;

/**
 * Bytes decompressed by Node's zlib, off the thread and a little ahead. Where the compressed data is
 * damaged, it is decoded again, slowly at the break, to give out every byte before it.
 */
export class ZlibBytes implements ByteSource {
  #chunk: Uint8Array = new Uint8Array();
  /** Decompressed bytes taken from the decoder, whether or not the caller has them yet. */
  #taken = 0;
  #consumed = 0;
  /** Passes begun after the first. */
  #repeats = 0;
  /** Decompressed bytes that a repeated pass has still to drop. */
  #skip = 0;

  private constructor(
    private readonly source: string,
    private readonly size: number,
    private readonly codec: ZlibCodec,
    private readonly openUpstream: OpenUpstream,
    private readonly signal: AbortSignal,
    private pass: ZlibPass,
  ) {}

  static async open(
    { name, size }: { readonly name: string; readonly size: number },
    codec: ZlibCodec,
    openUpstream: OpenUpstream,
    signal: AbortSignal,
  ): Promise<ZlibBytes> {
    const pass = new ZlibPass(codec, await openUpstream(), size);
    return new ZlibBytes(name, size, codec, openUpstream, signal, pass);
  }

  get consumed(): number {
    this.#consumed = Math.max(this.#consumed, this.pass.consumed);
    return this.#consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    this.signal.throwIfAborted();
    while (this.#chunk.length === 0) {
      const chunk = await this.#next();
      if (chunk === null) return 0;
      this.#chunk = chunk;
    }
    const count = Math.min(target.length, this.#chunk.length);
    target.set(this.#chunk.subarray(0, count));
    this.#chunk = this.#chunk.subarray(count);
    return count;
  }

  async close(): Promise<void> {
    await this.pass.close();
  }

  async #next(): Promise<Uint8Array | null> {
    for (;;) {
      try {
        const chunk = await this.pass.next();
        if (chunk === null) return null;
        const fresh = chunk.subarray(Math.min(this.#skip, chunk.length));
        this.#skip -= chunk.length - fresh.length;
        this.#taken += fresh.length;
        if (fresh.length > 0) return fresh;
      } catch (error) {
        if (!(error instanceof ZlibFailure)) throw error;
        const step = REPEAT_STEPS[this.#repeats];
        if (error.kind !== "corrupt" || step === undefined)
          throw describeFailure(this.source, this.codec, error, this.#taken);
        await this.#repeat(step);
      }
    }
  }

  /** From the start, finely from where the last pass broke, without what was taken already. */
  async #repeat(step: number): Promise<void> {
    const from = this.pass.decoded;
    this.#repeats += 1;
    this.#skip = this.#taken;
    this.#consumed = this.consumed;
    await this.pass.close();
    this.pass = new ZlibPass(this.codec, await this.openUpstream(), this.size, { from, step });
  }
}
