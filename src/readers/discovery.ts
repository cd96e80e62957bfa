import { SwitchyardError } from "../base/errors.js";
import { KIB, SNIFF_BYTES } from "../base/limits.js";
import { type Head, type HeadExtent, readHead } from "./head.js";
import { type FirstBytes, peelLayers } from "./layers.js";
import type { LookMemory } from "./look-memory.js";
import type { OpenOptions } from "./open-bytes.js";
import type { Format, Source, SourceBytes } from "./source.js";
import { fromSystem } from "./source-errors.js";

/** The first decompressed bytes of a source: SNIFF_BYTES at most, and never none. */
export interface FormatSample {
  readonly bytes: Uint8Array;
  readonly extent: HeadExtent;
}

/**
 * Finds the format by the first bytes. Null only where they are a `part` that does not decide, whatever
 * follows it: it is asked again with more then. `name` is that of the source. Throws `SourceError` where they are none of ours.
 */
export type DetectFormat = (
  sample: FormatSample,
  name: string,
) => Format | null | Promise<Format | null>;

export interface DiscoverOptions extends OpenOptions {
  readonly detect: DetectFormat;
}

/** Something among the inputs that cannot be read; the others can. */
export interface DiscoveryFailure {
  readonly name: string;
  /** As in `SwitchyardError`. */
  readonly code: string;
  readonly message: string;
}

/**
 * What files turned out to hold; all lists in the order of the files, then of the zip's directory. Plain
 * data: it goes from thread to thread.
 */
export interface Discovery {
  readonly sources: readonly Source[];
  readonly failures: readonly DiscoveryFailure[];
  /** Names of zip entries that were left out because they are hidden. */
  readonly skipped: readonly string[];
}

/**
 * The first bytes of a source without any layer removed. `bytesMax`: of compressed ones, how many are to
 * be decoded where more take time. Only good until the next call.
 */
export type LookAtSource = (bytesMax: number) => FirstBytes | Promise<FirstBytes>;

/**
 * Compressed bytes that are decoded until they decide. The first are enough for JSON in lines of up to
 * 5 KB: 20 µs, where SNIFF_BYTES take 200 to 400.
 */
const DECODED_BYTES = [2 * KIB, 32 * KIB, Number.POSITIVE_INFINITY] as const;

/** One source in a discovery of its own. `look` may use of `memory` the edges. */
export async function discoverSource(
  source: SourceBytes,
  look: LookAtSource,
  memory: LookMemory,
  options: DiscoverOptions,
): Promise<Discovery> {
  for (const bytesMax of DECODED_BYTES) {
    const peeled = await peelLayers(source, await look(bytesMax), bytesMax, options);
    if (peeled === null) continue;
    const found = await detectFormat(peeled.source, sampleOf(peeled.head), options);
    if (found !== null) return discoveryOf(peeled.source, found);
    if (peeled.isCut) continue;
    // What a file was opened with may not be enough, and neither what it decompresses to.
    const { bytes } = await readHead(peeled.source, options, memory.head);
    const format = await detectFormat(peeled.source, fullSampleOf(bytes), options);
    if (format !== null) return discoveryOf(peeled.source, format);
  }
  throw new Error(`${source.name}: all that is looked at decided nothing`);
}

function discoveryOf(source: SourceBytes, format: Format): Discovery {
  return { sources: [{ ...source, format }], failures: [], skipped: [] };
}

function sampleOf({ bytes, complete }: Head): FormatSample {
  if (complete || bytes.length >= SNIFF_BYTES) return fullSampleOf(bytes);
  return { bytes, extent: "part" };
}

/** Of bytes that no more can be had of, or need not. */
function fullSampleOf(bytes: Uint8Array): FormatSample {
  if (bytes.length < SNIFF_BYTES) return { bytes, extent: "whole" };
  return { bytes: bytes.subarray(0, SNIFF_BYTES), extent: "limit" };
}

function detectFormat(
  source: SourceBytes,
  sample: FormatSample,
  { detect }: DiscoverOptions,
): Format | null | Promise<Format | null> {
  // Nothing has no format; read as lines it gives no rows.
  if (sample.bytes.length === 0) return sample.extent === "part" ? null : { kind: "ndjson" };
  return detect(sample, source.name);
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
    const { code, message } = error;
    return { sources: [], failures: [{ name, code, message }], skipped: [] };
  }
}

export function joinDiscoveries(discoveries: readonly Discovery[]): Discovery {
  return {
    sources: discoveries.flatMap(({ sources }) => sources),
    failures: discoveries.flatMap(({ failures }) => failures),
    skipped: discoveries.flatMap(({ skipped }) => skipped),
  };
}
