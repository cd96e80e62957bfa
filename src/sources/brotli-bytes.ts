import type { Transform } from "node:stream";
import { createBrotliDecompress, type Zlib } from "node:zlib";
import { KIB } from "../base/limits.js";
import type { ByteSource } from "./byte-source.js";
import { DecodeFailure } from "./inflater.js";

/** Compressed bytes of one write, and decompressed bytes of one chunk. */
const CHUNK_BYTES = 16 * KIB;

/**
 * Brotli, decoded by Node's zlib on its thread pool. Up to CHUNK_BYTES before damage are lost, as zlib
 * does not give them out.
 */
export class BrotliBytes implements ByteSource {
  readonly #decoder: Transform & Zlib = createBrotliDecompress({ chunkSize: CHUNK_BYTES });
  readonly #block = Buffer.allocUnsafe(CHUNK_BYTES);
  /** Bytes of `#block` that the decoder has now. */
  #blockLength = 0;
  #read = 0;
  #chunk: Uint8Array = new Uint8Array();
  #given = 0;
  #ended = false;
  /** The errors of the decoder and of upstream. */
  #failure: unknown;
  #upstreamFailure: unknown;
  #wake: (() => void) | undefined;

  /** Owns `upstream` from now on. `name`: the source's name in errors. */
  constructor(
    private readonly name: string,
    private readonly upstream: ByteSource,
    private readonly signal: AbortSignal,
  ) {
    this.#decoder.on("readable", () => this.#wake?.());
    this.#decoder.on("end", () => {
      this.#ended = true;
      this.#wake?.();
    });
    this.#decoder.on("error", (error) => {
      this.#failure = error;
      this.#wake?.();
    });
    void this.#feed();
  }

  get consumed(): number {
    return this.upstream.consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    this.signal.throwIfAborted();
    if (this.#chunk.length === 0) this.#chunk = await this.#next();
    const count = Math.min(target.length, this.#chunk.length);
    target.set(this.#chunk.subarray(0, count));
    this.#chunk = this.#chunk.subarray(count);
    this.#given += count;
    return count;
  }

  async close(): Promise<void> {
    this.#decoder.destroy();
    await this.upstream.close();
  }

  /** The next decompressed bytes; none at the end. */
  async #next(): Promise<Uint8Array> {
    for (;;) {
      const chunk: Uint8Array | null = this.#decoder.read();
      if (chunk !== null) return chunk;
      if (this.#failure !== undefined || this.#ended) return this.#end();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #end(): Promise<Uint8Array> {
    if (this.#upstreamFailure !== undefined) throw this.#upstreamFailure;
    if (this.#failure === undefined && !(await this.#isFollowed())) return new Uint8Array();
    throw describe(this.#failure).toSourceError(this.name, "brotli", this.#given, 0);
  }

  async #feed(): Promise<void> {
    try {
      while (!this.#decoder.destroyed) {
        const count = await this.upstream.read(this.#block);
        if (count === 0 || this.#decoder.destroyed) break;
        this.#read += count;
        this.#blockLength = count;
        // Never called back if the compressed data ends inside this block.
        await new Promise<void>((resolve) => {
          this.#decoder.write(this.#block.subarray(0, count), () => resolve());
        });
      }
    } catch (error) {
      // Thrown once everything before it is given out.
      this.#upstreamFailure = error;
    }
    this.#decoder.end();
  }

  /** True if other bytes than zeros follow after the end of the compressed data. */
  async #isFollowed(): Promise<boolean> {
    const unused = this.#read - this.#decoder.bytesWritten;
    let rest = this.#block.subarray(this.#blockLength - unused, this.#blockLength);
    while (rest.length > 0) {
      if (rest.some((byte) => byte !== 0)) return true;
      rest = this.#block.subarray(0, await this.upstream.read(this.#block));
    }
    return false;
  }
}

/** `error`: of the decoder; undefined if it ended before its input. */
function describe(error: unknown): DecodeFailure {
  if (error === undefined) return new DecodeFailure("trailing", "other bytes follow");
  const { code, message } = error as NodeJS.ErrnoException;
  const kind = code === "Z_BUF_ERROR" ? "truncated" : "corrupt";
  return new DecodeFailure(kind, message, { cause: error });
}
