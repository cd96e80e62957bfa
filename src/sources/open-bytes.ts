import { SourceError } from "../base/errors.js";
import { DECODE_CHUNK_BYTES, DECOMPRESSION_RATIO_FLOOR_BYTES } from "../base/limits.js";
import { Kernel } from "../batch/kernel.js";
import { isObjectUrl } from "../store/object-url.js";
import { BrotliBytes } from "./brotli-bytes.js";
import { type ByteSource, bytesInMemory } from "./byte-source.js";
import { CheckedEntryBytes, openEntryData, zipMethods } from "./entry-bytes.js";
import { FileBytes, InputFileHandle } from "./file-bytes.js";
import { InflateBytes } from "./inflate-bytes.js";
import { ObjectBytes } from "./object-bytes.js";
import type { OpenOptions, SoundBytes } from "./read-options.js";
import {
  type Codec,
  isTarEntry,
  type Source,
  type SourceBytes,
  type TarEntry,
  type ZipEntry,
} from "./source.js";
import { ratioExceeded, unsupported, withAltered } from "./source-errors.js";
import { TarEntryBytes } from "./tar-bytes.js";
import { WrappedBytes } from "./wrapped-bytes.js";
import { ZstdBytes } from "./zstd-bytes.js";

/**
 * Opens the decompressed bytes of a source from byte `start` on. Plain files are read from there, all
 * others from their beginning, as checksums need every byte.
 *
 * Throws, here or while reading: `SourceError` with code `source_missing`, `source_unreadable`,
 * `source_changed`, `source_truncated`, `source_corrupt`, `source_unsupported` or
 * `source_ratio_exceeded`; the signal's reason when it is aborted.
 */
export async function openBytes(
  source: SourceBytes,
  start: number,
  options: OpenOptions,
): Promise<ByteSource> {
  options.signal.throwIfAborted();
  const { sound } = options;
  if (isPlain(source)) {
    const file = openFile(source, start, options);
    // Only a plain object that is read as a whole has a digest.
    return sound === undefined || start > 0 ? file : new FirstBytes(file, sound);
  }
  const ahead = isObjectUrl(source.path) ? undefined : options.openAhead?.(source, options);
  const decoded = ahead ?? (await openDecoders(source, options));
  const bytes = sound === undefined ? decoded : new FirstBytes(decoded, sound);
  try {
    await skip(bytes, start);
  } catch (error) {
    await bytes.close();
    throw error;
  }
  return bytes;
}

/** Returns whether a source is an uncompressed file, of which any part can be read on its own. */
export function isPlain({ entry, codecs }: Pick<Source, "entry" | "codecs">): boolean {
  return entry === undefined && codecs.length === 0;
}

function openFile(source: SourceBytes, start: number, options: OpenOptions): ByteSource {
  const { size: end } = source;
  const { expectedEnd, fetched } = options;
  if (isObjectUrl(source.path)) {
    return new ObjectBytes(source, { start, end, expectedEnd, fetched }, options);
  }
  if (start === 0 && fetched?.start === 0 && fetched.bytes.length === end)
    return bytesInMemory(fetched.bytes);
  return new FileBytes(source, new InputFileHandle(source), start, end, options.signal);
}

async function openDecoders(source: SourceBytes, options: OpenOptions): Promise<ByteSource> {
  const { entry, codecs } = source;
  const layer = { ...options, name: source.name, allowance: new Allowance(source, options) };
  return openLayers(codecs, await openStored(source, entry, layer), layer);
}

function openStored(
  source: SourceBytes,
  entry: ZipEntry | TarEntry | undefined,
  layer: ByteLayer,
): ByteSource | Promise<ByteSource> {
  if (entry === undefined) return openFile(source, 0, layer);
  return isTarEntry(entry) ? openMember(source, entry, layer) : openEntry(source, entry, layer);
}

/** Opens a file in a tar: a part of a plain one, what follows in a compressed one. */
function openMember(source: SourceBytes, entry: TarEntry, options: OpenOptions): ByteSource {
  const { offset: start, size, codecs } = entry;
  const { fetched, signal } = options;
  if (fetched?.start === 0 && fetched.bytes.length === size) return bytesInMemory(fetched.bytes);
  if (codecs.length > 0) {
    const { fetched: _, openAhead: __, sound: ___, ...others } = options;
    return new TarEntryBytes(source, entry, openBytes, others, fetched?.bytes);
  }
  const end = start + size;
  if (isObjectUrl(source.path))
    return new ObjectBytes(source, { start, end, expectedEnd: end }, options);
  return new FileBytes(source, new InputFileHandle(source), start, end, signal);
}

interface ByteLayer extends OpenOptions {
  readonly name: string;
  readonly allowance: Allowance;
}

/** Opens the entry's decompressed bytes, checked against the zip's directory. */
async function openEntry(
  source: SourceBytes,
  entry: ZipEntry,
  layer: ByteLayer,
): Promise<ByteSource> {
  const codecs = codecsOf(source.name, entry);
  const data = await openEntryData(source, entry, layer);
  return new CheckedEntryBytes(source.name, await openLayers(codecs, data, layer), entry);
}

function codecsOf(source: string, entry: ZipEntry): readonly (Codec | "deflate")[] {
  // Some writers leave the method at deflate for entries without any data.
  if (entry.compressedSize === 0 && entry.uncompressedSize === 0) return [];
  switch (entry.method) {
    case zipMethods.stored:
      return [];
    case zipMethods.deflate:
      return ["deflate"];
    case zipMethods.zstd:
      return ["zstd"];
    default: {
      const what = `the zip entry is compressed with method ${entry.method}`;
      throw unsupported(source, what, "Repack the archive with deflate.");
    }
  }
}

/** Owns `stored`; closes it if a decoder cannot be opened. */
async function openLayers(
  codecs: readonly (Codec | "deflate")[],
  stored: ByteSource,
  layer: ByteLayer,
): Promise<ByteSource> {
  let bytes = stored;
  try {
    for (const [index, codec] of codecs.entries()) {
      if (index > 0) bytes = new OuterBytes(bytes);
      bytes = new BoundedBytes(await openDecoder(codec, bytes, layer), layer.allowance);
    }
    return bytes;
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

let shared: Kernel | undefined;

function sharedKernel(): Kernel {
  shared ??= new Kernel();
  return shared;
}

async function openDecoder(
  codec: Codec | "deflate",
  upstream: ByteSource,
  layer: ByteLayer,
): Promise<ByteSource> {
  const { name, signal, chunkBytes } = layer;
  switch (codec) {
    case "zstd":
      return ZstdBytes.open(name, upstream, signal);
    case "brotli":
      return new BrotliBytes(name, upstream, signal);
    case "gzip":
    case "deflate":
      return new InflateBytes(layer.kernel ?? sharedKernel(), upstream, {
        name,
        codec,
        signal,
        chunkBytes,
      });
  }
}

/** The decompressed bytes that a source may have. */
class Allowance {
  readonly bytesMax: number;
  private readonly name: string;
  private readonly ratioMax: number;

  constructor({ name, size }: SourceBytes, { ratioMax }: OpenOptions) {
    this.name = name;
    this.ratioMax = ratioMax;
    this.bytesMax = Math.max(DECOMPRESSION_RATIO_FLOOR_BYTES, size * ratioMax);
  }

  exceeded(): Error {
    return ratioExceeded(this.name, this.bytesMax, this.ratioMax);
  }
}

/**
 * Stops a decompression bomb at any layer, after exactly the allowed bytes, so that every run reads the
 * same rows of it.
 */
class BoundedBytes extends WrappedBytes {
  #left: number;
  #exceeded = false;

  constructor(
    bytes: ByteSource,
    private readonly allowance: Allowance,
  ) {
    super(bytes);
    this.#left = allowance.bytesMax;
  }

  async read(target: Uint8Array): Promise<number> {
    if (this.#exceeded) throw this.allowance.exceeded();
    const count = await this.bytes.read(target);
    if (count <= this.#left) {
      this.#left -= count;
      return count;
    }
    this.#exceeded = true;
    if (this.#left === 0) throw this.allowance.exceeded();
    return this.#left;
  }
}

/** Decoded bytes that are decoded again: if some may be altered, it is unknown which rows they hold. */
class OuterBytes extends WrappedBytes {
  async read(target: Uint8Array): Promise<number> {
    try {
      return await this.bytes.read(target);
    } catch (error) {
      const isAltered = error instanceof SourceError && error.alteredFrom !== undefined;
      throw isAltered ? withAltered(error, 0) : error;
    }
  }
}

/** The sound bytes of a source; then it throws their error. */
class FirstBytes extends WrappedBytes {
  #left: number;

  constructor(
    bytes: ByteSource,
    private readonly sound: SoundBytes,
  ) {
    super(bytes);
    this.#left = sound.bytes;
  }

  async read(target: Uint8Array): Promise<number> {
    if (this.#left === 0) throw this.sound.error;
    const count = await this.bytes.read(target.subarray(0, this.#left));
    this.#left -= count;
    return count;
  }
}

async function skip(bytes: ByteSource, count: number): Promise<void> {
  if (count === 0) return;
  const block = Buffer.allocUnsafe(DECODE_CHUNK_BYTES);
  for (let rest = count; rest > 0; ) {
    const read = await bytes.read(block.subarray(0, Math.min(rest, block.length)));
    if (read === 0) return;
    rest -= read;
  }
}
