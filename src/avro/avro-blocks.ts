import { MIB } from "../base/limits.js";
import type { ByteSource } from "../sources/byte-source.js";
import { corrupt, truncated, unsupported } from "../sources/source-errors.js";
import { BLOCK_BYTES_MAX, type BlockCodec, openCodec } from "./avro-codecs.js";
import { AvroError, AvroInput } from "./avro-input.js";
import { compileSchema } from "./avro-schema.js";
import type { WriteValue } from "./avro-values.js";

const MAGIC = Buffer.from("Obj\x01", "latin1");
const MARKER_BYTES = 16;

/** Bytes of the two numbers before a block, at most. */
const BLOCK_HEAD_BYTES = 20;

/** Bytes of a header, which has the schema. */
const HEADER_BYTES_MAX = 16 * MIB;

const READ_BYTES = 256 * 1024;

/** A block of rows. */
export interface AvroBlock {
  /** The offset in the source of its first byte. */
  readonly start: number;
  readonly rows: number;
  /** Valid until the next block is read. */
  readonly content: Buffer;
  readonly writeRow: WriteValue;
  /** The error in which it ends, if the source cuts it. */
  readonly failure?: unknown;
}

interface AvroHeader {
  readonly writeRow: WriteValue;
  readonly codec: BlockCodec;
  readonly marker: Buffer;
}

/**
 * Reads the blocks of an Avro object container file, of which several may follow each other. A block counts
 * only if the marker of its file is behind it.
 */
export class AvroBlocks {
  readonly #bytes: ByteSource;
  readonly #name: string;
  #buffer = Buffer.allocUnsafe(READ_BYTES);
  #start = 0;
  #end = 0;
  /** The offset in the source of `#start`. */
  #offset = 0;
  #ended = false;
  #failure: unknown;
  #header: AvroHeader | undefined;

  /** `name`: of the source. */
  constructor(bytes: ByteSource, name: string) {
    this.#bytes = bytes;
    this.#name = name;
  }

  /** Returns the next block, or null at the end. Throws `SourceError`. */
  async next(): Promise<AvroBlock | null> {
    for (;;) {
      await this.#fill(BLOCK_HEAD_BYTES);
      if (this.#start === this.#end) {
        if (this.#failure !== undefined) throw this.#failure;
        return null;
      }
      const beginsFile = this.#pending.subarray(0, MAGIC.length).equals(MAGIC);
      if (this.#header !== undefined && !beginsFile) return this.#readBlock(this.#header);
      this.#header?.codec.free?.();
      this.#header = undefined;
      this.#header = await this.#readHeader();
    }
  }

  close(): Promise<void> {
    this.#header?.codec.free?.();
    this.#header = undefined;
    return this.#bytes.close();
  }

  get #pending(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  async #readHeader(): Promise<AvroHeader> {
    for (let wanted = READ_BYTES; ; wanted *= 2) {
      const isFilled = await this.#fill(wanted);
      const start = this.#pending.subarray(0, MAGIC.length);
      if (!start.equals(MAGIC.subarray(0, start.length))) {
        throw this.#damaged("the bytes do not begin an Avro file (Obj, 1)");
      }
      const input = new AvroInput();
      input.reset(this.#pending);
      try {
        input.pass(MAGIC.length);
        const metadata = readMetadata(input);
        const marker = Buffer.from(
          this.#pending.subarray(input.pass(MARKER_BYTES), input.position),
        );
        const header = { ...(await this.#openFile(metadata)), marker };
        this.#drop(input.position);
        return header;
      } catch (error) {
        if (!(error instanceof AvroError)) throw error;
        // The rest of the header may follow.
        if (!isFilled) throw this.#cut("the header");
        if (wanted >= HEADER_BYTES_MAX)
          throw this.#damaged(`the header is wrong: ${error.message}`);
      }
    }
  }

  async #openFile(metadata: ReadonlyMap<string, string>): Promise<Omit<AvroHeader, "marker">> {
    const name = metadata.get("avro.codec") ?? "null";
    const codec = await openCodec(name);
    if (codec === undefined) {
      const advice = "Write the file again with the codec null, deflate, snappy or zstandard.";
      throw unsupported(this.#name, `an Avro file with the codec ${JSON.stringify(name)}`, advice);
    }
    try {
      return { codec, writeRow: compileSchema(metadata.get("avro.schema") ?? "") };
    } catch (error) {
      codec.free?.();
      if (!(error instanceof AvroError)) throw error;
      throw this.#damaged(`the schema cannot be used: ${error.message}`);
    }
  }

  async #readBlock({ codec, marker, writeRow }: AvroHeader): Promise<AvroBlock> {
    const start = this.#offset;
    const { rows, size, headBytes } = this.#readBlockHead();
    const isWhole = await this.#fill(headBytes + size + MARKER_BYTES);
    const end = Math.min(headBytes + size, this.#pending.length);
    const isCut = end < headBytes + size;
    const isMarked = this.#pending.subarray(end, end + MARKER_BYTES).equals(marker);
    if (isWhole && !isMarked) {
      throw this.#damaged(`the block of ${rows} rows does not end with the marker of the file`);
    }
    let content: Buffer;
    try {
      content = codec.decompress(this.#pending.subarray(headBytes, end), isCut);
    } catch (error) {
      if (!(error instanceof AvroError)) throw error;
      if (isCut) throw this.#cut(`the block of ${rows} rows`);
      throw this.#damaged(`the block of ${rows} rows cannot be read: ${error.message}`, error);
    }
    const failure = isWhole ? undefined : this.#cut(`the block of ${rows} rows`);
    this.#drop(Math.min(end + MARKER_BYTES, this.#pending.length));
    return { start, rows, content, writeRow, ...(failure === undefined ? {} : { failure }) };
  }

  #readBlockHead(): { readonly rows: number; readonly size: number; readonly headBytes: number } {
    const input = new AvroInput();
    input.reset(this.#pending);
    let rows: number;
    let size: number;
    try {
      rows = input.readSize("the number of rows of a block");
      size = input.readSize("the size of a block");
    } catch (error) {
      if (!(error instanceof AvroError)) throw error;
      if (this.#ended && this.#pending.length < BLOCK_HEAD_BYTES)
        throw this.#cut("the head of a block");
      throw this.#damaged(error.message, error);
    }
    if (size > BLOCK_BYTES_MAX) {
      const advice = "Write the file again with smaller blocks.";
      const what = `an Avro block of ${size} bytes, more than ${BLOCK_BYTES_MAX / MIB} MiB`;
      throw unsupported(this.#name, what, advice);
    }
    return { rows, size, headBytes: input.position };
  }

  #damaged(what: string, cause?: unknown) {
    return corrupt(this.#name, what, { byte: this.#offset, cause });
  }

  /** The error of the bytes, if they have one. */
  #cut(what: string): unknown {
    return this.#failure ?? truncated(this.#name, what, { byte: this.#offset });
  }

  #drop(count: number): void {
    this.#start += count;
    this.#offset += count;
  }

  /** Reads until `wanted` bytes are pending; returns false if the source ends or breaks before. */
  async #fill(wanted: number): Promise<boolean> {
    if (this.#end - this.#start >= wanted) return true;
    while (this.#end - this.#start < wanted && !this.#ended) {
      if (this.#end === this.#buffer.length) this.#makeRoom();
      try {
        const read = await this.#bytes.read(this.#buffer.subarray(this.#end));
        this.#end += read;
        this.#ended = read === 0;
      } catch (error) {
        this.#failure = error;
        this.#ended = true;
      }
    }
    return this.#end - this.#start >= wanted;
  }

  /** Moves the pending bytes to the front. Only bytes that are there make the buffer grow. */
  #makeRoom(): void {
    const { length } = this.#buffer;
    const buffer = this.#start === 0 ? Buffer.allocUnsafe(2 * length) : this.#buffer;
    this.#buffer.copy(buffer, 0, this.#start, this.#end);
    this.#end -= this.#start;
    this.#start = 0;
    this.#buffer = buffer;
  }
}

function readMetadata(input: AvroInput): ReadonlyMap<string, string> {
  const metadata = new Map<string, string>();
  const readText = () => {
    const start = input.passSized();
    return input.bytes.toString("utf8", start, input.position);
  };
  for (let count = input.readItems(); count > 0; count = input.readItems()) {
    for (let index = 0; index < count; index++) metadata.set(readText(), readText());
  }
  return metadata;
}
