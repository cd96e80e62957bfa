import { DISCOVERY_MAX, FINGERPRINT_EDGE_BYTES } from "../base/limits.js";
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
import { mapBounded } from "./map-bounded.js";
import type { ZipEntry } from "./source.js";
import { encrypted, unsafeName, unsupported } from "./source-errors.js";
import { type DirectoryEntry, explainUnsafeName, readZipDirectory } from "./zip-directory.js";

/** Names that only office documents have: they are zips, but not archives of data. */
const OFFICE_ENTRIES = ["[Content_Types].xml", "META-INF/manifest.xml"];

/** Bytes of an entry that are looked at without opening a stream. */
const HEAD_BYTES = 2 * FINGERPRINT_EDGE_BYTES;

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
    const blocks: Buffer[] = [];
    const found = await mapBounded(shown, DISCOVERY_MAX, ({ name, entry }, lane) => {
      blocks[lane] ??= Buffer.allocUnsafeSlow(HEAD_BYTES);
      const archive = { handle, state, block: blocks[lane] };
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
  /** Memory for HEAD_BYTES of one entry after the other. */
  readonly block: Buffer;
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
  return discoverSource(source, look, options);
}

/** The first bytes of an entry as it is inside the zip; null where it needs a stream. */
function lookAtEntry(
  { handle, state, block }: OpenArchive,
  { compressedSize, method }: ZipEntry,
  start: number,
  bytesMax: number,
): FirstBytes | null {
  const count = Math.min(compressedSize, HEAD_BYTES);
  // One that lies beyond the end is read as far as it is wanted, which says so.
  const isCut = method === zipMethods.deflate && bytesMax < count && start + count <= state.size;
  const bytes = block.subarray(0, isCut ? bytesMax : count);
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
