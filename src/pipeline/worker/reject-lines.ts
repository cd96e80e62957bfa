import { REJECT_BUFFER_BYTES } from "../../base/limits.js";
import type { Kernel } from "../../batch/kernel.js";

/** Bytes that `escapeString` writes at most for one, and loose ones behind all of them. */
const ESCAPED_BYTES_MAX = 6;
const LOOSE_BYTES = 16;
/** Bytes of UTF-8 that a UTF-16 unit becomes at most. */
const ENCODED_BYTES_MAX = 3;
/** Bytes of a row that are escaped at a time: all of most rows. */
const PIECE_BYTES = 16_384;

/**
 * Text for a file, gathered in kernel memory: rows that became strings, were escaped as such, joined and
 * encoded again made a reject cost twice as much (21 µs for 1.3 KB, here 8).
 */
export class RejectLines {
  readonly #address: number;
  readonly #piece: number;
  #length = 0;

  /** `write` takes what has gathered, some at a time; the bytes are valid until it returns. */
  constructor(
    private readonly kernel: Kernel,
    private readonly write: (bytes: Uint8Array) => void,
  ) {
    this.#address = kernel.allocate(REJECT_BUFFER_BYTES);
    this.#piece = kernel.allocate(PIECE_BYTES);
  }

  addText(text: string): void {
    const bytesMax = text.length * ENCODED_BYTES_MAX;
    if (bytesMax > REJECT_BUFFER_BYTES) {
      this.flush();
      this.write(encoder.encode(text));
      return;
    }
    this.#makeRoom(bytesMax);
    const top = this.#address + this.#length;
    const room = this.kernel.bytes.subarray(top, top + bytesMax);
    this.#length += encoder.encodeInto(text, room).written;
  }

  /**
   * The inside of a JSON string, as `JSON.stringify` writes it. `utf8` may lie in the kernel's memory.
   */
  addEscaped(utf8: Uint8Array): void {
    const { kernel } = this;
    for (let start = 0; start < utf8.length; start += PIECE_BYTES) {
      const piece = utf8.subarray(start, start + PIECE_BYTES);
      this.#makeRoom(piece.length * ESCAPED_BYTES_MAX + LOOSE_BYTES);
      kernel.bytes.set(piece, this.#piece);
      const top = this.#address + this.#length;
      this.#length = kernel.run.escapeString(this.#piece, piece.length, top) - this.#address;
    }
  }

  flush(): void {
    if (this.#length === 0) return;
    const end = this.#address + this.#length;
    this.#length = 0;
    this.write(this.kernel.bytes.subarray(this.#address, end));
  }

  free(): void {
    this.kernel.free(this.#address);
    this.kernel.free(this.#piece);
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes > REJECT_BUFFER_BYTES) this.flush();
  }
}

const encoder = new TextEncoder();
