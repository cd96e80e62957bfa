import { DECODE_CHUNK_BYTES } from "../base/limits.js";
import {
  describeZstdError,
  errorNumber,
  explainUnreadableZstd,
  loadZstd,
  type ZstdExports,
} from "../base/zstd-library.js";
import type { ByteSource } from "./byte-source.js";
import { corrupt, truncated, unsupported } from "./source-errors.js";

/** Room for a whole block (at most 128 KiB) and the header of the next. */
const INPUT_BYTES = DECODE_CHUNK_BYTES;
const OUTPUT_BYTES = DECODE_CHUNK_BYTES;

/** Bytes that the decoder wants at the start of a frame (ZSTD_startingInputLength). */
const FRAME_START_BYTES = 5;

/** Two buffer descriptors of three u32 each. */
const DESCRIPTOR_BYTES = 24;

/**
 * The decompressed bytes of zstd frames, with checksums verified; skippable frames are skipped. The
 * decoder is fed exactly the bytes that it asks for, a block at a time, so nothing before a damaged
 * block is lost.
 */
export class ZstdBytes implements ByteSource {
  readonly #input: number;
  readonly #output: number;
  readonly #descriptors: number;
  readonly #context: number;
  readonly #block = Buffer.allocUnsafe(INPUT_BYTES);
  #start = 0;
  #end = 0;
  /** Bytes that the decoder asked for last; 0 between frames. */
  #wanted = 0;
  /** True if the last output did not fit, so that the decoder continues without input. */
  #pending = false;
  #given = 0;
  #frameStart = 0;
  #open = true;

  private constructor(
    private readonly source: string,
    private readonly upstream: ByteSource,
    private readonly signal: AbortSignal,
    private readonly zstd: ZstdExports,
  ) {
    this.#input = zstd.malloc(INPUT_BYTES);
    this.#output = zstd.malloc(OUTPUT_BYTES);
    this.#descriptors = zstd.malloc(DESCRIPTOR_BYTES);
    this.#context = zstd.ZSTD_createDCtx();
  }

  /** Owns `upstream` from now on. */
  static async open(source: string, upstream: ByteSource, signal: AbortSignal): Promise<ZstdBytes> {
    return new ZstdBytes(source, upstream, signal, await loadZstd());
  }

  get consumed(): number {
    return this.upstream.consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    for (;;) {
      this.signal.throwIfAborted();
      const atFrameStart = this.#wanted === 0;
      if (atFrameStart) this.#frameStart = this.#given;
      const wanted = atFrameStart ? FRAME_START_BYTES : this.#wanted;
      if (!this.#pending && this.#end - this.#start < Math.min(wanted, INPUT_BYTES)) {
        await this.#refill();
        if (this.#start === this.#end) {
          if (atFrameStart) return 0;
          throw truncated(this.source, "the zstd data", { byte: this.#given });
        }
      }
      const count = this.#decode(target, wanted);
      if (count > 0) return count;
    }
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.zstd.ZSTD_freeDCtx(this.#context);
    for (const address of [this.#input, this.#output, this.#descriptors]) this.zstd.free(address);
    await this.upstream.close();
  }

  /** Moves the unread bytes to the front and reads more after them; adds nothing only at the end. */
  async #refill(): Promise<void> {
    const memory = new Uint8Array(this.zstd.memory.buffer, this.#input, INPUT_BYTES);
    memory.copyWithin(0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    // Not into the decoder's memory: other streams share it, so it may move while upstream waits.
    const block = this.#block.subarray(this.#end);
    const count = await this.upstream.read(block);
    if (!this.#open) throw new Error(`read of ${this.source} after it was closed`);
    const filled = new Uint8Array(this.zstd.memory.buffer, this.#input + this.#end, count);
    filled.set(block.subarray(0, count));
    this.#end += count;
  }

  #decode(target: Uint8Array, wanted: number): number {
    const { zstd } = this;
    const given = Math.min(wanted, this.#end - this.#start);
    const room = Math.min(OUTPUT_BYTES, target.length);
    const before = new Uint32Array(zstd.memory.buffer, this.#descriptors, 6);
    before.set([this.#output, room, 0, this.#input + this.#start, this.#pending ? 0 : given, 0]);
    const result = zstd.ZSTD_decompressStream(
      this.#context,
      this.#descriptors,
      this.#descriptors + DESCRIPTOR_BYTES / 2,
    );
    const error = errorNumber(result);
    if (error !== 0) this.#fail(error);
    const after = new Uint32Array(zstd.memory.buffer, this.#descriptors, 6);
    const count = after[2] ?? 0;
    this.#start += after[5] ?? 0;
    this.#wanted = result >>> 0;
    this.#pending = count === room && result !== 0;
    target.set(new Uint8Array(zstd.memory.buffer, this.#output, count));
    this.#given += count;
    return count;
  }

  #fail(error: number): never {
    const unreadable = explainUnreadableZstd(error);
    if (unreadable !== null) throw unsupported(this.source, unreadable.what, unreadable.advice);
    const what = `the zstd data is damaged (${describeZstdError(error)})`;
    throw corrupt(this.source, what, { byte: this.#given, alteredFrom: this.#frameStart });
  }
}
