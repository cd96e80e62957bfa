import { DISCOVERY_MAX, MIB } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { inTemporaryDirectory } from "../base/temporary-directory.js";
import { InputFileHandle } from "./file-bytes.js";
import { InspectionBuffers } from "./file-inspector.js";
import { type FileState, fingerprintEntry, type ObjectState } from "./fingerprint.js";
import type { InputFile } from "./inputs.js";
import { ObjectCopy } from "./object-copy.js";
import { kindOfHidden, type LeftOut, splitByName } from "./other-files.js";
import { isHidden } from "./skipped-names.js";
import {
  collect,
  type DiscoverOptions,
  type Discovery,
  discoverSource,
  joinDiscoveries,
  LaneKernels,
  nothingFound,
} from "./source-discovery.js";
import { encrypted, unsafeName, unsupported } from "./source-errors.js";
import {
  type DirectoryEntry,
  explainUnsafeName,
  readEnd,
  readZipDirectory,
} from "./zip-directory.js";

/** Bytes at the end of an object that are fetched at once: more than the end records of a zip can have. */
const TAIL_BYTES = MIB;

/** Names that only office documents have: they are zips, but not archives of data. */
const OFFICE_ENTRIES = ["[Content_Types].xml", "META-INF/manifest.xml"];

/** The sources in a zip: its entries, without hidden ones and those that hold no events. `state`: of the file when it was opened. */
export async function discoverEntries(
  archive: InputFile,
  state: FileState | ObjectState,
  options: DiscoverOptions,
): Promise<Discovery> {
  const directory = await readDirectory(archive, state, options);
  refuseOfficeDocument(archive.name, directory);
  const entries = nameEntries(archive.name, directory);
  const visible = entries.filter(({ entry }) => !isHidden(entry.name));
  const { data, others } = splitByName(
    visible,
    ({ entry }) => entry.name,
    (_, kind) => options.isData?.(kind) === true,
  );
  const lanes: InspectionBuffers[] = [];
  const kernels = new LaneKernels();
  const found = await mapBounded(data, DISCOVERY_MAX, ({ name, entry }, lane) => {
    lanes[lane] ??= new InspectionBuffers();
    const buffers = lanes[lane];
    const own = kernels.optionsOf(archive, lane, options);
    return collect(name, options.signal, () => {
      return discoverEntry({ name, path: archive.path }, state, entry, buffers, own);
    });
  });
  const leftOut: LeftOut[] = others.map(({ one, kind }) => ({ name: one.name, kind }));
  for (const { name, entry } of entries) {
    if (isHidden(entry.name)) leftOut.push({ name, kind: kindOfHidden(entry.name) });
  }
  return joinDiscoveries([...found, { ...nothingFound, leftOut }]);
}

async function readDirectory(
  archive: InputFile,
  state: FileState | ObjectState,
  options: DiscoverOptions,
): Promise<readonly DirectoryEntry[]> {
  const { name, path } = archive;
  const place = { name, path, fingerprint: JSON.stringify(state) };
  if (archive.stored === undefined) {
    const handle = new InputFileHandle(place);
    try {
      return readZipDirectory(name, handle.descriptor);
    } finally {
      handle.close();
    }
  }
  return inTemporaryDirectory("switchyard-zip", async (temporaryDirectory) => {
    const object = { ...place, size: state.size };
    const copy = await ObjectCopy.create(object, { ...options, temporaryDirectory });
    try {
      await copy.fetch([{ start: Math.max(0, state.size - TAIL_BYTES), end: state.size }]);
      const { directoryStart: start } = readEnd(name, copy.descriptor);
      await copy.fetch([{ start, end: state.size }]);
      return readZipDirectory(name, copy.descriptor);
    } finally {
      await copy.close();
    }
  });
}

function discoverEntry(
  { name, path }: InputFile,
  state: FileState | ObjectState,
  { encrypted: isEncrypted, ...entry }: DirectoryEntry,
  buffers: InspectionBuffers,
  options: DiscoverOptions,
): Promise<Discovery> {
  const why = explainUnsafeName(entry.name);
  if (why !== null) throw unsafeName(name, why);
  if (isEncrypted) throw encrypted(name);
  const size = entry.compressedSize;
  const fingerprint = fingerprintEntry(state, entry);
  const source = { name, path, entry, codecs: [], size, fingerprint };
  return discoverSource(source, undefined, buffers, options);
}

/** Names as sources have them; a repeated name gets a number, as names must differ. */
function nameEntries(archive: string, directory: readonly DirectoryEntry[]) {
  const seen = new Map<string, number>();
  return directory.map((entry) => {
    const count = (seen.get(entry.name) ?? 0) + 1;
    seen.set(entry.name, count);
    const suffix = count === 1 ? "" : ` (${count})`;
    return { name: `${archive}!${entry.name}${suffix}`, entry };
  });
}

function refuseOfficeDocument(archive: string, directory: readonly DirectoryEntry[]): void {
  if (!directory.some(({ name }) => OFFICE_ENTRIES.includes(name))) return;
  throw unsupported(archive, "an office document", "Save its table as CSV.");
}
