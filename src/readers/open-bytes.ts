import { DECODE_CHUNK_BYTES, DECOMPRESSION_RATIO_FLOOR_BYTES } from "../base/limits.js";
import type { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import { CheckedEntryBytes, findEntryData, zipMethods } from "./entry-bytes.js";
import { FileBytes, InputFileHandle } from "./file-bytes.js";
import { InflateBytes } from "./inflate-bytes.js";
import type { ReaderOptions } from "./reader.js";
import type { Codec, Source, SourceBytes, ZipEntry } from "./source.js";
import { ratioExceeded, unsupported } from "./source-errors.js";
import { ThreadBytes } from "./thread-bytes.js";
import { type OpenUpstream, ZlibBytes } from "./zlib-bytes.js";
import { ZstdBytes } from "./zstd-bytes.js";

export interface OpenOptions extends Pick<ReaderOptions, "ratioMax" | "signal" | "decodesBeside"> {
  /** Inflates on the caller's own thread. Left out, Node's zlib does, on another one. */
  readonly kernel?: Kernel;
}

/**
 * The decompressed bytes of a source from byte `start` on. Plain files are read from there;
 * everything else from its beginning, as checksums need all of it.
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
  if (isPlain(source)) return openFile(source, start, options.signal);

  const bytes =
    options.decodesBeside === true
      ? new ThreadBytes(source, options)
      : await openDecoders(source, options);
  try {
    await skip(bytes, start);
  } catch (error) {
    await bytes.close();
    throw error;
  }
  return bytes;
}

function openDecoders(source: SourceBytes, options: OpenOptions): Promise<ByteSource> {
  const { name, size, entry, codecs } = source;
  const layer = { ...options, name, size, allowance: new Allowance(source, options) };
  let open: OpenUpstream = async () => openFile(source, 0, options.signal);
  if (entry !== undefined) open = openEntry(source, entry, layer);
  for (const codec of codecs) open = openLayer(codec, open, layer);
  return open();
}

/** Whether the source's bytes are a file's bytes, so that any part of it can be read on its own. */
export function isPlain({ entry, codecs }: Pick<Source, "entry" | "codecs">): boolean {
  return entry === undefined && codecs.length === 0;
}

interface Layer extends Pick<OpenOptions, "kernel" | "signal"> {
  readonly name: string;
  /** Bytes on disk. */
  readonly size: number;
  readonly allowance: Allowance;
}

function openFile(source: SourceBytes, start: number, signal: AbortSignal): ByteSource {
  return new FileBytes(source, new InputFileHandle(source), start, source.size, signal);
}

/** The entry's own bytes, out of the zip's compression and checked. */
function openEntry(source: SourceBytes, entry: ZipEntry, layer: Layer): OpenUpstream {
  const openData: OpenUpstream = async () => {
    const handle = new InputFileHandle(source);
    try {
      const start = findEntryData(source.name, handle, entry);
      return new FileBytes(source, handle, start, start + entry.compressedSize, layer.signal);
    } catch (error) {
      handle.close();
      throw error;
    }
  };
  const open = openMethod(entry, openData, layer);
  return async () => new CheckedEntryBytes(source.name, await open(), entry);
}

function openMethod(entry: ZipEntry, openData: OpenUpstream, layer: Layer): OpenUpstream {
  // Some writers leave the method at deflate for entries without any data.
  if (entry.compressedSize === 0 && entry.uncompressedSize === 0) return openData;
  switch (entry.method) {
    case zipMethods.stored:
      return openData;
    case zipMethods.deflate:
      return openLayer("deflate", openData, layer);
    case zipMethods.zstd:
      return openLayer("zstd", openData, layer);
    default:
      throw unsupported(
        layer.name,
        `the zip entry is compressed with method ${entry.method}`,
        "Repack the archive with deflate.",
      );
  }
}

function openLayer(codec: Codec | "deflate", open: OpenUpstream, layer: Layer): OpenUpstream {
  return async () => new BoundedBytes(await openDecoder(codec, open, layer), layer.allowance);
}

async function openDecoder(
  codec: Codec | "deflate",
  open: OpenUpstream,
  layer: Layer,
): Promise<ByteSource> {
  const { name, signal, kernel } = layer;
  if (codec === "zstd") return ZstdBytes.open(name, await open(), signal);
  if (codec === "brotli" || kernel === undefined) {
    return ZlibBytes.open(layer, codec, open, signal);
  }
  return new InflateBytes(kernel, name, codec, await open(), signal);
}

/** How many bytes a source may have at most once decompressed. */
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
 * Stops a bomb, at whichever layer it goes off: after as many bytes as are allowed, however many the
 * decoder gives at a time, so that the same rows are read from it in every run.
 */
class BoundedBytes implements ByteSource {
  #left: number;
  #exceeded = false;

  constructor(
    private readonly bytes: ByteSource,
    private readonly allowance: Allowance,
  ) {
    this.#left = allowance.bytesMax;
  }

  get consumed(): number {
    return this.bytes.consumed;
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

  close(): Promise<void> {
    return this.bytes.close();
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
