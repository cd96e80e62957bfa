import type { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import { Checksum } from "./checksum.js";
import { CompressedInput } from "./compressed-input.js";
import { checkMemberEnd, passMemberHeader } from "./gzip-member.js";
import { Inflater } from "./inflater.js";
import { describeFailure, ZlibFailure } from "./zlib-failure.js";

/** What comes next in the compressed bytes. */
type Place = "header" | "blocks" | "trailer" | "padding" | "end";

/**
 * gzip, or the bare deflate of a zip entry, decoded by the kernel on the caller's own thread. Gives the
 * same bytes and errors as `ZlibBytes`; in front of damage, also those few bytes that Node's zlib keeps
 * back, decoded from the same byte of input.
 */
export class InflateBytes implements ByteSource {
  readonly #kernel: Kernel;
  readonly #source: string;
  readonly #codec: "gzip" | "deflate";
  readonly #upstream: ByteSource;
  readonly #signal: AbortSignal;
  readonly #input: CompressedInput;
  readonly #inflater: Inflater;
  readonly #checksum: Checksum;
  #place: Place;
  /** Address of the first byte that the checksum has not seen. */
  #checked: number;
  #memberBytes = 0;
  #given = 0;
  #failure: unknown;
  #open = true;

  /** Owns `upstream` from now on. `source`: its name in errors. */
  constructor(
    kernel: Kernel,
    source: string,
    codec: "gzip" | "deflate",
    upstream: ByteSource,
    signal: AbortSignal,
  ) {
    this.#kernel = kernel;
    this.#source = source;
    this.#codec = codec;
    this.#upstream = upstream;
    this.#signal = signal;
    this.#input = new CompressedInput(kernel, upstream);
    this.#inflater = new Inflater(kernel, this.#input);
    this.#checksum = new Checksum(kernel);
    this.#checked = this.#inflater.to;
    this.#place = codec === "gzip" ? "header" : "blocks";
  }

  get consumed(): number {
    return this.#upstream.consumed;
  }

  async read(target: Uint8Array): Promise<number> {
    this.#signal.throwIfAborted();
    const inflater = this.#inflater;
    while (inflater.from === inflater.to) {
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#place === "end") return 0;
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

  /** Goes on by one place, or until there is no more room. Keeps what goes wrong for after the output. */
  async #advance(): Promise<void> {
    try {
      this.#place = await this.#pass(this.#place);
      if (this.#place === "end") this.#failure = this.#input.failure;
    } catch (error) {
      this.#failure = this.#input.failure ?? this.#describe(error);
    }
  }

  #describe(error: unknown): unknown {
    if (!(error instanceof ZlibFailure)) return error;
    const byte = this.#given + this.#inflater.to - this.#inflater.from;
    return describeFailure(this.#source, this.#codec, error, byte);
  }

  async #pass(place: Place): Promise<Place> {
    switch (place) {
      case "header":
        await passMemberHeader(this.#input);
        this.#beginMember();
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

  #beginMember(): void {
    this.#inflater.begin();
    this.#checksum.begin();
    this.#checked = this.#inflater.to;
    this.#memberBytes = 0;
  }

  async #decode(): Promise<Place> {
    const inflater = this.#inflater;
    this.#checked -= inflater.makeRoom();
    const before = inflater.to;
    const stop = await inflater.run();
    this.#memberBytes += inflater.to - before;
    // The checksum of a zip's entry is the zip's.
    if (this.#codec === "gzip") this.#checked = this.#checksum.add(this.#checked, inflater.to);
    if (stop === "wantsRoom") return "blocks";
    return this.#codec === "gzip" ? "trailer" : "padding";
  }

  async #endMember(): Promise<Place> {
    const rest = this.#kernel.bytes.subarray(this.#checked, this.#inflater.to);
    await checkMemberEnd(this.#input, this.#checksum.end(rest), this.#memberBytes);
    if (!(await this.#input.has(1))) return "end";
    return this.#kernel.bytes[this.#input.cursor] === 0 ? "padding" : "header";
  }

  /** After the end of the compressed data only zeros may follow: padding, as on tapes. */
  async #passPadding(): Promise<Place> {
    while (await this.#input.has(1)) {
      if (this.#input.takeAll().some((byte) => byte !== 0)) {
        throw new ZlibFailure("trailing", "other bytes follow");
      }
    }
    return "end";
  }
}
