import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { BESIDE_AHEAD_CHUNKS, BESIDE_CHUNK_BYTES, BESIDE_FEED_BYTES, KIB } from "../base/limits.js";
import type { ByteSource } from "./byte-source.js";
import { type ZlibCodec, ZlibFailure } from "./zlib-failure.js";

/** Where a pass begins to go slowly, as a place in the compressed bytes, and how slowly. */
export interface FineSteps {
  readonly from: number;
  readonly step: number;
}

/**
 * One run of a decoder over compressed bytes. Decoding happens on Node's thread pool, a few chunks
 * ahead of the caller. Where the decoder fails, up to a chunk that it had decoded is lost with it;
 * another pass with finer steps gets at those bytes.
 */
export class ZlibPass {
  readonly #stream: Transform & zlib.Zlib;
  readonly #block: Buffer;
  /** Bytes of `#block` in the decoder now. */
  #blockLength = 0;
  #read = 0;
  #decoded = 0;
  #failure: unknown;
  #upstreamFailure: unknown;
  #ended = false;
  #wake: (() => void) | undefined;
  #resumeFeeding: (() => void) | undefined;

  /**
   * Owns `upstream` from now on. `size`: bytes on disk of the source, which buffers are made to
   * fit, as there are zips of a hundred thousand tiny entries. From compressed byte `fine.from` on,
   * the decoder gets `fine.step` bytes at a time, and only after all output before has been taken.
   */
  constructor(
    codec: ZlibCodec,
    private readonly upstream: ByteSource,
    size: number,
    private readonly fine: FineSteps = { from: Number.POSITIVE_INFINITY, step: 1 },
  ) {
    this.#block = Buffer.allocUnsafe(clamp(size, KIB, BESIDE_FEED_BYTES));
    this.#stream = createDecoder(codec, clamp(size * 8, 16 * KIB, BESIDE_CHUNK_BYTES));
    this.#stream.on("readable", () => this.#wakeUp());
    this.#stream.on("end", () => {
      this.#ended = true;
      this.#wakeUp();
    });
    this.#stream.on("error", (error) => {
      this.#failure = error;
      this.#wakeUp();
    });
    this.#feed().catch((error) => {
      // What the decoder holds comes out first; `next` then throws this one.
      this.#upstreamFailure = error;
      this.#stream.end();
      this.#wakeUp();
    });
  }

  /** Compressed bytes whose whole output has come out of the decoder. */
  get decoded(): number {
    return this.#decoded;
  }

  get consumed(): number {
    return this.upstream.consumed;
  }

  /** The next decompressed bytes, null at the end. Throws `ZlibFailure`, or what upstream threw. */
  async next(): Promise<Uint8Array | null> {
    for (;;) {
      const chunk: Uint8Array | null = this.#stream.read();
      if (chunk !== null) return chunk;
      if (this.#failure !== undefined) throw this.#upstreamFailure ?? describe(this.#failure);
      if (this.#ended) {
        if (this.#upstreamFailure !== undefined) throw this.#upstreamFailure;
        await this.#checkRest();
        return null;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#resumeFeeding?.();
      });
    }
  }

  async close(): Promise<void> {
    this.#stream.destroy();
    await this.upstream.close();
  }

  async #feed(): Promise<void> {
    for (;;) {
      const coarse = Math.min(this.#block.length, this.fine.from - this.#read);
      if (coarse <= 0) await this.#outputTaken();
      if (this.#stream.destroyed) return;
      const length = coarse > 0 ? coarse : this.fine.step;
      const count = await this.upstream.read(this.#block.subarray(0, length));
      if (this.#stream.destroyed) return;
      if (count === 0) {
        this.#stream.end();
        return;
      }
      this.#read += count;
      this.#blockLength = count;
      // Where the compressed data ends inside this block, the decoder never asks for more, and
      // this promise stays open: `#checkRest` takes over.
      await new Promise<void>((resolve) => {
        this.#stream.write(this.#block.subarray(0, count), () => resolve());
      });
      this.#decoded = this.#read;
    }
  }

  /** Resolves when the caller waits for output, so has taken all there was. */
  async #outputTaken(): Promise<void> {
    if (this.#wake !== undefined && this.#stream.readableLength === 0) return;
    await new Promise<void>((resolve) => {
      this.#resumeFeeding = resolve;
    });
    this.#resumeFeeding = undefined;
  }

  /** After the end of the compressed data only zeros may follow: padding, as on tapes. */
  async #checkRest(): Promise<void> {
    const unused = this.#read - this.#stream.bytesWritten;
    let rest = this.#block.subarray(this.#blockLength - unused, this.#blockLength);
    while (rest.length > 0) {
      if (rest.some((byte) => byte !== 0)) {
        throw new ZlibFailure("trailing", "other bytes follow");
      }
      rest = this.#block.subarray(0, await this.upstream.read(this.#block));
    }
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}

function createDecoder(codec: ZlibCodec, chunkSize: number): Transform & zlib.Zlib {
  const options = {
    chunkSize,
    // Chunks stay as they are instead of being joined, and are what the high-water mark counts.
    readableObjectMode: true,
    readableHighWaterMark: BESIDE_AHEAD_CHUNKS,
    writableHighWaterMark: BESIDE_FEED_BYTES,
  };
  switch (codec) {
    case "gzip":
      return zlib.createGunzip(options);
    case "deflate":
      return zlib.createInflateRaw(options);
    case "brotli":
      return zlib.createBrotliDecompress(options);
  }
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (error.code === "Z_BUF_ERROR") {
    return new ZlibFailure("truncated", error.message, { cause: error });
  }
  return new ZlibFailure("corrupt", error.message, { cause: error });
}
