import { basename } from "node:path";
import { UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import {
  COMPACTED_PARTS,
  dayOfDirectory,
  type Layout,
  pathIn,
  splitOfPartName,
  splitOfRejectsName,
} from "../output/layout.js";
import type { OutputFile, OutputFiles } from "../output/output-files.js";
import { pathInOutput } from "../output/output-place.js";
import { isEventDirectory } from "../sinks/directory-names.js";
import type { PartFile } from "../sinks/sink.js";
import { MERGED_PARTS, splitOfSpillName } from "../sinks/spill/spill-files.js";
import { partNameOfStaged } from "../sinks/staged-parts.js";

/**
 * `part`: written by a split. `merged`: written by a merge of days. `joined`: written by `compact`.
 * `waiting`: rejects, lists of duplicates, spilled rows and staged parts of a split.
 */
type ListedKind = "part" | "merged" | "joined" | "waiting";

/** A file of an output that a run has written, apart from its records. */
export interface ListedFile {
  readonly kind: ListedKind;
  /** The split; for merged parts, a name that has the epoch. */
  readonly owner: string;
  /** YYYY-MM-DD; empty for waiting files. */
  readonly day: string;
  readonly bytes: number;
}

/** The files of an output that runs have written, by path: relative to the output, with `/`. */
export type OutputListing = ReadonlyMap<string, ListedFile>;

/**
 * Lists the files of an output that runs have named, of all epochs. Throws if a file may exist but cannot be
 * seen.
 */
export async function listOutput(files: OutputFiles, layout: Layout): Promise<OutputListing> {
  const found = new Map<string, ListedFile>();
  for (const { path, bytes, day, name } of await listDays(files, layout)) {
    const owner = splitOfPartName(name);
    if (owner !== undefined) found.set(path, { kind: kindOf(owner), owner, day, bytes });
  }
  for (const [directory, ownerOf] of waitingFiles(layout)) {
    for (const { path, bytes } of await files.list(`${pathIn(layout, directory)}/`)) {
      const owner = ownerOf(basename(path));
      if (owner !== undefined) found.set(path, { kind: "waiting", owner, day: "", bytes });
    }
  }
  return found;
}

function kindOf(owner: string): ListedKind {
  if (owner === COMPACTED_PARTS) return "joined";
  return owner.endsWith(MERGED_PARTS) ? "merged" : "part";
}

function waitingFiles(
  layout: Layout,
): readonly (readonly [directory: string, ownerOf: (name: string) => string | undefined])[] {
  return [
    [layout.rejectsDirectory, splitOfRejectsName],
    [layout.duplicatesDirectory, splitOfRejectsName],
    [layout.spillDirectory, splitOfSpillName],
    [layout.stagedDirectory, splitOfStagedName],
  ];
}

/** Returns the split of a staged part; empty for other names. */
export function splitOfStagedName(name: string): string {
  return splitOfPartName(partNameOfStaged(name)) ?? "";
}

/**
 * Throws `UsageError` if a day directory holds a file that no run has written, because a loader would
 * read it with the new parts. `mayHaveParts`: parts of runs may be there, which stay or are removed. Loaders
 * skip names that begin with _ or a dot.
 */
export async function refuseForeignFiles(
  files: OutputFiles,
  layout: Layout,
  mayHaveParts: boolean,
): Promise<void> {
  for (const { path, name } of await listDays(files, layout)) {
    const isPart = splitOfPartName(name) !== undefined;
    if (/^[_.]/.test(name) || (mayHaveParts && isPart)) continue;
    const advice = isPart
      ? `move the files away, or remove them with ${option("fresh")}`
      : "or move the files away";
    throw new UsageError(
      "output_occupied",
      `${pathInOutput(files.address, path)} exists, but is not in the ledger of any run; choose another directory or another dataset in ${option("layout")}, ${advice}`,
    );
  }
}

/** A file in a directory of a day, or of an event in it. */
interface ListedDayFile extends OutputFile {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** The name in that directory; of a file deeper down, the first part of its path. */
  readonly name: string;
}

async function listDays(files: OutputFiles, layout: Layout): Promise<readonly ListedDayFile[]> {
  const dataset = `${pathIn(layout, layout.datasetDirectory)}/`;
  return (await files.list(dataset)).flatMap(({ path, bytes }) => {
    const [directory = "", ...names] = path.slice(dataset.length).split("/");
    const day = dayOfDirectory(directory);
    const isOfEvent = names.length > 1 && isEventDirectory(names[0] as string);
    const name = names[isOfEvent ? 1 : 0];
    return day === undefined || name === undefined ? [] : [{ path, bytes, day, name }];
  });
}

/**
 * Returns the records with a part that is missing or has another size, which means that the days
 * were changed. Ignores parts that joined ones have replaced. Pure.
 */
export function findIncomplete<Written extends { readonly parts: readonly PartFile[] }>(
  listing: OutputListing,
  records: readonly Written[],
  replaced: ReadonlySet<string>,
): readonly Written[] {
  const isThere = ({ path, bytes }: PartFile) =>
    replaced.has(path) || listing.get(path)?.bytes === bytes;
  return records.filter(({ parts }) => !parts.every(isThere));
}
