import { DISCOVERY_MAX } from "../base/limits.js";
import { isHidden } from "./directory-walk.js";
import {
  collect,
  type DiscoverOptions,
  type Discovery,
  discoverSource,
  joinDiscoveries,
} from "./discovery.js";
import { findEntryData, zipMethods } from "./entry-bytes.js";
import { InputFileHandle, type SourceFile } from "./file-bytes.js";
import { type FileState, fingerprintEntry } from "./fingerprint.js";
import { decodeHead, readHead } from "./head.js";
import type { InputFile } from "./inputs.js";
import type { FirstBytes } from "./layers.js";
import { LookMemory } from "./look-memory.js";
import { mapBounded } from "./map-bounded.js";
import type { ZipEntry } from "./source.js";
import { encrypted, unsafeName, unsupported } from "./source-errors.js";
import { type DirectoryEntry, explainUnsafeName, readZipDirectory } from "./zip-directory.js";

/** Names that only office documents have: they are zips, but not archives of data. */
const OFFICE_ENTRIES = ["[Content_Types].xml", "META-INF/manifest.xml"];

/** The sources in a zip: its entries, without hidden ones. `state`: of the file when it was opened. */
export async function discoverEntries(
  archive: InputFile,
  state: FileState,
  options: DiscoverOptions,
): Promise<Discovery> {
  const file = { ...archive, fingerprint: JSON.stringify(state) };
  const handle = new InputFileHandle(file);
  try {
    const directory = await readZipDirectory(archive.name, handle.descriptor);
    refuseOfficeDocument(archive.name, directory);
    const entries = nameEntries(archive.name, directory);
    const shown = entries.filter(({ entry }) => !isHidden(entry.name));
    const memories: LookMemory[] = [];
    const found = await mapBounded(shown, DISCOVERY_MAX, ({ name, entry }, lane) => {
      memories[lane] ??= new LookMemory();
      const archive = { handle, state, memory: memories[lane] };
      return collect(name, options.signal, () => {
        return discoverEntry({ ...file, name }, archive, entry, options);
      });
    });
    const skipped = entries.filter(({ entry }) => isHidden(entry.name)).map(({ name }) => name);
    return joinDiscoveries([...found, { sources: [], failures: [], skipped }]);
  } finally {
    handle.close();
  }
}

interface OpenArchive {
  readonly handle: InputFileHandle;
  /** Of the archive's file when it was opened. */
  readonly state: FileState;
  /** For one entry after the other. */
  readonly memory: LookMemory;
}

async function discoverEntry(
  file: SourceFile,
  archive: OpenArchive,
  { encrypted: isEncrypted, ...entry }: DirectoryEntry,
  options: DiscoverOptions,
): Promise<Discovery> {
  const why = explainUnsafeName(entry.name);
  if (why !== null) throw unsafeName(file.name, why);
  if (isEncrypted) throw encrypted(file.name);
  const source = {
    name: file.name,
    path: file.path,
    entry,
    codecs: [],
    size: entry.compressedSize,
    fingerprint: fingerprintEntry(archive.state, entry),
  };
  const start = findEntryData(source.name, archive.handle, entry);
  const look = async (bytesMax: number): Promise<FirstBytes> => {
    const first = lookAtEntry(archive, entry, start, bytesMax);
    return first ?? { head: await readHead(source, options), isCut: false };
  };
  return discoverSource(source, look, archive.memory, options);
}

/** The first bytes of an entry as it is inside the zip; null where it needs a stream. */
function lookAtEntry(
  { handle, state, memory }: OpenArchive,
  { compressedSize, method }: ZipEntry,
  start: number,
  bytesMax: number,
): FirstBytes | null {
  const count = Math.min(compressedSize, memory.edges.length);
  // One that lies beyond the end is read as far as it is wanted, which says so.
  const isCut = method === zipMethods.deflate && bytesMax < count && start + count <= state.size;
  const bytes = memory.edges.subarray(0, isCut ? bytesMax : count);
  handle.readFully(bytes, start, "the zip");
  const head = { bytes, complete: bytes.length === compressedSize };
  if (method === zipMethods.stored || compressedSize === 0) return { head, isCut };
  const decoded = method === zipMethods.deflate ? decodeHead("deflate", head) : null;
  return decoded && { head: decoded, isCut };
}

/** Names as sources have them; a name that comes again gets its number, as names must differ. */
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
  throw unsupported(archive, "it is an office document", "Save the table in it as CSV.");
}
