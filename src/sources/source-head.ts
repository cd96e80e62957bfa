import { SourceError } from "../base/errors.js";
import { KIB, SNIFF_BYTES } from "../base/limits.js";
import type { ByteSource } from "./byte-source.js";
import { openBytes } from "./open-bytes.js";
import type { OpenOptions } from "./read-options.js";
import { isTarEntry, type SourceBytes } from "./source.js";

/** The first decompressed bytes of a source, as detection sees them. */
export interface HeadSample {
  readonly bytes: Uint8Array;
  readonly extent: HeadExtent;
}

/** `part`: more bytes can be read. `limit`: these are the first SNIFF_BYTES. `whole`: nothing follows. */
export type HeadExtent = "part" | "limit" | "whole";

/** Decompressed bytes decoded at a time: most heads decide within the first 16 KiB (20 µs). */
const CHUNK_BYTES = 4 * KIB;

/** The first bytes of a source, decompressed as far as they were asked for. */
export class SourceHead {
  #bytes: Uint8Array = new Uint8Array();
  #isWhole = false;
  #stream: ByteSource | undefined;

  /** `block`: memory of at least SNIFF_BYTES. `bytes`: first bytes that are known already. */
  constructor(
    readonly source: SourceBytes,
    private readonly options: OpenOptions,
    private readonly block: Buffer,
    bytes?: Uint8Array,
  ) {
    if (bytes === undefined) return;
    this.#bytes = bytes;
    const { entry, size } = source;
    this.#isWhole = bytes.length === (isTarEntry(entry) ? entry.size : size);
  }

  get sample(): HeadSample {
    const bytes = this.#bytes.subarray(0, SNIFF_BYTES);
    if (bytes.length === SNIFF_BYTES) return { bytes, extent: "limit" };
    return { bytes, extent: this.#isWhole ? "whole" : "part" };
  }

  /**
   * Reads until there are `count` bytes (at most SNIFF_BYTES) or nothing follows. A source that
   * breaks ends there; throws the error of `openBytes` if it breaks before its first byte.
   */
  async fill(count: number): Promise<void> {
    const wanted = Math.min(count, SNIFF_BYTES);
    if (this.#isWhole || this.#bytes.length >= wanted) return;
    let length = this.#stream === undefined ? 0 : this.#bytes.length;
    try {
      this.#stream ??= await openBytes(this.source, 0, {
        ...this.options,
        chunkBytes: CHUNK_BYTES,
      });
      while (length < wanted && !this.#isWhole) {
        const read = await this.#stream.read(this.block.subarray(length, SNIFF_BYTES));
        this.#isWhole = read === 0;
        length += read;
      }
    } catch (error) {
      if (length === 0 || !isBreak(error)) throw error;
      this.#isWhole = true;
    }
    this.#bytes = this.block.subarray(0, length);
  }

  /** Closes what `fill` has opened; a later `fill` reads from the start again. */
  async close(): Promise<void> {
    if (this.#stream === undefined) return;
    const stream = this.#stream;
    this.#stream = undefined;
    this.#bytes = new Uint8Array();
    this.#isWhole = false;
    await stream.close();
  }
}

function isBreak(error: unknown): boolean {
  return (
    error instanceof SourceError &&
    (error.code === "source_truncated" || error.code === "source_corrupt")
  );
}
