import { CODEC_LAYERS_MAX } from "../base/limits.js";
import { decodeHead, type Head, readHead } from "./head.js";
import { CONTAINER_PROBE_BYTES, identifyContainer, isBinary } from "./magic.js";
import { isPlain, type OpenOptions } from "./open-bytes.js";
import type { Codec, SourceBytes } from "./source.js";
import { unsupported } from "./source-errors.js";

/** The first bytes of a source as they are on disk, or without some of its layers. */
export interface FirstBytes {
  readonly head: Head;
  /** Whether not all compressed bytes at hand were decoded: the head would be longer otherwise. */
  readonly isCut: boolean;
}

/** A source whose compression is known, with its first decompressed bytes. */
export interface PeeledSource extends FirstBytes {
  readonly source: SourceBytes;
}

const BROTLI_NAME = /\.br$/i;
const CODEC_NAME = /\.(gz|gzip|zst|zstd|br)$/i;

/**
 * Finds the compression layers of a source by their magic bytes, outermost first; brotli, which has
 * none, by name, where the bytes bear it out. `first`: its bytes without any layer removed, of which
 * `bytesMax` are decoded, and of the bytes of every layer below. Null where these are too few to tell.
 * Throws `source_unsupported` for everything that is known and not read.
 */
export async function peelLayers(
  source: SourceBytes,
  first: FirstBytes,
  bytesMax: number,
  options: OpenOptions,
): Promise<PeeledSource | null> {
  let peeled: PeeledSource = { source, ...first };
  let name = source.entry?.name ?? source.path;
  for (;;) {
    if (peeled.isCut && !isEnough(peeled.head, name)) return null;
    const next = await peelLayer(peeled, name, bytesMax, options);
    if (next === null) return peeled;
    if (next.source.codecs.length > CODEC_LAYERS_MAX) {
      const what = `it is compressed more than ${CODEC_LAYERS_MAX} times over`;
      throw unsupported(source.name, what, "Decompress it once.");
    }
    peeled = next;
    name = name.replace(CODEC_NAME, "");
  }
}

/** Whether a head that was cut tells the same as one that was not. */
function isEnough({ bytes }: Head, name: string): boolean {
  return bytes.length >= CONTAINER_PROBE_BYTES && !BROTLI_NAME.test(name);
}

async function peelLayer(
  peeled: PeeledSource,
  name: string,
  bytesMax: number,
  options: OpenOptions,
): Promise<PeeledSource | null> {
  const { source, head } = peeled;
  const container = identifyContainer(head.bytes);
  switch (container?.kind) {
    case "codec":
      return decode(peeled, container.codec, bytesMax, options);
    case "zip": {
      const around = isPlain(source) ? "" : ` inside ${source.codecs.at(-1) ?? "a zip"}`;
      throw unsupported(source.name, `it is a zip${around}`, "Unpack the outer one.");
    }
    case "unsupported":
      throw unsupported(source.name, `it is ${container.what}`, container.advice);
    case undefined:
      return BROTLI_NAME.test(name) && head.bytes.length > 0 ? decodeBrotli(peeled, options) : null;
  }
}

async function decode(
  { source, head, isCut }: PeeledSource,
  codec: Codec,
  bytesMax: number,
  options: OpenOptions,
): Promise<PeeledSource> {
  const inner = { ...source, codecs: [...source.codecs, codec] };
  const isTooLong = codec === "gzip" && head.bytes.length > bytesMax;
  const decoded = decodeHead(codec, isTooLong ? firstOf(head, bytesMax) : head);
  if (decoded !== null) return { source: inner, head: decoded, isCut: isCut || isTooLong };
  return { source: inner, head: await readHead(inner, options), isCut: false };
}

function firstOf({ bytes }: Head, bytesMax: number): Head {
  return { bytes: bytes.subarray(0, bytesMax), complete: false };
}

/** Null where a name that ends in `.br` is all that speaks for brotli. */
async function decodeBrotli(
  peeled: PeeledSource,
  options: OpenOptions,
): Promise<PeeledSource | null> {
  try {
    return await decode(peeled, "brotli", Number.POSITIVE_INFINITY, options);
  } catch (error) {
    if (looksPlain(peeled.head.bytes)) return null;
    throw error;
  }
}

/** Whether bytes that are no brotli are a text or a Parquet file instead. */
function looksPlain(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const utf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return (
    utf16 || Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PAR1" || !isBinary(bytes)
  );
}
