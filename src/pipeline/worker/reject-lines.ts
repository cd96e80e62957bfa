import { REJECT_BUFFER_BYTES } from "../../base/limits.js";
import type { Kernel } from "../../batch/kernel.js";

/** Most bytes that `escapeString` writes for one byte, and its overrun after the last one. */
const ESCAPED_BYTES_MAX = 6;
const LOOSE_BYTES = 16;
/** Most bytes of UTF-8 that one UTF-16 unit becomes. */
const ENCODED_BYTES_MAX = 3;
/** Bytes of a row that are escaped at a time; most rows are shorter. */
const PIECE_BYTES = 16_384;

/**
 * Gathers text for a file in kernel memory. Escaping and joining JavaScript strings and encoding
 * them again took 21 µs for a reject of 1.3 KB instead of 8.
 */
export class RejectLines {
  readonly #address: number;
  readonly #piece: number;
  #length = 0;

  /** `write` receives the gathered bytes in pieces; they are valid until it returns. */
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
   * Adds the inside of a JSON string, as `JSON.stringify` writes it. `utf8` may be in kernel
   * memory.
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
