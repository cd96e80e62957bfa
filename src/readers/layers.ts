import { CODEC_LAYERS_MAX } from "../base/limits.js";
import { decodeHead, type Head, readHead } from "./head.js";
import { identifyContainer, isBinary } from "./magic.js";
import { isPlain, type OpenOptions } from "./open-bytes.js";
import type { Codec, SourceBytes } from "./source.js";
import { unsupported } from "./source-errors.js";

/** A source whose compression is known, with its first decompressed bytes. */
export interface PeeledSource {
  readonly source: SourceBytes;
  readonly head: Head;
}

const BROTLI_NAME = /\.br$/i;
const CODEC_NAME = /\.(gz|gzip|zst|zstd|br)$/i;

/**
 * Finds the compression layers of a source by their magic bytes, outermost first; brotli, which has
 * none, by name, where the bytes bear it out. `head`: its first bytes without any layer removed.
 * Throws `source_unsupported` for everything that is known and not read.
 */
export async function peelLayers(
  source: SourceBytes,
  head: Head,
  options: OpenOptions,
): Promise<PeeledSource> {
  let peeled: PeeledSource = { source, head };
  let name = source.entry?.name ?? source.path;
  for (;;) {
    const next = await peelLayer(peeled, name, options);
    if (next === null) return peeled;
    if (next.source.codecs.length > CODEC_LAYERS_MAX) {
      const what = `it is compressed more than ${CODEC_LAYERS_MAX} times over`;
      throw unsupported(source.name, what, "Decompress it once.");
    }
    peeled = next;
    name = name.replace(CODEC_NAME, "");
  }
}

async function peelLayer(
  peeled: PeeledSource,
  name: string,
  options: OpenOptions,
): Promise<PeeledSource | null> {
  const { source, head } = peeled;
  const container = identifyContainer(head.bytes);
  switch (container?.kind) {
    case "codec":
      return decode(peeled, container.codec, options);
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
  { source, head }: PeeledSource,
  codec: Codec,
  options: OpenOptions,
): Promise<PeeledSource> {
  const inner = { ...source, codecs: [...source.codecs, codec] };
  return { source: inner, head: decodeHead(codec, head) ?? (await readHead(inner, options)) };
}

/** Null where a name that ends in `.br` is all that speaks for brotli. */
async function decodeBrotli(
  peeled: PeeledSource,
  options: OpenOptions,
): Promise<PeeledSource | null> {
  try {
    return await decode(peeled, "brotli", options);
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
