import { createHash } from "node:crypto";
import { SwitchyardError } from "../base/errors.js";
import { WRITE_BYTES } from "../base/limits.js";
import type { PartOutput } from "./part-output.js";
import { type OpenSpillFiles, SpillDamage } from "./spill/spill-files.js";

/** A finished part, whose encoded bytes are copied into another part of the same format. */
export class EncodedPart {
  constructor(
    private readonly files: OpenSpillFiles,
    readonly path: string,
    readonly size: number,
  ) {}

  /** Returns bytes [start, end), in memory of their own. */
  read(start: number, end: number): Uint8Array {
    if (!(start >= 0 && end <= this.size)) throw this.mismatch("it ends too early");
    const bytes = new Uint8Array(end - start);
    this.files.read(this.path, bytes, start);
    return bytes;
  }

  copyTo(output: PartOutput, start: number, end: number): void {
    for (const bytes of this.#pieces(start, end)) output.append(bytes);
  }

  /** Throws `SpillDamage` if the content is not the one with this digest. */
  check(sha256: string): void {
    if (this.files.size(this.path) !== this.size)
      throw new SpillDamage(this.path, "has another size than when it was written");
    const hash = createHash("sha256");
    for (const bytes of this.#pieces(0, this.size)) hash.update(bytes);
    if (hash.digest("hex") !== sha256) throw new SpillDamage(this.path, "is damaged");
  }

  /** Returns the error for a part that cannot be joined with others. */
  mismatch(reason: string): SwitchyardError {
    return new SwitchyardError(
      "parts_differ",
      `${this.path} cannot be joined with other parts (${reason}): export again with --compact never`,
    );
  }

  *#pieces(start: number, end: number): Generator<Uint8Array> {
    for (let from = start; from < end; from += WRITE_BYTES)
      yield this.read(from, Math.min(end, from + WRITE_BYTES));
  }
}
