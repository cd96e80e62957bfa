import { DECODE_CHUNK_BYTES } from "./limits.js";
import { errorNumber, type ZstdExports } from "./zstd-library.js";

/** Two buffer descriptors of three u32 each: address, size, position. */
const DESCRIPTOR_BYTES = 24;

/**
 * Decompresses zstd frames in memory, one part at a time. All decoders of a thread share the memory of the
 * library.
 */
export class ZstdDecoder {
  readonly #input: number;
  readonly #output: number;
  readonly #descriptors: number;
  #context: number;

  constructor(private readonly zstd: ZstdExports) {
    this.#input = zstd.malloc(DECODE_CHUNK_BYTES);
    this.#output = zstd.malloc(DECODE_CHUNK_BYTES);
    this.#descriptors = zstd.malloc(DESCRIPTOR_BYTES);
    this.#context = zstd.ZSTD_createDCtx();
  }

  /** Fills `target`. Returns false if `source` is damaged or has another number of bytes. */
  decompress(source: Uint8Array, target: Uint8Array): boolean {
    let written = 0;
    const isWhole = this.decode(source, (output) => {
      if (output.length > target.length - written) return false;
      target.set(output, written);
      written += output.length;
      return true;
    });
    return isWhole && written === target.length;
  }

  /**
   * Gives `take` each part of the content, which is valid only during the call. Returns false if `source`
   * is damaged or incomplete, or as soon as `take` returns false.
   */
  decode(source: Uint8Array, take: (output: Uint8Array) => boolean): boolean {
    if (this.#decode(source, take)) return true;
    // After an error a decoder's behaviour is undefined.
    this.zstd.ZSTD_freeDCtx(this.#context);
    this.#context = this.zstd.ZSTD_createDCtx();
    return false;
  }

  #decode(source: Uint8Array, take: (output: Uint8Array) => boolean): boolean {
    let read = 0;
    for (;;) {
      const given = source.subarray(read, read + DECODE_CHUNK_BYTES);
      const { result, consumed, output } = this.#step(given);
      if (errorNumber(result) !== 0 || !take(output)) return false;
      read += consumed;
      // 0 is the end of a frame; another frame can follow.
      if (result === 0 && read === source.length) return true;
      if (consumed === 0 && output.length === 0) return false;
    }
  }

  #step(given: Uint8Array) {
    const { zstd } = this;
    const descriptors = [this.#output, DECODE_CHUNK_BYTES, 0, this.#input, given.length, 0];
    new Uint8Array(zstd.memory.buffer, this.#input, given.length).set(given);
    new Uint32Array(zstd.memory.buffer, this.#descriptors, 6).set(descriptors);
    const input = this.#descriptors + DESCRIPTOR_BYTES / 2;
    const result = zstd.ZSTD_decompressStream(this.#context, this.#descriptors, input);
    // The memory may have grown, which detaches earlier views.
    const after = new Uint32Array(zstd.memory.buffer, this.#descriptors, 6);
    const output = new Uint8Array(zstd.memory.buffer, this.#output, after[2]);
    return { result, consumed: after[5] ?? 0, output };
  }

  free(): void {
    this.zstd.ZSTD_freeDCtx(this.#context);
    for (const address of [this.#input, this.#output, this.#descriptors]) this.zstd.free(address);
  }
}
