import { createHash } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import { WRITE_BYTES } from "../base/limits.js";
import { option } from "../base/option-text.js";
import type { PartOutput } from "./part-output.js";
import { type OpenSpillFiles, SpillDamage } from "./spill/spill-files.js";

/** Memory for the content of small parts, one at a time. */
export class PartBuffer {
  readonly bytes = new Uint8Array(WRITE_BYTES);
  owner: EncodedPart | undefined;
}

/** A finished part, whose encoded bytes are copied into another part of the same format. */
export class EncodedPart {
  constructor(
    private readonly files: OpenSpillFiles,
    private readonly buffer: PartBuffer,
    readonly path: string,
    readonly size: number,
  ) {}

  /** Returns bytes [start, end); valid until another part with this buffer is read. */
  read(start: number, end: number): Uint8Array {
    if (!(start >= 0 && end <= this.size)) throw this.mismatch("it ends too early");
    const { buffer, files, path, size } = this;
    if (size > buffer.bytes.length) {
      const piece = new Uint8Array(end - start);
      files.read(path, piece, start);
      return piece;
    }
    // One call for all of a small part, as most are.
    if (buffer.owner !== this) {
      // After an error it holds bytes of two parts.
      buffer.owner = undefined;
      files.read(path, buffer.bytes.subarray(0, size), 0);
      buffer.owner = this;
    }
    return buffer.bytes.subarray(start, end);
  }

  copyTo(output: PartOutput, start: number, end: number): void {
    for (const bytes of this.#pieces(start, end)) output.append(bytes);
  }

  /** Throws `SpillDamage` if the file is missing or has another size. */
  checkSize(): void {
    if (this.files.size(this.path) !== this.size)
      throw new SpillDamage(this.path, "has another size than when it was written");
  }

  /** Throws `SpillDamage` if the content is not the one with this digest. */
  check(sha256: string): void {
    this.checkSize();
    const hash = createHash("sha256");
    for (const bytes of this.#pieces(0, this.size)) hash.update(bytes);
    if (hash.digest("hex") !== sha256) throw new SpillDamage(this.path, "is damaged");
  }

  /** Returns the error for a part that cannot be joined with others. */
  mismatch(reason: string): SwitchyardError {
    return new SwitchyardError(
      "parts_differ",
      `${this.path} cannot be joined with other parts (${reason}): export again with ${option("compact")} never`,
    );
  }

  *#pieces(start: number, end: number): Generator<Uint8Array> {
    for (let from = start; from < end; from += WRITE_BYTES)
      yield this.read(from, Math.min(end, from + WRITE_BYTES));
  }
}
