import { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import type { OpenOptions } from "./read-options.js";
import type { SourceBytes, TarEntry } from "./source.js";
import { truncated } from "./source-errors.js";
import type { TarBytes } from "./tar-header.js";

const SKIP_BYTES = 1 << 18;

/** Opens the decompressed bytes of an archive from a position on. */
type OpenArchive = (
  archive: SourceBytes,
  start: number,
  options: OpenOptions,
) => Promise<ByteSource>;

/** The decompressed bytes of a tar, in order. */
export class TarStream implements TarBytes {
  #position = 0;
  #bytes: ByteSource | undefined;

  constructor(
    readonly archive: SourceBytes,
    private readonly open: OpenArchive,
    private readonly options: OpenOptions,
  ) {}

  get position(): number {
    return this.#position;
  }

  /** Fills the start of `target` with at least one byte; returns 0 at the end. */
  async readSome(target: Uint8Array): Promise<number> {
    this.#bytes ??= await this.open(this.archive, this.#position, this.options);
    const count = await this.#bytes.read(target);
    this.#position += count;
    return count;
  }

  async read(count: number): Promise<Buffer> {
    const target = Buffer.alloc(count);
    for (let length = 0; length < count; ) {
      const read = await this.readSome(target.subarray(length));
      if (read === 0) throw truncated(this.archive.name, "the tar", { byte: this.#position });
      length += read;
    }
    return target;
  }

  /** Goes on at a later position. A tar that is not compressed is not read up to there. */
  async skipTo(position: number): Promise<void> {
    if (this.archive.codecs.length === 0 && position - this.#position > SKIP_BYTES) {
      await this.close();
      this.#position = position;
      return;
    }
    while (this.#position < position)
      await this.read(Math.min(SKIP_BYTES, position - this.#position));
  }

  /** Reads to the end, where checksums of the compression are compared. */
  async finish(): Promise<void> {
    if (this.archive.codecs.length === 0) return;
    const block = Buffer.allocUnsafe(SKIP_BYTES);
    while ((await this.readSome(block)) > 0);
  }

  async close(): Promise<void> {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    await bytes?.close();
  }
}

/** Archives that stay open where their last entry ended, because the next one is often asked for. */
const KEPT_MAX = 4;
const kept: { readonly stream: TarStream; readonly signal: AbortSignal }[] = [];

let kernel: Kernel | undefined;

/** Opens an archive at an entry, where a kept one is not beyond it. */
function takeStream(archive: SourceBytes, offset: number, open: OpenArchive, options: OpenOptions) {
  const isUsable = ({ stream, signal }: (typeof kept)[number]) =>
    signal === options.signal && stream.archive.path === archive.path && stream.position <= offset;
  const [best] = kept
    .filter(isUsable)
    .sort((one, other) => other.stream.position - one.stream.position);
  if (best === undefined) {
    // The memory of other kernels may be reused while this archive stays open.
    kernel ??= new Kernel();
    return new TarStream(archive, open, { ...options, kernel });
  }
  kept.splice(kept.indexOf(best), 1);
  return best.stream;
}

async function keepStream(stream: TarStream, signal: AbortSignal): Promise<void> {
  kept.push({ stream, signal });
  if (kept.length > KEPT_MAX) await kept.shift()?.stream.close();
}

/**
 * The bytes of an entry of a compressed tar. Entries that are read in their order decompress the archive
 * once for each thread; one alone decompresses what lies before it.
 */
export class TarEntryBytes implements ByteSource {
  #given = 0;
  #stream: TarStream | undefined;
  #isBroken = false;

  /** `open`: opens the archive. `first`: the first bytes of the entry, if they are known. */
  constructor(
    private readonly source: SourceBytes,
    private readonly entry: TarEntry,
    private readonly open: OpenArchive,
    private readonly options: OpenOptions,
    private readonly first: Uint8Array = new Uint8Array(),
  ) {}

  /** As much of the entry's share of the archive. */
  get consumed(): number {
    const { size } = this.entry;
    return size === 0 ? 0 : Math.round((this.#given / size) * this.source.size);
  }

  async read(target: Uint8Array): Promise<number> {
    const wanted = target.subarray(0, this.entry.size - this.#given);
    if (wanted.length === 0) return 0;
    if (this.#given < this.first.length) {
      const part = this.first.subarray(this.#given, this.#given + wanted.length);
      target.set(part);
      this.#given += part.length;
      return part.length;
    }
    this.#isBroken = true;
    const count = await (await this.#opened()).readSome(wanted);
    if (count === 0) throw truncated(this.source.name, "the tar", { byte: this.#given });
    this.#isBroken = false;
    this.#given += count;
    return count;
  }

  async #opened(): Promise<TarStream> {
    if (this.#stream !== undefined) return this.#stream;
    const { open, options } = this;
    const position = this.entry.offset + this.#given;
    this.#stream = takeStream(archiveOf(this.source, this.entry), position, open, options);
    await this.#stream.skipTo(position);
    return this.#stream;
  }

  async close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream === undefined) return;
    if (this.#isBroken) await stream.close();
    else await keepStream(stream, this.options.signal);
  }
}

/** Returns the archive around an entry as a source of its own. */
function archiveOf({ name, path, fingerprint }: SourceBytes, { codecs }: TarEntry): SourceBytes {
  const { size } = JSON.parse(fingerprint) as { readonly size: number };
  return { name, path, fingerprint, codecs, size };
}
