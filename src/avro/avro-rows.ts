import { KIB } from "../base/limits.js";
import type { ByteSource } from "../sources/byte-source.js";
import { corrupt } from "../sources/source-errors.js";
import { type AvroBlock, AvroBlocks } from "./avro-blocks.js";
import { AvroError, AvroInput } from "./avro-input.js";
import { JsonText } from "./json-text.js";

/** Bytes of JSON that are made at a time. */
const OUTPUT_BYTES = 64 * KIB;

/** More than the reader of lines needs to see that a row is too long. */
const ROW_BYTES_MORE = 1 * KIB;

/** The rows of an Avro object container file as JSON, one a line. */
export class AvroRows implements ByteSource {
  readonly #bytes: ByteSource;
  readonly #name: string;
  readonly #blocks: AvroBlocks;
  readonly #input = new AvroInput();
  readonly #text: JsonText;
  #taken = 0;
  #block: AvroBlock | undefined;
  #blockRows = 0;
  #ended = false;
  #failure: unknown;

  /** `name`: of the source. */
  constructor(bytes: ByteSource, name: string, rowBytesMax: number) {
    this.#bytes = bytes;
    this.#name = name;
    this.#blocks = new AvroBlocks(bytes, name);
    this.#text = new JsonText(rowBytesMax + ROW_BYTES_MORE);
  }

  get consumed(): number {
    return this.#bytes.consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    while (this.#taken === this.#text.size) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#ended) return 0;
      await this.#refill();
    }
    const part = this.#text.bytes.subarray(this.#taken, this.#taken + target.length);
    target.set(part);
    this.#taken += part.length;
    return part.length;
  }

  close(): Promise<void> {
    return this.#blocks.close();
  }

  /** Keeps an error until what precedes it was read. */
  async #refill(): Promise<void> {
    this.#text.clear();
    this.#taken = 0;
    try {
      const block = this.#block ?? (await this.#nextBlock());
      if (block === undefined) return;
      this.#writeRows(block);
      if (this.#blockRows === block.rows) this.#finishBlock(block);
    } catch (error) {
      this.#failure = error;
    }
  }

  async #nextBlock(): Promise<AvroBlock | undefined> {
    const block = await this.#blocks.next();
    this.#ended = block === null;
    if (block === null) return undefined;
    this.#block = block;
    this.#blockRows = 0;
    this.#input.reset(block.content);
    return block;
  }

  #writeRows(block: AvroBlock): void {
    const text = this.#text;
    const input = this.#input;
    const { writeRow, rows, failure } = block;
    while (this.#blockRows < rows && text.size < OUTPUT_BYTES) {
      const before = input.position;
      try {
        writeRow(input, text);
        // Such a block could have any number of rows.
        if (input.position === before) throw new AvroError("it has no bytes");
      } catch (error) {
        text.dropRow();
        if (!(error instanceof AvroError)) throw error;
        throw failure ?? this.#damaged(block, `row ${this.#blockRows + 1}: ${error.message}`);
      }
      text.endRow();
      this.#blockRows++;
    }
  }

  #finishBlock(block: AvroBlock): void {
    this.#block = undefined;
    if (block.failure !== undefined) throw block.failure;
    if (this.#input.left > 0) {
      throw this.#damaged(block, `${this.#input.left} bytes follow its last row`);
    }
  }

  #damaged({ start, rows }: AvroBlock, what: string): unknown {
    const reason = `the block of ${rows} rows is not as the schema says (${what})`;
    return corrupt(this.#name, reason, { byte: start });
  }
}
