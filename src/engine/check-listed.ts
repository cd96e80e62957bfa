import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { SourceError } from "../base/errors.js";
import { KIB, LIST_BYTES_MAX, LISTED_BYTES_CHECKED_MAX, LISTS_READ_MAX } from "../base/limits.js";
import { inTemporaryDirectory } from "../base/make-directory.js";
import type { RunOptions } from "../options/options.js";
import { openCounter } from "../run/count-rows.js";
import { discoverFiles } from "../run/run-inputs.js";
import type { FoundFile } from "../sources/directory-walk.js";
import { isDataFeed, type ListedFile, parseFileList } from "../sources/file-lists.js";
import { fileState, fingerprintFile, fingerprintObject, stateOf } from "../sources/fingerprint.js";
import { openBytes } from "../sources/open-bytes.js";
import { kindOfName } from "../sources/other-files.js";
import { isHidden } from "../sources/skipped-names.js";

/** What was compared of the files that manifests and checksum files list. */
export interface ListedCheck {
  /** Manifests and checksum files. */
  readonly lists: number;
  /** Files that they list. */
  readonly files: number;
  readonly digests: Compared;
  readonly counts: Compared;
  /** One for each file that is missing, or not as listed. */
  readonly faults: readonly SourceError[];
}

interface Compared {
  readonly checked: number;
  readonly of: number;
}

interface Expected extends ListedFile {
  readonly found: FoundFile;
  /** The name of the list. */
  readonly by: string;
}

const CHUNK_BYTES = 64 * KIB;

type Options = RunOptions & { readonly temporaryDirectory: string; readonly signal: AbortSignal };

/**
 * Compares the inputs with the manifests and checksum files among them: names and sizes of all, and the
 * digests and rows of files as long as there are not too many bytes to read. Undefined without a list.
 */
export function checkListed(
  options: RunOptions,
  files: readonly FoundFile[],
  signal: AbortSignal,
): Promise<ListedCheck | undefined> {
  return inTemporaryDirectory("switchyard-lists-", (temporaryDirectory) =>
    compare({ ...options, temporaryDirectory, signal }, files),
  );
}

async function compare(
  options: Options,
  files: readonly FoundFile[],
): Promise<ListedCheck | undefined> {
  const { lists, listed, faults } = await readLists(options, files);
  if (lists === 0) return undefined;
  const sound: Expected[] = [];
  for (const one of listed) {
    const bytes = await sizeOf(one.found);
    if (one.bytes === undefined || bytes === one.bytes) sound.push(one);
    else faults.push(differs(one, `it has ${bytes} bytes, and ${one.bytes} are listed`));
  }
  const budget = { bytes: LISTED_BYTES_CHECKED_MAX };
  const digests = await each(sound, "digest", budget, faults, (one) => checkDigest(one, options));
  const counts = await each(sound, "rows", budget, faults, (one) => checkRows(one, options));
  return { lists, files: listed.length + faults.length, digests, counts, faults };
}

/** Checks a fact of all files that have it, until the bytes to read are used up. */
async function each(
  listed: readonly Expected[],
  fact: "digest" | "rows",
  budget: { bytes: number },
  faults: SourceError[],
  check: (one: Expected) => Promise<SourceError | undefined>,
): Promise<Compared> {
  const own = listed.filter((one) => one[fact] !== undefined);
  let checked = 0;
  for (const one of own) {
    budget.bytes -= await sizeOf(one.found);
    if (budget.bytes < 0) break;
    checked++;
    const fault = await check(one);
    if (fault !== undefined) faults.push(fault);
  }
  return { checked, of: own.length };
}

async function readLists(options: Options, files: readonly FoundFile[]) {
  const listed: Expected[] = [];
  const faults: SourceError[] = [];
  let lists = 0;
  let known: ReadonlyMap<string, readonly FoundFile[]> | undefined;
  for (const list of files.filter(({ name }) => mayBeList(name)).slice(0, LISTS_READ_MAX)) {
    const text = await readText(list, options);
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
  const groups = new Map<string, FoundFile[]>();
  for (const file of files) {
    const last = lastPart(file.name);
    const group = groups.get(last);
    if (group === undefined) groups.set(last, [file]);
    else group.push(file);
  }
  return groups;
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

function differs({ found, by }: Expected, what: string): SourceError {
  const reason = `${what} in ${by}. Fetch it again.`;
  return new SourceError("source_not_as_listed", { source: found.name }, reason);
}

async function sizeOf({ path, stored }: FoundFile): Promise<number> {
  return stored?.size ?? (await stat(path)).size;
}

/** Returns the text of a list; undefined for a file that is too large, or a text that is not a list. */
async function readText(file: FoundFile, options: Options): Promise<string | undefined> {
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
async function readBytes(
  { name, path, stored }: FoundFile,
  { signal, s3, ratioMax }: Options,
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

async function checkDigest(one: Expected, options: Options): Promise<SourceError | undefined> {
  const { algorithm, hex } = one.digest!;
  const hash = createHash(algorithm);
  await readBytes(one.found, options, (bytes) => {
    hash.update(bytes);
    return true;
  });
  const digest = hash.digest("hex");
  if (digest === hex) return undefined;
  const name = algorithm.toUpperCase();
  return differs(one, `its ${name} is ${digest}, and ${hex} is listed`);
}

async function checkRows(one: Expected, options: Options): Promise<SourceError | undefined> {
  const { signal } = options;
  const { sources, failures } = await discoverFiles([one.found], options, signal);
  // The check of the inputs says why a file cannot be read.
  if (failures.length > 0) return undefined;
  const count = openCounter(options, options);
  let rows = 0;
  for (const source of sources) {
    rows += (await count({ source, start: 0, end: null }, Number.POSITIVE_INFINITY)).rows;
  }
  if (rows === one.rows) return undefined;
  return differs(one, `${rows} rows were read of it, and ${one.rows} are listed`);
}
