import { SwitchyardError } from "../base/errors.js";
import { KIB, SNIFF_BYTES } from "../base/limits.js";
import { Kernel } from "../batch/kernel.js";
import { isObjectUrl } from "../store/object-url.js";
import { StoreError } from "../store/store-error.js";
import type { InspectionBuffers } from "./file-inspector.js";
import type { InputFile } from "./inputs.js";
import { peelLayers } from "./layers.js";
import { identifyContainer } from "./magic.js";
import {
  hasTraces,
  kindOfContent,
  kindOfFields,
  kindOfName,
  type LeftOut,
  looksLikeRows,
  type OtherKind,
  otherKinds,
} from "./other-files.js";
import type { OpenOptions } from "./read-options.js";
import type { Format, Source, SourceBytes } from "./source.js";
import { fromSystem, notEvents } from "./source-errors.js";
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
  /** Inputs as the user named them: one that holds no events is an error. */
  readonly named?: ReadonlySet<string>;
  /** True if named inputs are data, whatever they are. */
  readonly readsNamed?: boolean | undefined;
  /** Returns true for kinds of files that are data for this run. */
  readonly isData?: ((kind: OtherKind) => boolean) | undefined;
  /** Returns the columns of a Parquet file; it is only called for those that may hold no events. */
  readonly columnsOf?: ((source: Source) => Promise<readonly string[]>) | undefined;
  /** Finds the sources in a tar; absent if the source is in an archive itself. */
  readonly discoverTar?: (archive: SourceBytes, options: DiscoverOptions) => Promise<Discovery>;
  /** The last bytes of the source as stored, if they are known. */
  readonly tail?: Uint8Array;
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
  /** Files and zip entries that hold no events. */
  readonly leftOut: readonly LeftOut[];
  /** Notes about inputs that are not as a manifest or a checksum file among them says. */
  readonly notes?: readonly string[];
}

export const nothingFound: Discovery = { sources: [], failures: [], leftOut: [] };

/** Decompressed bytes that detection sees first; enough for JSON lines of up to 5 KB. */
const FIRST_SAMPLE_BYTES = 4 * KIB;

/** Discovers one source. `first`: its first bytes as stored, if they are known. */
export async function discoverSource(
  source: SourceBytes,
  first: Uint8Array | undefined,
  buffers: InspectionBuffers,
  options: DiscoverOptions,
): Promise<Discovery> {
  const found = await withHead(source, first, buffers, options, async (head) => {
    const isTar = identifyContainer(head.sample.bytes)?.kind === "tar";
    if (isTar && options.discoverTar !== undefined)
      return options.discoverTar(head.source, options);
    const kind = await findKind(head, options);
    if (kind !== undefined) return kind;
    const detected = { ...head.source, format: await detectFormat(head, options) };
    return (await kindOfColumns(detected, head, options)) ?? detected;
  });
  if (typeof found === "object" && "sources" in found) return found;
  if (typeof found !== "string") {
    return { ...nothingFound, sources: [options.table?.add(found) ?? found] };
  }
  if (options.named?.has(source.name) === true) throw notEvents(source.name, otherKinds[found][0]);
  return { ...nothingFound, leftOut: [{ name: source.name, kind: found }] };
}

/** Returns a source with the codecs and the format that its bytes have. */
export function detectSource(
  source: SourceBytes,
  first: Uint8Array | undefined,
  buffers: InspectionBuffers,
  options: DiscoverOptions,
): Promise<Source> {
  return withHead(source, first, buffers, options, async (head) => {
    return { ...head.source, format: await detectFormat(head, options) };
  });
}

async function withHead<Result>(
  source: SourceBytes,
  first: Uint8Array | undefined,
  buffers: InspectionBuffers,
  options: OpenOptions,
  use: (head: SourceHead) => Promise<Result>,
): Promise<Result> {
  const stored = new SourceHead(source, options, buffers.head, first);
  const head = await peelLayers(stored, buffers.head, options);
  try {
    return await use(head);
  } finally {
    await head.close();
  }
}

/** Returns the kind of a source that holds no events, by its name and its first bytes. */
async function findKind(
  head: SourceHead,
  { named, readsNamed, isData = () => false }: DiscoverOptions,
): Promise<OtherKind | undefined> {
  const { name, entry } = head.source;
  const isNamed = named?.has(name) === true;
  if (isNamed && readsNamed === true) return undefined;
  await head.fill(FIRST_SAMPLE_BYTES);
  // An empty source has no rows; no name makes an error of it.
  if (head.sample.bytes.length === 0) return undefined;
  const known = kindOfName(entry?.name ?? name);
  if (known !== undefined && (isNamed || known.isLikely === true)) {
    await head.fill(SNIFF_BYTES);
    if (!isData(known.kind) && !looksLikeRows(head.sample, known.kind)) return known.kind;
  }
  let kind = kindOfContent(head.sample);
  if (kind === "undecided") {
    await head.fill(SNIFF_BYTES);
    kind = kindOfContent(head.sample);
  }
  return kind === undefined || kind === "undecided" || isData(kind) ? undefined : kind;
}

/** Paths of Parquet files whose columns are looked at where the bytes at their end are not known. */
const NAME_OF_OTHERS = /person|merged?_ids/i;

/** Returns the kind of a Parquet file that holds no events. */
async function kindOfColumns(
  source: Source,
  head: SourceHead,
  { named, readsNamed, isData = () => false, columnsOf, tail }: DiscoverOptions,
): Promise<OtherKind | undefined> {
  if (source.format.kind !== "parquet" || columnsOf === undefined) return undefined;
  if (readsNamed === true && named?.has(source.name) === true) return undefined;
  const isSuspect =
    NAME_OF_OTHERS.test(source.name) ||
    hasTraces(head.sample.bytes) ||
    (tail !== undefined && hasTraces(tail));
  if (!isSuspect) return undefined;
  const kind = kindOfFields(await columnsOf(source));
  return kind === undefined || isData(kind) ? undefined : kind;
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
    leftOut: discoveries.flatMap(({ leftOut }) => leftOut),
  };
}
