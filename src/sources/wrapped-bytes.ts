import type { ByteSource } from "./byte-source.js";

/** A source that changes the bytes of another one, which it closes. */
export abstract class WrappedBytes implements ByteSource {
  constructor(protected readonly bytes: ByteSource) {}

  abstract read(target: Uint8Array): Promise<number>;

  get consumed(): number {
    return this.bytes.consumed;
  }

  close(): Promise<void> {
    return this.bytes.close();
  }
}

/** A source that writes the bytes of another one in another form, some at a time. */
export abstract class RewrittenBytes extends WrappedBytes {
  /** Made and not read yet. */
  #made: Uint8Array = new Uint8Array();

  async read(target: Uint8Array): Promise<number> {
    while (this.#made.length === 0) {
      const made = await this.make();
      if (made === undefined) return 0;
      this.#made = made;
    }
    const part = this.#made.subarray(0, target.length);
    target.set(part);
    this.#made = this.#made.subarray(part.length);
    return part.length;
  }

  /** Returns the next bytes, valid until the next call and perhaps none; undefined at the end. */
  protected abstract make(): Promise<Uint8Array | undefined>;
}
