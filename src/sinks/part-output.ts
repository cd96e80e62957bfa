import { createHash } from "node:crypto";
import { WRITE_BYTES, WRITE_PIECE_BYTES } from "../base/limits.js";
import type { AppendedFile, PartFiles } from "./part-files.js";

/**
 * Gathers small pieces for one write. The parts of one split share it; one of them writes at a
 * time.
 */
export class WriteBuffer {
  readonly bytes = new Uint8Array(WRITE_BYTES);
  used = 0;
  /** The output whose bytes are in it. */
  owner: PartOutput | undefined;
}

/** A part file being written, from its first byte to its last. */
export class PartOutput {
  readonly #hash = createHash("sha256");
  /** Open only while rows are appended: there are more parts than files can be open. */
  #file: AppendedFile | undefined;
  #size = 0;

  constructor(
    private readonly files: PartFiles,
    private readonly buffer: WriteBuffer,
    readonly path: string,
  ) {}

  /** Bytes appended so far: the position of the next one in the file. */
  get size(): number {
    return this.#size;
  }

  /**
   * Copies or writes the bytes before it returns. `rest` must be called before another output
   * appends; otherwise this throws. After an error it can only be discarded, with its buffer.
   */
  append(bytes: Uint8Array): void {
    const { buffer } = this;
    if (buffer.owner !== this && buffer.used > 0)
      throw new Error(`${this.path}: the buffer holds bytes of ${buffer.owner?.path}`);
    buffer.owner = this;
    this.#size += bytes.length;
    const isPiece = bytes.length >= WRITE_PIECE_BYTES;
    if (isPiece || buffer.used + bytes.length > buffer.bytes.length) this.#flush();
    if (isPiece) {
      this.#write(bytes);
      return;
    }
    buffer.bytes.set(bytes, buffer.used);
    buffer.used += bytes.length;
  }

  /** Writes what was appended, and closes the file until more is appended. */
  rest(): void {
    this.#flush();
    this.#file?.close();
    this.#file = undefined;
  }

  /** Closes the file after an error. Its buffer still has gathered bytes and must not be used again. */
  discard(): void {
    this.#file?.close();
  }

  /**
   * Returns the SHA-256 of the whole file in lower-case hexadecimal; nothing can be appended
   * afterwards.
   */
  digest(): string {
    return this.#hash.digest("hex");
  }

  #flush(): void {
    const { buffer } = this;
    if (buffer.used > 0) this.#write(buffer.bytes.subarray(0, buffer.used));
    buffer.used = 0;
  }

  #write(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#file ??= this.files.open(this.path);
    this.#file.append(bytes);
  }
}
