import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasCode } from "../base/error-code.js";
import { UsageError } from "../base/errors.js";
import { option } from "../base/option-text.js";
import { outputError } from "../base/output-error.js";
import {
  COMPACTED_PARTS,
  dayOfDirectory,
  type Layout,
  pathIn,
  splitOfPartName,
  splitOfRejectsName,
} from "../output/layout.js";
import { isPlaceholder } from "../output/placeholder.js";
import { isEventDirectory } from "../sinks/directory-names.js";
import type { PartFile } from "../sinks/sink.js";
import { MERGED_PARTS, splitOfSpillName } from "../sinks/spill/spill-files.js";
import { partNameOfStaged } from "../sinks/staged-parts.js";
import { listOrNone } from "./ledger.js";

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
  /** True if the file represents an object and has no content. */
  readonly isPlaceholder: boolean;
}

/** The files of an output that runs have written, by path: relative to the output, with `/`. */
export type OutputListing = ReadonlyMap<string, ListedFile>;

/** Lists the files of an output that runs have named, of all epochs. Throws if a file may exist but cannot be seen. */
export async function listOutput(layout: Layout): Promise<OutputListing> {
  const found = new Map<string, ListedFile>();
  const add = async (path: string, facts: Omit<ListedFile, "bytes" | "isPlaceholder">) => {
    const state = await stateOf(path);
    if (state !== undefined) found.set(pathIn(layout, path), { ...facts, ...state });
  };
  for (const { directory, day } of await listDays(layout)) {
    for (const name of await listOrNone(directory)) {
      const owner = splitOfPartName(name);
      if (owner !== undefined)
        await add(join(directory, name), { kind: kindOf(owner), owner, day });
    }
  }
  for (const [directory, ownerOf] of waitingFiles(layout)) {
    for (const name of await listOrNone(directory)) {
      const owner = ownerOf(name);
      if (owner !== undefined)
        await add(join(directory, name), { kind: "waiting", owner, day: "" });
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

/** Returns undefined if the file does not exist. Throws if that is not known: the file would be written again. */
async function stateOf(
  path: string,
): Promise<Pick<ListedFile, "bytes" | "isPlaceholder"> | undefined> {
  try {
    const stats = await stat(path);
    return { bytes: stats.size, isPlaceholder: isPlaceholder(stats) };
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    throw outputError("read", path, error);
  }
}

/**
 * Throws `UsageError` if a day directory holds a file that no run has written, because a loader would
 * read it with the new parts. `mayHaveParts`: parts of runs may be there, which stay or are removed. Loaders
 * skip names that begin with _ or a dot.
 */
export async function refuseForeignFiles(layout: Layout, mayHaveParts: boolean): Promise<void> {
  for (const { directory } of await listDays(layout)) {
    const isPart = (name: string) => splitOfPartName(name) !== undefined;
    const names = (await listOrNone(directory)).filter((name) => !/^[_.]/.test(name));
    const name = names.find((one) => !(mayHaveParts && isPart(one)) && !isEventDirectory(one));
    if (name === undefined) continue;
    const advice = isPart(name)
      ? `move the files away, or remove them with ${option("fresh")}`
      : "or move the files away";
    throw new UsageError(
      "output_occupied",
      `${join(directory, name)} exists, but is not in the ledger of any run; choose another directory or another dataset in ${option("layout")}, ${advice}`,
    );
  }
}

/** A directory of a dataset, or of an event in it. */
interface DayDirectory {
  /** Absolute. */
  readonly directory: string;
  /** YYYY-MM-DD. */
  readonly day: string;
}

async function listDays({ datasetDirectory }: Layout): Promise<readonly DayDirectory[]> {
  const found: DayDirectory[] = [];
  for (const name of (await listOrNone(datasetDirectory)).sort()) {
    const day = dayOfDirectory(basename(name));
    if (day === undefined) continue;
    const directory = join(datasetDirectory, name);
    const events = (await listOrNone(directory)).filter(isEventDirectory);
    for (const event of events.sort()) found.push({ directory: join(directory, event), day });
    found.push({ directory, day });
  }
  return found;
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
