import { randomUUID } from "node:crypto";
import { unlinkSync } from "node:fs";
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { moveDurably, syncDirectory } from "../base/durable-file.js";
import { epochOf } from "../base/epoch.js";
import { hasCode } from "../base/error-code.js";
import { asOutput } from "../base/output-error.js";
import { type Layout, layoutOfEpoch, pathIn } from "../output/layout.js";
import { splitOfSpillName } from "../sinks/spill/spill-files.js";
import { readCompacted } from "./compacted.js";
import { Ledger, listOrNone } from "./ledger.js";
import { type KeptFiles, type OutputAction, strayActions } from "./output-actions.js";
import { listOutput, splitOfStagedName } from "./output-listing.js";

/** Does the steps in their order. Each is on the disk before the next one begins. */
export async function applyActions(layout: Layout, actions: Iterable<OutputAction>): Promise<void> {
  for (const action of actions)
    await asOutput(layout.outputDirectory, () => applyAction(layout, action));
}

async function applyAction(layout: Layout, action: OutputAction): Promise<void> {
  const { outputDirectory } = layout;
  switch (action.kind) {
    case "forget":
      return forget(layout, join(outputDirectory, action.directory));
    case "remove":
      return removeFiles(outputDirectory, action.paths);
    case "move": {
      const to = join(outputDirectory, action.to);
      await mkdir(dirname(to), { recursive: true });
      return moveDurably(join(outputDirectory, action.from), to);
    }
    case "prepare":
      return new Ledger(layoutOfEpoch(layout, action.epoch)).prepare();
    case "plan":
      return new Ledger(layoutOfEpoch(layout, action.epoch)).writeRun(action.record);
  }
}

/**
 * Removes the files of splits and merges that a run has not finished. Touches only files that Switchyard has
 * named.
 */
export async function removeStrays(
  layout: Layout,
  kept: Pick<KeptFiles, "isKept" | "isMerged">,
): Promise<void> {
  const { parts } = await readCompacted(layout);
  const joined = new Set(parts.map(({ path }) => path));
  await applyActions(layout, strayActions(await listOutput(layout), { ...kept, joined }));
}

/** Removes the spilled rows and staged parts of some epochs, whose merged parts a manifest lists. */
export async function removeSpilled(layout: Layout, epochs: ReadonlySet<number>): Promise<void> {
  const { spillDirectory, stagedDirectory } = layout;
  const files = [
    ...(await ownedFiles(spillDirectory, splitOfSpillName)),
    ...(await ownedFiles(stagedDirectory, splitOfStagedName)),
  ];
  const gone = files.filter(({ owner }) => epochs.has(epochOf(owner)));
  const paths = gone.map(({ path }) => pathIn(layout, path));
  if (paths.length > 0) await applyActions(layout, [{ kind: "remove", paths }]);
}

async function ownedFiles(directory: string, ownerOf: (name: string) => string) {
  const names = await listOrNone(directory);
  return names.map((name) => ({ path: join(directory, name), owner: ownerOf(name) }));
}

/**
 * Removes a directory of the ledger in one step. If its files were removed one by one, a kill would leave
 * some records without the ones that they refer to.
 */
async function forget({ temporaryDirectory }: Layout, directory: string): Promise<void> {
  const forgotten = join(temporaryDirectory, `${basename(directory)}.${randomUUID()}`);
  await mkdir(temporaryDirectory, { recursive: true });
  try {
    await rename(directory, forgotten);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  await syncDirectory(dirname(directory));
  await rm(forgotten, { recursive: true, force: true });
}

/** Removes files, and directories of a dataset or of waiting files that become empty. */
async function removeFiles(outputDirectory: string, paths: readonly string[]): Promise<void> {
  const changed = new Set<string>();
  // There can be thousands: a call through the thread pool costs several times as much.
  for (const path of paths)
    if (unlinkIfThere(join(outputDirectory, path))) changed.add(dirname(path));
  for (const directory of changed) {
    const path = join(outputDirectory, directory);
    await syncDirectory(path);
    if (directory === ".") continue;
    await removeIfEmpty(path);
    // The last event of a day may be gone.
    if (directory.split("/").length > 2) await removeIfEmpty(dirname(path));
  }
}

function unlinkIfThere(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return false;
    throw error;
  }
}

async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(() => undefined);
}
