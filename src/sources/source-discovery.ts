import { SwitchyardError } from "../base/errors.js";
import { KIB } from "../base/limits.js";
import { Kernel } from "../batch/kernel.js";
import { isObjectUrl } from "../store/object-url.js";
import { StoreError } from "../store/store-error.js";
import type { InspectionBuffers } from "./file-inspector.js";
import type { InputFile } from "./inputs.js";
import { peelLayers } from "./layers.js";
import type { OpenOptions } from "./open-bytes.js";
import type { Format, Source, SourceBytes } from "./source.js";
import { fromSystem } from "./source-errors.js";
import { type HeadSample, SourceHead } from "./source-head.js";
import type { SourceTable } from "./source-table.js";

/**
 * Finds the format of a source by its first bytes. Returns null only for a `part` that is too short to
 * decide, whatever follows it; it is then called again with more bytes. Throws `SourceError` for bytes
 * of no supported format. `name` is the source's name.
 */
export type DetectFormat = (
  sample: HeadSample,
  name: string,
) => Format | null | Promise<Format | null>;

export interface DiscoverOptions extends OpenOptions {
  readonly detect: DetectFormat;
  /** Inputs as the user named them: they are data, whatever their names. */
  readonly named?: ReadonlySet<string>;
  /** Holds the sources that are found, if there may be many. */
  readonly table?: Pick<SourceTable, "add">;
}

/** An input that cannot be read; the others can. */
export interface DiscoveryFailure {
  readonly name: string;
  /** As in `SwitchyardError`. */
  readonly code: string;
  readonly message: string;
}

/** The sources in some files. Lists are in the order of the files, then of the zip's directory. */
export interface Discovery {
  readonly sources: readonly Source[];
  readonly failures: readonly DiscoveryFailure[];
  /** Names of hidden zip entries, which are left out. */
  readonly skipped: readonly string[];
  /** Names of files and zip entries that are left out because they are documents, not data. */
  readonly documents: readonly string[];
}

export const nothingFound: Discovery = { sources: [], failures: [], skipped: [], documents: [] };

/** Decompressed bytes that detection sees first; enough for JSON lines of up to 5 KB. */
const FIRST_SAMPLE_BYTES = 4 * KIB;

/** Discovers one source. `first`: its first bytes as stored, if they are known. */
export async function discoverSource(
  source: SourceBytes,
  first: Uint8Array | undefined,
  buffers: InspectionBuffers,
  options: DiscoverOptions,
): Promise<Discovery> {
  const detected = await detectSource(source, first, buffers, options);
  return { ...nothingFound, sources: [options.table?.add(detected) ?? detected] };
}

/** Returns a source with the codecs and the format that its bytes have. */
export async function detectSource(
  source: SourceBytes,
  first: Uint8Array | undefined,
  buffers: InspectionBuffers,
  options: DiscoverOptions,
): Promise<Source> {
  const stored = new SourceHead(source, options, buffers.head, first);
  const head = await peelLayers(stored, buffers.head, options);
  try {
    const format = await detectFormat(head, options);
    return { ...head.source, format };
  } finally {
    await head.close();
  }
}

async function detectFormat(head: SourceHead, { detect }: DiscoverOptions): Promise<Format> {
  await head.fill(FIRST_SAMPLE_BYTES);
  for (;;) {
    const { sample } = head;
    // An empty source has no format; read as lines it gives no rows.
    if (sample.bytes.length === 0) return { kind: "ndjson" };
    const format = await detect(sample, head.source.name);
    if (format !== null) return format;
    if (sample.extent !== "part") throw new Error(`${head.source.name}: no format was detected`);
    await head.fill(4 * sample.bytes.length);
  }
}

/** Runs `discover`; turns an error into a failure unless it is the signal's reason or a bug. */
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
    // The other errors of a store concern all of its objects.
    if (error instanceof StoreError || !(error instanceof SwitchyardError)) throw error;
    const failure = { name, code: error.code, message: error.toText() };
    return { ...nothingFound, failures: [failure] };
  }
}

/**
 * Kernels for objects that are looked at at the same time. Files share one; but while the bytes of an object
 * are awaited, another one must not make the memory grow that they go to, as that moves it.
 */
export class LaneKernels {
  readonly #kernels: Kernel[] = [];

  optionsOf<Options extends OpenOptions>(
    { path }: InputFile,
    lane: number,
    options: Options,
  ): Options {
    if (!isObjectUrl(path)) return options;
    this.#kernels[lane] ??= new Kernel();
    return { ...options, kernel: this.#kernels[lane] };
  }
}

export function joinDiscoveries(discoveries: readonly Discovery[]): Discovery {
  return {
    sources: discoveries.flatMap(({ sources }) => sources),
    failures: discoveries.flatMap(({ failures }) => failures),
    skipped: discoveries.flatMap(({ skipped }) => skipped),
    documents: discoveries.flatMap(({ documents }) => documents),
  };
}
