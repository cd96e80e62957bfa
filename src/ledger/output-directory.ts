import { randomUUID } from "node:crypto";
import { existsSync, unlinkSync } from "node:fs";
import { mkdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { moveDurably, syncDirectory } from "../base/durable-file.js";
import { epochOf } from "../base/epoch.js";
import { hasCode } from "../base/error-code.js";
import { UsageError } from "../base/errors.js";
import { asOutput, outputError } from "../base/output-error.js";
import {
  COMPACTED_PARTS,
  dayOfDirectory,
  epochsDirectoryOf,
  type Layout,
  splitOfPartName,
  splitOfRejectsName,
} from "../output/layout.js";
import { isPlaceholder } from "../output/placeholder.js";
import { isEventDirectory } from "../sinks/directory-names.js";
import { MERGED_PARTS, splitOfSpillName } from "../sinks/spill/spill-files.js";
import { partNameOfStaged, stagedPathOf } from "../sinks/staged-parts.js";
import { type CompactedParts, readCompacted } from "./compacted.js";
import { listOrNone } from "./ledger.js";
import type { SplitRecord } from "./ledger-records.js";

/**
 * Removes the parts, rejects and spilled rows of all splits but those to keep, the merged parts of
 * all days and epochs but those to keep, and the manifest and the files that it names.
 * Touches only files that Switchyard has named. Removes days that become empty.
 */
export async function removeOutput(
  layout: Layout,
  isKept: (splitId: string) => boolean,
  isMerged: (day: string, epoch: number) => boolean = () => false,
): Promise<void> {
  await asOutput(layout.outputDirectory, async () => {
    await rm(layout.manifestFile, { force: true });
    await rm(layout.eventsByDayFile, { force: true });
    await rm(layout.inputsFile, { force: true });
    await syncDirectory(layout.outputDirectory);
    const compacted = new Set((await readCompacted(layout)).parts.map(({ path }) => path));
    for (const { directory, day } of await listDays(layout)) {
      await removeFiles(join(layout.datasetDirectory, directory), (name) => {
        const split = splitOfPartName(name);
        if (split === undefined) return false;
        if (split === COMPACTED_PARTS)
          return !compacted.has(`${basename(layout.datasetDirectory)}/${directory}/${name}`);
        return split.endsWith(MERGED_PARTS) ? !isMerged(day, epochOf(split)) : !isKept(split);
      });
      // The last event of a day may be gone.
      if (directory.includes("/"))
        await removeIfEmpty(dirname(join(layout.datasetDirectory, directory)));
    }
    for (const directory of [layout.rejectsDirectory, layout.duplicatesDirectory]) {
      await removeFiles(directory, (name) => {
        const split = splitOfRejectsName(name);
        return split !== undefined && !isKept(split);
      });
    }
    await removeFiles(layout.spillDirectory, (name) => !isKept(splitOfSpillName(name)));
    await removeFiles(layout.stagedDirectory, (name) => !isKept(splitOfStagedName(name)));
  });
}

/**
 * Removes the spilled rows and staged parts of some epochs. Call it only when a manifest lists the
 * merged parts.
 */
export async function removeSpilled(
  { spillDirectory, stagedDirectory }: Layout,
  epochs: ReadonlySet<number>,
): Promise<void> {
  const isOf = (splitId: string) => epochs.has(epochOf(splitId));
  await asOutput(spillDirectory, async () => {
    await removeFiles(spillDirectory, (name) => isOf(splitOfSpillName(name)));
    await removeFiles(stagedDirectory, (name) => isOf(splitOfStagedName(name)));
  });
}

/**
 * Moves staged parts back from their days, where a merge has put them unchanged, or a finished export has
 * them. Leaves those of merged days. Call it when the record of the merge is removed or was never written.
 */
export async function returnStaged(
  { outputDirectory, stagedDirectory }: Layout,
  records: readonly Pick<SplitRecord, "staged">[],
  isMerged: (day: string) => boolean,
): Promise<void> {
  await asOutput(stagedDirectory, async () => {
    for (const part of records.flatMap(({ staged = [] }) => staged)) {
      const path = join(outputDirectory, part.path);
      const found = await stat(path).catch(() => undefined);
      if (isMerged(part.day) || found === undefined) continue;
      const staged = stagedPathOf(outputDirectory, part);
      if (existsSync(staged) || isPlaceholder(found)) await rm(path);
      else {
        await mkdir(stagedDirectory, { recursive: true });
        await moveDurably(path, staged);
      }
    }
  });
}

/** Removes the ledgers of all epochs but the first, durably. Call it before their parts are removed. */
export async function forgetEpochs(layout: Layout): Promise<void> {
  await asOutput(layout.ledgerDirectory, () =>
    forget(layout, epochsDirectoryOf(layout.ledgerDirectory)),
  );
}

/**
 * Removes the records of all splits and merges, durably. Call it before their parts are removed: a
 * split in the ledger is assumed to be complete.
 */
export async function forgetSplits(layout: Layout, remove = rm): Promise<void> {
  await asOutput(layout.ledgerDirectory, async () => {
    await forget(layout, layout.mergesDirectory, remove);
    await forget(layout, layout.splitsDirectory, remove);
    await forget(layout, layout.acknowledgedDirectory, remove);
    await forget(layout, layout.keysDirectory, remove);
  });
}

/** Removes the records of all merges, durably. Call it before their parts are removed. */
export async function forgetMerges(layout: Layout): Promise<void> {
  await asOutput(layout.ledgerDirectory, async () => {
    await forget(layout, layout.mergesDirectory);
  });
}

/**
 * Removes a directory of the ledger in one step, durably. If its files were removed one by one, a
 * kill would leave some records without the ones that they refer to.
 */
async function forget(layout: Layout, directory: string, remove = rm): Promise<void> {
  const { temporaryDirectory } = layout;
  const forgotten = join(temporaryDirectory, `${basename(directory)}.${randomUUID()}`);
  await mkdir(temporaryDirectory, { recursive: true });
  try {
    await rename(directory, forgotten);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  await syncDirectory(dirname(directory));
  await remove(forgotten, { recursive: true, force: true });
}

/** Removes the records of joined parts, durably. Call it before the parts are removed. */
export async function forgetCompacted(layout: Layout): Promise<void> {
  if (!existsSync(layout.compactedDirectory)) return;
  await asOutput(layout.ledgerDirectory, () => forget(layout, layout.compactedDirectory));
}

/** Removes the plan, durably. Call it last: without a plan, parts belong to no run. */
export async function forgetPlan(layout: Layout): Promise<void> {
  await asOutput(layout.ledgerDirectory, async () => {
    await rm(layout.planFile, { force: true });
    await syncDirectory(layout.ledgerDirectory);
  });
}

/**
 * Returns the records with a part that is missing or has another size, which means that the days
 * were changed. Ignores parts that `compact` has replaced.
 */
export async function findIncomplete<Written extends Pick<SplitRecord, "parts">>(
  { outputDirectory }: Layout,
  records: readonly Written[],
  { replaced }: Pick<CompactedParts, "replaced">,
): Promise<readonly Written[]> {
  const incomplete: Written[] = [];
  for (const record of records) {
    for (const { path, bytes } of record.parts) {
      if (replaced.has(path) || (await sizeOf(join(outputDirectory, path))) === bytes) continue;
      incomplete.push(record);
      break;
    }
  }
  return incomplete;
}

function splitOfStagedName(name: string): string {
  return splitOfPartName(partNameOfStaged(name)) ?? "";
}

/** Returns undefined if the file does not exist. Throws if that is not known: the file would be written again. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
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
  for (const { directory: directoryName } of await listDays(layout)) {
    const directory = join(layout.datasetDirectory, directoryName);
    const isPart = (name: string) => splitOfPartName(name) !== undefined;
    const names = (await listOrNone(directory)).filter((name) => !/^[_.]/.test(name));
    const name = names.find((one) => !(mayHaveParts && isPart(one)) && !isEventDirectory(one));
    if (name === undefined) continue;
    const advice = isPart(name)
      ? "move the files away, or remove them with --fresh"
      : "or move the files away";
    throw new UsageError(
      "output_occupied",
      `${join(directory, name)} exists, but is not in the ledger of any run; choose another directory or another dataset in --layout, ${advice}`,
    );
  }
}

/** A directory of a dataset or of an event in it, and its day as YYYY-MM-DD. */
interface DayDirectory {
  readonly directory: string;
  readonly day: string;
}

async function listDays({ datasetDirectory }: Layout): Promise<readonly DayDirectory[]> {
  const found: DayDirectory[] = [];
  for (const directory of (await listOrNone(datasetDirectory)).sort()) {
    const day = dayOfDirectory(directory);
    if (day === undefined) continue;
    const events = (await listOrNone(join(datasetDirectory, directory))).filter(isEventDirectory);
    for (const event of events.sort()) found.push({ directory: `${directory}/${event}`, day });
    found.push({ directory, day });
  }
  return found;
}

async function removeFiles(directory: string, isRemoved: (name: string) => boolean): Promise<void> {
  const names = (await listOrNone(directory)).filter(isRemoved);
  if (names.length === 0) return;
  // There can be thousands: a call through the thread pool costs several times as much.
  for (const name of names) unlinkSync(join(directory, name));
  await syncDirectory(directory);
  await removeIfEmpty(directory);
}

async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(() => undefined);
}
