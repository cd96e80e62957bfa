import { CODEC_LAYERS_MAX, SNIFF_BYTES } from "../base/limits.js";
import { CONTAINER_PROBE_BYTES, identifyContainer, isBinary } from "./magic.js";
import { isPlain } from "./open-bytes.js";
import type { OpenOptions } from "./read-options.js";
import type { Codec } from "./source.js";
import { truncated, unsupported } from "./source-errors.js";
import { type HeadSample, SourceHead } from "./source-head.js";

const BROTLI_NAME = /\.br$/i;
/** The first bytes of what a name says, of which a file may have too few to be detected. */
const codecStarts = [
  { name: /\.(gz|gzip)$/i, codec: "gzip", bytes: Buffer.from([0x1f, 0x8b]) },
  { name: /\.zst$/i, codec: "zstd", bytes: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
] as const;

const CODEC_NAME = /\.(gz|gzip|zst|zstd|br)$/i;

/**
 * Finds the compression layers of a source by their magic bytes, outermost first. Brotli has no magic
 * bytes: it is found by its name, if the bytes can be decoded. Returns the head without its layers;
 * closes `head` if that is another one. Throws `source_unsupported` for formats that are known but not
 * read. `block`: memory for decompressed heads.
 */
export async function peelLayers(
  head: SourceHead,
  block: Buffer,
  options: OpenOptions,
): Promise<SourceHead> {
  let outer = head;
  let name = head.source.entry?.name ?? head.source.path;
  try {
    for (;;) {
      const inner = await peelLayer(outer, name, block, options);
      if (inner === null) return outer;
      outer = inner;
      name = name.replace(CODEC_NAME, "");
    }
  } catch (error) {
    await outer.close();
    throw error;
  }
}

/** The head without its outermost layer, which is closed; null if there is no layer. */
async function peelLayer(
  head: SourceHead,
  name: string,
  block: Buffer,
  options: OpenOptions,
): Promise<SourceHead | null> {
  const isNamedBrotli = BROTLI_NAME.test(name);
  await head.fill(isNamedBrotli ? SNIFF_BYTES : CONTAINER_PROBE_BYTES);
  const { source, sample } = head;
  const container = identifyContainer(sample.bytes);
  const open = (codec: Codec) => openLayer(head, codec, block, options);
  switch (container?.kind) {
    case "codec":
      return open(container.codec);
    case "zip": {
      const around = isPlain(source) ? "" : ` inside ${source.codecs.at(-1) ?? "a zip"}`;
      throw unsupported(source.name, `a zip${around}`, "Unpack the outer one.");
    }
    case "tar":
      if (source.entry === undefined) return null;
      throw unsupported(source.name, "a tar inside an archive", "Unpack the outer one.");
    case "unsupported":
      throw unsupported(source.name, container.what, container.advice);
    case undefined:
      refuseCutStart(source.name, name, sample);
      return isNamedBrotli && sample.bytes.length > 0 ? tryBrotli(head, open) : null;
  }
}

function refuseCutStart(source: string, name: string, { bytes, extent }: HeadSample): void {
  if (extent !== "whole" || bytes.length === 0) return;
  for (const { name: pattern, codec, bytes: start } of codecStarts) {
    const isCut = pattern.test(name) && start.subarray(0, bytes.length).equals(bytes);
    if (isCut) throw truncated(source, `the ${codec} data`, { byte: 0 });
  }
}

async function openLayer(
  outer: SourceHead,
  codec: Codec,
  block: Buffer,
  options: OpenOptions,
): Promise<SourceHead> {
  const { source } = outer;
  await outer.close();
  if (source.codecs.length === CODEC_LAYERS_MAX) {
    const what = `compressed more than ${CODEC_LAYERS_MAX} times over`;
    throw unsupported(source.name, what, "Decompress it once.");
  }
  const inner = new SourceHead({ ...source, codecs: [...source.codecs, codec] }, options, block);
  // Throws if there is not even a first byte.
  await inner.fill(1);
  return inner;
}

/** Null if only the name suggests brotli. */
async function tryBrotli(
  head: SourceHead,
  open: (codec: Codec) => Promise<SourceHead>,
): Promise<SourceHead | null> {
  const isLikelyPlain = looksPlain(head.sample.bytes);
  try {
    return await open("brotli");
  } catch (error) {
    if (isLikelyPlain) return null;
    throw error;
  }
}

/** True if bytes that cannot be decoded as brotli are text or a Parquet file. */
function looksPlain(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return (
    isUtf16 || Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PAR1" || !isBinary(bytes)
  );
}
