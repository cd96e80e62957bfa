import { DECODE_CHUNK_BYTES } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import { Checksum } from "./checksum.js";
import { passGzipHeader } from "./gzip-header.js";
import { CompressedInput, DecodeFailure, Inflater } from "./inflater.js";

interface InflateOptions {
  /** The source's name in errors. */
  readonly name: string;
  readonly codec: "gzip" | "deflate";
  readonly signal: AbortSignal;
  /** Decompressed bytes that are decoded at a time. */
  readonly chunkBytes?: number | undefined;
}

/** The part of the compressed bytes that comes next. */
type InflatedSection = "header" | "blocks" | "trailer" | "padding" | "end";

/**
 * The decompressed bytes of gzip (all members, checksums verified) or of a zip entry's bare deflate,
 * decoded by the kernel. Errors have the wording of zlib; all bytes before damage are given out.
 */
export class InflateBytes implements ByteSource {
  readonly #kernel: Kernel;
  readonly #upstream: ByteSource;
  readonly #options: InflateOptions;
  readonly #input: CompressedInput;
  readonly #inflater: Inflater;
  readonly #checksum: Checksum;
  #section: InflatedSection;
  /** Address of the first byte that the checksum has not seen. */
  #checked: number;
  #memberStart = 0;
  #memberBytes = 0;
  #given = 0;
  #failure: unknown;
  #open = true;

  /** Owns `upstream` from now on. */
  constructor(kernel: Kernel, upstream: ByteSource, options: InflateOptions) {
    this.#kernel = kernel;
    this.#upstream = upstream;
    this.#options = options;
    this.#input = new CompressedInput(kernel, upstream);
    this.#inflater = new Inflater(kernel, this.#input, options.chunkBytes ?? DECODE_CHUNK_BYTES);
    this.#checksum = new Checksum(kernel);
    this.#checked = this.#inflater.to;
    this.#section = options.codec === "gzip" ? "header" : "blocks";
  }

  get consumed(): number {
    return this.#upstream.consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    this.#options.signal.throwIfAborted();
    const inflater = this.#inflater;
    while (inflater.from === inflater.to) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#section === "end") return 0;
      await this.#advance();
    }
    const count = Math.min(target.length, inflater.to - inflater.from);
    target.set(this.#kernel.bytes.subarray(inflater.from, inflater.from + count));
    inflater.from += count;
    this.#given += count;
    return count;
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    for (const part of [this.#checksum, this.#inflater, this.#input]) part.free();
    await this.#upstream.close();
  }

  /** Passes one section, or as much of it as there is room for. Keeps an error until after the output. */
  async #advance(): Promise<void> {
    try {
      this.#section = await this.#pass(this.#section);
      if (this.#section === "end") this.#failure = this.#input.failure;
    } catch (error) {
      this.#failure = this.#input.failure ?? this.#describe(error);
    }
  }

  /** Decompressed bytes so far, given out or not. */
  #decoded(): number {
    return this.#given + this.#inflater.to - this.#inflater.from;
  }

  #describe(error: unknown): unknown {
    if (!(error instanceof DecodeFailure)) return error;
    const { name, codec } = this.#options;
    const byte = this.#decoded();
    // A header is not part of a member's data: everything before it was checked.
    const memberStart = this.#section === "header" ? byte : this.#memberStart;
    return error.toSourceError(name, codec, byte, memberStart);
  }

  async #pass(section: InflatedSection): Promise<InflatedSection> {
    switch (section) {
      case "header":
        await passMemberHeader(this.#input);
        this.#inflater.begin();
        this.#checksum.begin();
        this.#checked = this.#inflater.to;
        this.#memberStart = this.#decoded();
        this.#memberBytes = 0;
        return "blocks";
      case "blocks":
        return this.#decode();
      case "trailer":
        return this.#endMember();
      case "padding":
        return this.#passPadding();
      case "end":
        return "end";
    }
  }

  async #decode(): Promise<InflatedSection> {
    const inflater = this.#inflater;
    this.#checked -= inflater.makeRoom();
    const before = inflater.to;
    const stop = await inflater.run();
    this.#memberBytes += inflater.to - before;
    // A zip entry has its checksum in the zip's directory.
    const isGzip = this.#options.codec === "gzip";
    if (isGzip) this.#checked = this.#checksum.add(this.#checked, inflater.to);
    if (stop === "wantsRoom") return "blocks";
    return isGzip ? "trailer" : "padding";
  }

  async #endMember(): Promise<InflatedSection> {
    const rest = this.#kernel.bytes.subarray(this.#checked, this.#inflater.to);
    if ((await takeUint32(this.#input)) !== this.#checksum.end(rest)) {
      throw new DecodeFailure("corrupt", "incorrect data check");
    }
    if ((await takeUint32(this.#input)) !== this.#memberBytes % 2 ** 32) {
      throw new DecodeFailure("corrupt", "incorrect length check");
    }
    if (!(await this.#input.has(1))) return "end";
    return this.#kernel.bytes[this.#input.cursor] === 0 ? "padding" : "header";
  }

  /** After the end of the compressed data only zeros may follow: padding, as on tapes. */
  async #passPadding(): Promise<InflatedSection> {
    while (await this.#input.has(1)) {
      if (this.#input.takeAll().some((byte) => byte !== 0)) {
        throw new DecodeFailure("trailing", "other bytes follow");
      }
    }
    return "end";
  }
}

async function passMemberHeader(input: CompressedInput): Promise<void> {
  const header = passGzipHeader();
  let demand = header.next();
  while (demand.done !== true) {
    await needBytes(input, demand.value);
    demand = header.next(input.take(demand.value));
  }
}

async function takeUint32(input: CompressedInput): Promise<number> {
  await needBytes(input, 4);
  const [a = 0, b = 0, c = 0, d = 0] = input.take(4);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

async function needBytes(input: CompressedInput, count: number): Promise<void> {
  if (!(await input.has(count))) throw new DecodeFailure("truncated", "unexpected end of file");
}
