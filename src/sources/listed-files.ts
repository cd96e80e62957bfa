import { stat } from "node:fs/promises";
import { SourceError } from "../base/errors.js";
import { groupBy } from "../base/group-by.js";
import { KIB, LIST_BYTES_MAX, LISTS_READ_MAX } from "../base/limits.js";
import type { FoundFile } from "./directory-walk.js";
import { isDataFeed, type ListedFile, parseFileList } from "./file-lists.js";
import { fileState, fingerprintFile, fingerprintObject, stateOf } from "./fingerprint.js";
import { openBytes } from "./open-bytes.js";
import { kindOfName } from "./other-files.js";
import type { OpenOptions } from "./read-options.js";
import { isHidden } from "./skipped-names.js";

/** A file that is there, and what a list says of it. */
export interface Expected extends ListedFile {
  readonly found: FoundFile;
  /** The name of the list. */
  readonly by: string;
}

interface ListedFiles {
  /** Manifests and checksum files. */
  readonly lists: number;
  /** Files that are there, with the size that is listed. */
  readonly sound: readonly Expected[];
  /** One for each file that is missing or has another size. */
  readonly faults: readonly SourceError[];
}

const CHUNK_BYTES = 64 * KIB;

/** Compares names and sizes of files with the manifests and checksum files among them. Reads only these. */
export async function compareListed(
  files: readonly FoundFile[],
  options: OpenOptions,
): Promise<ListedFiles> {
  const { lists, listed, faults } = await readLists(files, options);
  const sound: Expected[] = [];
  for (const one of listed) {
    const bytes = await sizeOf(one.found);
    if (one.bytes === undefined || bytes === one.bytes) sound.push(one);
    else faults.push(differs(one, `it has ${bytes} bytes, and ${one.bytes} are listed`));
  }
  return { lists, sound, faults };
}

async function readLists(files: readonly FoundFile[], options: OpenOptions) {
  const listed: Expected[] = [];
  const faults: SourceError[] = [];
  let lists = 0;
  let known: ReadonlyMap<string, readonly FoundFile[]> | undefined;
  for (const list of files.filter(({ name }) => mayBeList(name)).slice(0, LISTS_READ_MAX)) {
    const text = await readText(list, options).catch((error: unknown) => {
      if (!(error instanceof SourceError)) throw error;
      faults.push(error);
      return undefined;
    });
    const entries = text === undefined ? undefined : parseFileList(text, list.name);
    if (entries === undefined) continue;
    lists++;
    known ??= byLastPart(files);
    for (const entry of entries.filter(({ file }) => !isHidden(file))) {
      const found = find(known, entry.file, list.name);
      if (found !== undefined) listed.push({ ...entry, found, by: list.name });
      else if (find(known, unpacked(entry.file), list.name) === undefined)
        faults.push(missing(entry.file, list.name));
    }
  }
  return { lists, listed, faults };
}

/** Manifests of Adobe have the name of a text. */
function mayBeList(name: string): boolean {
  const kind = kindOfName(name)?.kind;
  return kind === "manifest" || kind === "checksum" || /\.txt$/i.test(name);
}

function byLastPart(files: readonly FoundFile[]): ReadonlyMap<string, readonly FoundFile[]> {
  return groupBy(files, ({ name }) => lastPart(name));
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Returns the name of a file without its compression: such a file is no longer as listed. */
function unpacked(file: string): string {
  return file.replace(/\.(gz|zst|br)$/i, "");
}

/** Finds a listed file by its path below the list, by its key, or by its name beside the list. */
function find(
  files: ReadonlyMap<string, readonly FoundFile[]>,
  file: string,
  list: string,
): FoundFile | undefined {
  const directory = list.slice(0, list.lastIndexOf("/") + 1);
  const same = files.get(lastPart(file)) ?? [];
  return (
    same.find(({ name }) => name === directory + file) ??
    same.find(({ name }) => name === file || name.endsWith(`/${file}`)) ??
    same.find(({ name }) => name === directory + lastPart(file))
  );
}

function missing(file: string, list: string): SourceError {
  const reason = `${list} lists it, and it is not among the inputs. Fetch it again.`;
  return new SourceError("source_not_as_listed", { source: file }, reason);
}

/** Returns the error for a file that is not as listed. */
export function differs({ found, by }: Expected, what: string): SourceError {
  const reason = `${what} in ${by}. Fetch it again.`;
  return new SourceError("source_not_as_listed", { source: found.name }, reason);
}

/** Returns the bytes of a file as it is stored. */
export async function sizeOf({ path, stored }: FoundFile): Promise<number> {
  return stored?.size ?? (await stat(path)).size;
}

/** Returns the text of a list; undefined for a file that is too large, or a text that is not a list. */
async function readText(file: FoundFile, options: OpenOptions): Promise<string | undefined> {
  if ((await sizeOf(file)) > LIST_BYTES_MAX) return undefined;
  const isNamed = kindOfName(file.name) !== undefined;
  const parts: Buffer[] = [];
  await readBytes(file, options, (bytes) => {
    parts.push(Buffer.from(bytes));
    return isNamed || isDataFeed(parts[0]?.toString("latin1", 0, 64) ?? "");
  });
  const text = Buffer.concat(parts).toString();
  return isNamed || isDataFeed(text) ? text : undefined;
}

/** Passes the bytes of a file or an object to `take`, as they are stored, as long as it returns true. */
export async function readBytes(
  { name, path, stored }: FoundFile,
  { signal, s3, ratioMax }: OpenOptions,
  take: (bytes: Uint8Array) => boolean,
): Promise<void> {
  const fingerprint =
    stored === undefined
      ? fingerprintFile(fileState(await stat(path)), [])
      : fingerprintObject(stored);
  const { size } = stored ?? stateOf(fingerprint);
  const source = { name, path, codecs: [], size, fingerprint };
  const bytes = await openBytes(source, 0, { signal, s3, ratioMax });
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let read = -1; read !== 0; ) {
      read = await bytes.read(buffer);
      if (read > 0 && !take(buffer.subarray(0, read))) return;
    }
  } finally {
    await bytes.close();
  }
}

/** Faults that a note names. */
const FAULTS_SHOWN = 5;

/** Returns the notes of a run about inputs that are not as their manifests and checksum files list them. */
export async function notesOfListed(
  files: readonly FoundFile[],
  options: OpenOptions,
): Promise<readonly string[]> {
  const { faults } = await compareListed(files, options);
  const more = faults.length - FAULTS_SHOWN;
  return [
    ...faults.slice(0, FAULTS_SHOWN).map(({ message }) => `not as listed: ${message}`),
    ...(more > 0 ? [`${more} more inputs are not as listed: run doctor`] : []),
  ];
}
