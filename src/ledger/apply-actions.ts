import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { moveDurably } from "../base/durable-file.js";
import { epochOf } from "../base/epoch.js";
import { asOutput } from "../base/output-error.js";
import { type Layout, layoutOfEpoch, pathIn } from "../output/layout.js";
import type { OutputFiles } from "../output/output-files.js";
import { splitOfSpillName } from "../sinks/spill/spill-files.js";
import { readCompacted } from "./compacted.js";
import { Ledger } from "./ledger.js";
import { type KeptFiles, type OutputAction, strayActions } from "./output-actions.js";
import { listOutput, splitOfStagedName } from "./output-listing.js";

/**
 * Does the steps in their order. Each is in the output before the next one begins, but for plans, which are the
 * last and need a `save`.
 */
export async function applyActions(
  files: OutputFiles,
  layout: Layout,
  actions: Iterable<OutputAction>,
): Promise<void> {
  for (const action of actions)
    await asOutput(layout.outputDirectory, () => applyAction(files, layout, action));
}

async function applyAction(
  files: OutputFiles,
  layout: Layout,
  action: OutputAction,
): Promise<void> {
  switch (action.kind) {
    case "forget":
      return files.removeDirectory(action.directory);
    case "remove":
      return files.remove(action.paths);
    case "move": {
      const to = join(files.directory, action.to);
      await mkdir(dirname(to), { recursive: true });
      return moveDurably(join(files.directory, action.from), to);
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
  files: OutputFiles,
  layout: Layout,
  kept: Pick<KeptFiles, "isKept" | "isMerged">,
): Promise<void> {
  const { parts } = await readCompacted(layout);
  const joined = new Set(parts.map(({ path }) => path));
  const listing = await listOutput(files, layout);
  await applyActions(files, layout, strayActions(listing, { ...kept, joined }));
}

/** Removes the spilled rows and staged parts of some epochs, whose merged parts a manifest lists. */
export async function removeSpilled(
  files: OutputFiles,
  layout: Layout,
  epochs: ReadonlySet<number>,
): Promise<void> {
  const { spillDirectory, stagedDirectory } = layout;
  const waiting = [
    ...(await ownedFiles(files, pathIn(layout, spillDirectory), splitOfSpillName)),
    ...(await ownedFiles(files, pathIn(layout, stagedDirectory), splitOfStagedName)),
  ];
  const gone = waiting.filter(({ owner }) => epochs.has(epochOf(owner)));
  await files.remove(gone.map(({ path }) => path));
}

async function ownedFiles(
  files: OutputFiles,
  directory: string,
  ownerOf: (name: string) => string,
) {
  const found = await files.list(`${directory}/`);
  return found.map(({ path }) => ({ path, owner: ownerOf(basename(path)) }));
}
