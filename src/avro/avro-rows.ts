import { KIB } from "../base/limits.js";
import type { ByteSource } from "../sources/byte-source.js";
import { corrupt } from "../sources/source-errors.js";
import { RewrittenBytes } from "../sources/wrapped-bytes.js";
import { type AvroBlock, AvroBlocks } from "./avro-blocks.js";
import { AvroError, AvroInput } from "./avro-input.js";
import { JsonText } from "./json-text.js";

/** Bytes of JSON that are made at a time. */
const OUTPUT_BYTES = 64 * KIB;

/** More than the reader of lines needs to see that a row is too long. */
const ROW_BYTES_MORE = 1 * KIB;

/** The rows of an Avro object container file as JSON, one a line. */
export class AvroRows extends RewrittenBytes {
  readonly #name: string;
  readonly #blocks: AvroBlocks;
  readonly #input = new AvroInput();
  readonly #text: JsonText;
  #block: AvroBlock | undefined;
  #blockRows = 0;
  #ended = false;
  #failure: unknown;

  /** `name`: of the source. */
  constructor(bytes: ByteSource, name: string, rowBytesMax: number) {
    super(bytes);
    this.#name = name;
    this.#blocks = new AvroBlocks(bytes, name);
    this.#text = new JsonText(rowBytesMax + ROW_BYTES_MORE);
  }

  override close(): Promise<void> {
    return this.#blocks.close();
  }

  /** Keeps an error until what precedes it was read. */
  protected async make(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ended) return undefined;
    this.#text.clear();
    try {
      const block = this.#block ?? (await this.#nextBlock());
      if (block === undefined) return undefined;
      this.#writeRows(block);
      if (this.#blockRows === block.rows) this.#finishBlock(block);
    } catch (error) {
      this.#failure = error;
    }
    return this.#text.bytes;
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
