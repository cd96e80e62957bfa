import { SwitchyardError } from "../base/errors.js";
import { SNIFF_BYTES } from "../base/limits.js";
import { type Head, readHead } from "./head.js";
import { peelLayers } from "./layers.js";
import { isPlain, type OpenOptions } from "./open-bytes.js";
import type { Format, Source, SourceBytes } from "./source.js";
import { fromSystem } from "./source-errors.js";

/** What is known of a source beside its first bytes. */
export interface FormatHints {
  /** As in `Source.name`. */
  readonly name: string;
  /** The file on disk; its bytes are the source's own only where `seekable`. */
  readonly path: string;
  /** Bytes on disk (compressed). */
  readonly size: number;
  /** Whether the source is a plain file. */
  readonly seekable: boolean;
}

/**
 * Finds the format by the first decompressed bytes (SNIFF_BYTES, or all there are, never none).
 * Throws `SourceError` where they are none of ours.
 */
export type DetectFormat = (head: Uint8Array, hints: FormatHints) => Format | Promise<Format>;

export interface DiscoverOptions extends OpenOptions {
  readonly detect: DetectFormat;
}

/** Something among the inputs that cannot be read; the others can. */
export interface DiscoveryFailure {
  readonly name: string;
  readonly error: SwitchyardError;
}

/** What files turned out to hold; all lists in the order of the files, then of the zip's directory. */
export interface Discovery {
  readonly sources: readonly Source[];
  readonly failures: readonly DiscoveryFailure[];
  /** Names of zip entries that were left out because they are hidden. */
  readonly skipped: readonly string[];
}

/** One source in a discovery of its own. `head`: the first bytes of the file or entry as they are. */
export async function discoverSource(
  source: SourceBytes,
  head: Head,
  options: DiscoverOptions,
): Promise<Discovery> {
  const peeled = await peelLayers(source, head, options);
  const { bytes, complete } = peeled.head;
  // What a file was opened with may be less, and so may what it decompresses to.
  const isShort = !complete && bytes.length < SNIFF_BYTES;
  const first = isShort ? (await readHead(peeled.source, options)).bytes : bytes;
  const format = await detectFormat(peeled.source, first, options);
  return { sources: [{ ...peeled.source, format }], failures: [], skipped: [] };
}

function detectFormat(
  source: SourceBytes,
  head: Uint8Array,
  { detect }: DiscoverOptions,
): Format | Promise<Format> {
  // Nothing has no format; read as lines it gives no rows.
  if (head.length === 0) return { kind: "ndjson" };
  const { name, path, size } = source;
  return detect(head.subarray(0, SNIFF_BYTES), { name, path, size, seekable: isPlain(source) });
}

/** Runs `discover` and makes a failure of what it throws, unless it is the end of the run or a bug. */
export async function collect(
  name: string,
  signal: AbortSignal,
  discover: () => Promise<Discovery>,
): Promise<Discovery> {
  try {
    signal.throwIfAborted();
    return await discover();
  } catch (thrown) {
    signal.throwIfAborted();
    const error = fromSystem(name, thrown);
    if (!(error instanceof SwitchyardError)) throw error;
    return { sources: [], failures: [{ name, error }], skipped: [] };
  }
}

export function joinDiscoveries(discoveries: readonly Discovery[]): Discovery {
  return {
    sources: discoveries.flatMap(({ sources }) => sources),
    failures: discoveries.flatMap(({ failures }) => failures),
    skipped: discoveries.flatMap(({ skipped }) => skipped),
  };
}
