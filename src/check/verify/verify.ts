import { createReadStream } from "node:fs";
import path, { join } from "node:path";
import { createInterface } from "node:readline";
import { hasCode } from "../../base/errors.js";
import { readLines } from "../../base/line-file.js";
import { createZone } from "../../base/luxon-zone.js";
import { mapBounded } from "../../base/map-bounded.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { sum } from "../../base/sum.js";
import { Kernel } from "../../batch/kernel.js";
import { columnsIn, unitMsOf } from "../../formats/open-part.js";
import { nameInPart, type OutputFormat, outputFormat } from "../../formats/output-formats.js";
import type { Manifest, ManifestDay, ManifestFile, RowLimit } from "../../ledger/manifest.js";
import { readManifest } from "../../ledger/manifest-file.js";
import type { RunContext, RunProgress } from "../../ledger/run-observer.js";
import { INPUTS_NAME, MANIFEST_NAME } from "../../output/layout.js";
import type { OutputFiles } from "../../output/output-files.js";
import { pathInOutput } from "../../output/output-place.js";
import type { OpenReader } from "../../readers/reader.js";
import { directoryOf } from "../../sinks/directory-names.js";
import { compare, type Difference, difference } from "./verify-difference.js";
import { EventCheck } from "./verify-events.js";
import { type FileCheck, verifyFile } from "./verify-file.js";
import { verifyRenames } from "./verify-renames.js";
import { verifyTotals } from "./verify-totals.js";

export interface VerifyResult {
  readonly outcome: "verified" | "different";
  /** Absolute. */
  readonly manifestPath: string;
  /** Counts of what was read. */
  readonly files: number;
  /** Number of files that were compared only by size and stored checksum. */
  readonly filesUnread: number;
  readonly rows: number;
  readonly bytes: number;
  readonly days: number;
  /** The limit of the export; absent without one. */
  readonly limit?: RowLimit;
  readonly durationMs: number;
  /** Sorted as in the manifest; empty if the export matches its manifest. */
  readonly differences: readonly Difference[];
}

interface VerifyDependencies extends RunContext {
  readonly openReader: OpenReader;
  /** Also read files of which the output keeps a digest. */
  readonly readsAll?: boolean;
  /** Milliseconds from any starting point. */
  readonly now?: () => number;
}

const HEADS_MAX = 16;

/**
 * Reads every file of an export and compares it with the manifest, one file at a time, in bounded
 * memory. Of a part whose SHA-256 the output keeps, it compares that and the size, unless `readsAll`. Throws `ManifestError` if the manifest cannot be read, and the signal's reason when it is
 * aborted.
 */
export async function verifyExport(
  files: OutputFiles,
  {
    signal,
    observer,
    openReader,
    readsAll = false,
    now = () => performance.now(),
  }: VerifyDependencies,
): Promise<VerifyResult> {
  const startedAt = now();
  const { directory } = files;
  const manifest = await readManifest(path.join(directory, MANIFEST_NAME));
  const there = new Map(
    (await files.list(`${manifest.dataset}/`)).map(({ path, bytes }) => [path, bytes]),
  );
  const differences: Difference[] = [];
  const progress = new VerifyProgress(manifest);
  observer.started?.(() => progress.current());
  const kernel = new Kernel();
  const zone = createZone(manifest.dayZone);
  const columns = columnsIn(manifest);
  const events = new EventCheck(manifest, kernel, zone, unitMsOf(columns));
  const check = {
    directory,
    zone,
    kernel,
    events,
    openPart: outputFormat(manifest.format as OutputFormat).openPart,
    openReader,
    signal,
    columns,
    storedName: (event: string) => nameInPart(event, manifest),
    rowsRead: (rows: number) => progress.rowsRead(rows),
  };
  const digests = readsAll ? new Map() : await readDigests(files, manifest);
  const comparison = { files, there, digests, progress, differences };
  const { filesUnread, filesAbsent } = await verifyDays(manifest, check, comparison);
  differences.push(
    // If a file differs, its counts differ too and add nothing. Pending rows are counted but are
    // not in a file.
    ...(differences.length === 0 && manifest.pending === undefined
      ? await (filesUnread === 0
          ? events.differences(directory)
          : events.fileDifferences(directory))
      : []),
    ...(await verifyInputs(directory, manifest)),
    ...(await verifyRenames(directory, manifest)),
    ...unexpectedFiles(there, manifest),
    ...(await verifyRejects(files, manifest, signal)),
    ...verifyTotals(manifest),
  );
  const { rows, bytesDone: bytes, splitsDone } = progress.current();
  return {
    outcome: differences.length === 0 ? "verified" : "different",
    manifestPath: pathInOutput(files.address, MANIFEST_NAME),
    files: splitsDone - filesUnread - filesAbsent,
    filesUnread,
    rows,
    bytes,
    days: manifest.days.length,
    ...omitUndefined({ limit: manifest.limit }),
    durationMs: now() - startedAt,
    differences,
  };
}

interface DayComparison {
  readonly files: OutputFiles;
  /** SHA-256 of files that are not read, by path. */
  readonly digests: ReadonlyMap<string, string>;
  /** Sizes of the files of the dataset, by path. */
  readonly there: ReadonlyMap<string, number>;
  readonly progress: VerifyProgress;
  readonly differences: Difference[];
}

/** Compares all parts, and adds differences. Returns how many were not read, and how many are not there. */
async function verifyDays(
  { dataset, configuration, days }: Manifest,
  check: FileCheck & { readonly events: EventCheck },
  { files, there, digests, progress, differences }: DayComparison,
): Promise<{ readonly filesUnread: number; readonly filesAbsent: number }> {
  let [filesUnread, filesAbsent] = [0, 0];
  const dayName = String(configuration["dayName"] ?? "{day}");
  for (const day of days) {
    for (const file of day.files) {
      check.signal.throwIfAborted();
      progress.startFile(file.path);
      const home = `${dataset}/${directoryOf(dayName, { day: day.day, event: file.event })}`;
      const digest = digests.get(file.path);
      if (!isIn(file.path, home))
        differences.push(difference("path_invalid", file.path, `is not a file in ${home}`));
      else if (digest === undefined)
        differences.push(...(await verifyFetched(file, day.day, check, files)));
      else {
        if (there.has(file.path)) filesUnread++;
        differences.push(...compareUnread(file, there.get(file.path), digest));
      }
      const size = there.get(file.path);
      if (size === undefined) filesAbsent++;
      progress.endFile(digest === undefined ? (size ?? 0) : 0);
    }
    check.events.endDay(day);
  }
  return { filesUnread, filesAbsent };
}

/** Returns the SHA-256 of the existing parts of which the output keeps one. */
async function readDigests(
  files: OutputFiles,
  { days }: Manifest,
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  if (!files.isCopy) return digests;
  const parts = days.flatMap((day) => day.files);
  await mapBounded(parts, HEADS_MAX, async ({ path }) => {
    const digest = await files.digestOf(path);
    if (digest !== undefined) digests.set(path, digest);
  });
  return digests;
}

/** Compares the stored size and digest of a part. */
function compareUnread(
  file: ManifestFile,
  bytes: number | undefined,
  digest: string,
): readonly Difference[] {
  if (bytes === undefined)
    return [difference("file_missing", file.path, "the file does not exist")];
  return [
    ...compare("bytes_differ", file.path, "size in bytes", bytes, file.bytes),
    ...compare("sha256_differs", file.path, "SHA-256", digest, file.sha256),
  ];
}

/** Compares a part; a copy of it is on the disk only meanwhile. */
async function verifyFetched(
  file: ManifestFile,
  day: string,
  check: FileCheck,
  files: OutputFiles,
): Promise<readonly Difference[]> {
  await files.fetch([file.path]);
  try {
    return await verifyFile(file, day, check);
  } finally {
    await files.drop([file.path]);
  }
}

/** Returns true if a path is a file of a directory. A manifest may come from anywhere. */
function isIn(filePath: string, directory: string): boolean {
  const name = filePath.startsWith(`${directory}/`) ? filePath.slice(directory.length + 1) : "";
  return /^[A-Za-z0-9][\w.-]*$/.test(name);
}

/**
 * Finds files in the dataset that the manifest does not have: loading the directory would load them
 * too. Loaders skip names that begin with _ or a dot.
 */
function unexpectedFiles(there: ReadonlyMap<string, number>, manifest: Manifest): Difference[] {
  const known = new Set(manifest.days.flatMap((day: ManifestDay) => day.files.map((f) => f.path)));
  const message = "the file is not in the manifest; loading the directory would load it too";
  return [...there.keys()]
    .filter((path) => !known.has(path) && !/\/[._]/.test(path))
    .sort()
    .map((path) => difference("file_unexpected", path, message));
}

/** Progress of a verification; its splits are files. */
class VerifyProgress {
  #source: string | undefined;
  #rowsBefore = 0;
  #rowsOfFile = 0;
  #bytesDone = 0;
  #filesDone = 0;

  constructor(private readonly manifest: Manifest) {}

  startFile(name: string): void {
    this.#source = name;
  }

  rowsRead(rowsOfFile: number): void {
    this.#rowsOfFile = rowsOfFile;
  }

  endFile(bytes: number): void {
    this.#rowsBefore += this.#rowsOfFile;
    this.#rowsOfFile = 0;
    this.#bytesDone += bytes;
    this.#filesDone++;
    this.#source = undefined;
  }

  current(): RunProgress {
    const rows = this.#rowsBefore + this.#rowsOfFile;
    return {
      threads: [{ source: this.#source, rows }],
      bytesTotal: this.manifest.totals.bytes,
      bytesDone: this.#bytesDone,
      rows,
      rejects: 0,
      splitsTotal: this.manifest.totals.files,
      splitsDone: this.#filesDone,
    };
  }
}

/** Compares the list of inputs with the manifest. */
export async function verifyInputs(
  directory: string,
  { inputs, epochs }: Manifest,
): Promise<readonly Difference[]> {
  let count = 0;
  try {
    const found = await readLines(join(directory, INPUTS_NAME), () => count++);
    const planned = sum(epochs, ({ sources }) => sources);
    return [
      ...compare("bytes_differ", INPUTS_NAME, "size in bytes", found.bytes, inputs.bytes),
      ...compare("sha256_differs", INPUTS_NAME, "SHA-256", found.sha256, inputs.sha256),
      ...compare("totals_differ", INPUTS_NAME, "inputs", count, inputs.count),
      ...compare("totals_differ", INPUTS_NAME, "inputs of all epochs", count, planned),
    ];
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    return [difference("file_missing", INPUTS_NAME, "the file does not exist")];
  }
}

const REJECTS_DIRECTORY = "rejects";

/** Compares the rejected rows that were kept with the manifest, by reason. */
async function verifyRejects(
  files: OutputFiles,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<readonly Difference[]> {
  const found = new Map<string, number>();
  const differences: Difference[] = [];
  const rejects = (await files.list(`${REJECTS_DIRECTORY}/`)).map(({ path }) => path);
  for (const file of rejects.filter((path) => !/\/[._]/.test(path))) {
    await files.fetch([file]);
    const malformed = await countCodes(path.join(files.directory, file), found, signal);
    await files.drop([file]);
    if (malformed > 0) {
      const message = `line ${malformed} is not a rejected row with a code`;
      differences.push(difference("rejects_differ", file, message));
    }
  }
  const stated = new Map(manifest.rejects.map(({ code, rows }) => [code as string, rows]));
  for (const code of new Set([...stated.keys(), ...found.keys()])) {
    differences.push(
      ...compare(
        "rejects_differ",
        REJECTS_DIRECTORY,
        `rows rejected as ${code}`,
        found.get(code) ?? 0,
        stated.get(code) ?? 0,
      ),
    );
  }
  return differences;
}

/** Adds to `found`; returns the 1-based number of the first line that is not a reject, or 0. */
async function countCodes(
  file: string,
  found: Map<string, number>,
  signal: AbortSignal,
): Promise<number> {
  const input = createReadStream(file, { signal });
  let line = 0;
  let malformed = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    const code = codeOf(text);
    if (code === undefined) malformed ||= line;
    else found.set(code, (found.get(code) ?? 0) + 1);
  }
  return malformed;
}

function codeOf(line: string): string | undefined {
  try {
    const code = (JSON.parse(line) as { code?: unknown } | null)?.code;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}
