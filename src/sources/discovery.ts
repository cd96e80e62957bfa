import { groupBy } from "../base/group-by.js";
import {
  DISCOVERY_FILES,
  DISCOVERY_MAX,
  FINGERPRINT_EDGE_BYTES,
  OBJECT_SAMPLES,
  OBJECTS_OPENED_MAX,
} from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { FileInspector, FileReads, type InspectedFile } from "./file-inspector.js";
import { fingerprintObject, type ObjectState } from "./fingerprint.js";
import type { InputFile } from "./inputs.js";
import { endsAsZip, identifyContainer } from "./magic.js";
import { fetchObject } from "./object-bytes.js";
import { kindOfName, splitByName } from "./other-files.js";
import type { Source, SourceBytes } from "./source.js";
import {
  collect,
  type DiscoverOptions,
  type Discovery,
  discoverSource,
  joinDiscoveries,
  LaneKernels,
  nothingFound,
} from "./source-discovery.js";
import { describeSource } from "./source-table.js";

/**
 * Opens every file, and every entry of every zip, and detects compression and format from the bytes; of
 * very many objects, only samples. Leaves out files that hold no events; one that is named, and an input
 * that cannot be read, become failures. Throws only the signal's reason and bugs.
 */
export async function discoverSources(
  listed: readonly InputFile[],
  options: DiscoverOptions,
): Promise<Discovery> {
  const { named, isData } = options;
  const { data: files, others } = splitByName(
    listed,
    ({ name }) => name,
    ({ name }, kind) => named?.has(name) === true || isData?.(kind) === true,
  );
  const reads = new FileReads();
  const inspectors: FileInspector[] = [];
  const kernels = new LaneKernels();
  const look = (some: readonly InputFile[]) =>
    mapBounded(some, DISCOVERY_MAX, (file, lane) => {
      inspectors[lane] ??= new FileInspector(reads);
      return discoverFile(file, inspectors[lane], kernels.optionsOf(file, lane, options));
    });
  const sampled = await sampleObjects(files, look);
  const found: Discovery[] = [];
  for (let start = 0; start < files.length; start += DISCOVERY_FILES) {
    const some = files.slice(start, start + DISCOVERY_FILES).map((file) => sampled(file) ?? file);
    found.push(await discoverSome(some, look));
  }
  const leftOut = others.map(({ one, kind }) => ({ name: one.name, kind }));
  return joinDiscoveries([...found, { ...nothingFound, leftOut }]);
}

/** Returns what is in some files, in their order; those that are sources already are not opened. */
async function discoverSome(
  some: readonly (InputFile | Source)[],
  look: (files: readonly InputFile[]) => Promise<readonly Discovery[]>,
): Promise<Discovery> {
  const isFile = (one: InputFile | Source): one is InputFile => !("fingerprint" in one);
  const looked = (await look(some.filter(isFile))).values();
  const opened = () => looked.next().value ?? nothingFound;
  return joinDiscoveries(
    some.map((one) => (isFile(one) ? opened() : { ...nothingFound, sources: [one] })),
  );
}

async function discoverFile(
  file: InputFile,
  inspector: FileInspector,
  options: DiscoverOptions,
): Promise<Discovery> {
  return collect(file.name, options.signal, async () => {
    const { state, head, tail, fingerprint } =
      file.stored === undefined
        ? await inspector.inspect(file)
        : await inspectObject(file, file.stored, options);
    const container = identifyContainer(head);
    if (container?.kind === "zip" || (container === null && endsAsZip(tail))) {
      // Loads the zip library, which most runs do not need.
      const { discoverEntries } = await import("./zip-sources.js");
      return discoverEntries(file, state, options);
    }
    const { name, path } = file;
    const source = { name, path, codecs: [], size: state.size, fingerprint };
    const fetched = { start: 0, bytes: head };
    const discoverTar = async (archive: SourceBytes, own: DiscoverOptions) =>
      (await import("./tar-sources.js")).discoverTar(archive, own);
    return discoverSource(source, head, inspector.buffers, {
      ...options,
      fetched,
      tail,
      discoverTar,
    });
  });
}

/**
 * Reads the first bytes of an object, or all of a small one. Its last bytes cost a second request, which
 * only a zip needs that begins with something else.
 */
async function inspectObject(
  { name, path }: InputFile,
  { size, etag }: NonNullable<InputFile["stored"]>,
  options: DiscoverOptions,
): Promise<Omit<InspectedFile, "state"> & { readonly state: ObjectState }> {
  const state = { size, etag };
  const fingerprint = fingerprintObject(state);
  const object = { name, path, fingerprint };
  const read = async (start: number, end: number) => {
    const bytes = Buffer.alloc(end - start);
    if (start === end) return bytes;
    await fetchObject(object, { start, end }, options, (part, position) => {
      bytes.set(part, position - start);
    });
    return bytes;
  };
  const head = await read(0, Math.min(size, FINGERPRINT_EDGE_BYTES));
  const needsTail = /\.zip$/i.test(name) && identifyContainer(head) === null;
  const tail = needsTail ? await read(Math.max(0, size - FINGERPRINT_EDGE_BYTES), size) : head;
  return { state, head, tail, fingerprint };
}

/**
 * Returns what is known of objects without opening each. Of very many objects with similar names, samples
 * decide about the others; their workers look at them again. `look`: opens one.
 */
async function sampleObjects(
  files: readonly InputFile[],
  look: (files: readonly InputFile[]) => Promise<readonly Discovery[]>,
): Promise<(file: InputFile) => Source | undefined> {
  const groups = groupObjects(files);
  const kinds = new Map<string, Source>();
  for (const [key, group] of groups) {
    const step = (group.length - 1) / (OBJECT_SAMPLES - 1);
    const samples = Array.from(
      { length: OBJECT_SAMPLES },
      (_, index) => group[Math.round(index * step)]!,
    );
    const example = agreedSource(await look(samples));
    if (example !== undefined) kinds.set(key, example);
  }
  return (file) => {
    const isSampled = kinds.size > 0 && file.stored !== undefined;
    const example = isSampled ? kinds.get(likeness(file.name)) : undefined;
    return example && sampledSource(file, example);
  };
}

/** Returns the objects that are not opened one by one, by the likeness of their names. */
function groupObjects(files: readonly InputFile[]): ReadonlyMap<string, readonly InputFile[]> {
  const objects = files.filter(({ stored }) => stored !== undefined);
  if (objects.length <= OBJECTS_OPENED_MAX) return new Map();
  // The names of others do not say what they are.
  const alike = objects.filter(({ name }) => kindOfName(name) === undefined);
  const groups = groupBy(alike, ({ name }) => likeness(name));
  const isOpened = ([key, group]: [string, InputFile[]]) =>
    key.endsWith(".zip") || group.length <= 2 * OBJECT_SAMPLES;
  return new Map([...groups].filter((group) => !isOpened(group)));
}

/** Returns a directory, without the numbers in it, and what a name ends with: `s3://b/#-#/.json.gz`. */
function likeness(name: string): string {
  const end = name.lastIndexOf("/") + 1;
  const [extension = ""] = /(?:\.[a-z][a-z\d]*)+$/i.exec(name.slice(end)) ?? [];
  return name.slice(0, end).replace(/[\da-f]{8,}|\d+/gi, "#") + extension.toLowerCase();
}

/** Returns the first of some samples if all of them are one source each, of the same kind. */
function agreedSource(samples: readonly Discovery[]): Source | undefined {
  const kindOf = ({ codecs, format }: Source) => `${codecs} ${format.kind}`;
  const sources = samples.flatMap((one) => one.sources);
  const [first] = sources;
  const isOne = ({ sources: own }: Discovery) => own.length === 1 && own[0]?.entry === undefined;
  if (first === undefined || !samples.every(isOne)) return undefined;
  return sources.every((source) => kindOf(source) === kindOf(first)) ? first : undefined;
}

function sampledSource({ listed }: InputFile, { codecs, format }: Source): Source | undefined {
  return listed && describeSource(listed, { codecs, format, sampled: true });
}
