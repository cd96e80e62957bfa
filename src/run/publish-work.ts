import { join } from "node:path";
import { mapBounded } from "../base/map-bounded.js";
import type { MergeRecord, SplitRecord } from "../ledger/ledger-records.js";
import { type Layout, pathIn, rejectsNameOf } from "../output/layout.js";
import type { OutputFiles } from "../output/output-files.js";
import type { PartFile } from "../sinks/sink.js";
import { findRange, spillIndexPathOf, spillPathOf } from "../sinks/spill/spill-files.js";
import { stagedPathOf } from "../sinks/staged-parts.js";
import type { MergeWork } from "./thread/run-merge.js";

/** Ranges of spilled rows that are fetched at the same time, for one merge. */
const FETCHES_MAX = 8;

/** Publishes what a thread has written of a split, the record last, and frees the space of the parts. */
export async function publishSplit(
  files: OutputFiles,
  layout: Layout,
  { id, parts, staged = [] }: SplitRecord,
): Promise<void> {
  if (!files.isCopy) return;
  const { outputDirectory, splitsDirectory, rejectsDirectory, duplicatesDirectory } = layout;
  const spill = spillPathOf(outputDirectory, id);
  const records = ["events", "profile", "duplicates"].map((kind) => `${id}.${kind}.json`);
  await publish(files, layout, parts, [
    ...staged.map((part) => stagedPathOf(outputDirectory, part)),
    spill,
    spillIndexPathOf(spill),
    join(rejectsDirectory, rejectsNameOf(id)),
    join(duplicatesDirectory, rejectsNameOf(id)),
    ...[...records, `${id}.json`].map((name) => join(splitsDirectory, name)),
  ]);
}

/** Publishes what a thread has written of a merge, the record last, and frees the space of the parts. */
export async function publishMerge(
  files: OutputFiles,
  layout: Layout,
  { id, parts }: MergeRecord,
): Promise<void> {
  if (!files.isCopy) return;
  const records = ["plan", id].map((name) => join(layout.mergesDirectory, `${name}.json`));
  await publish(files, layout, parts, records);
}

/** Returns what fetches the rows that a merge reads; undefined if they are in the directory. */
export function gatherFrom(files: OutputFiles, layout: Layout) {
  if (!files.isCopy) return undefined;
  const { outputDirectory } = layout;
  return async ({ splits, staged }: MergeWork): Promise<void> => {
    await files.fetch(staged.map((part) => pathIn(layout, stagedPathOf(outputDirectory, part))));
    await mapBounded(splits, FETCHES_MAX, async ({ splitId, ...packs }) => {
      const spill = spillPathOf(outputDirectory, splitId);
      const { start, end } = findRange(spill, packs);
      await files.fetchBytes(pathIn(layout, spill), start, end);
    });
  };
}

async function publish(
  files: OutputFiles,
  layout: Layout,
  parts: readonly PartFile[],
  others: readonly string[],
): Promise<void> {
  const paths = parts.map(({ path }) => path);
  const digests = new Map(parts.map(({ path, sha256 }) => [path, sha256]));
  await files.publish([...paths, ...others.map((file) => pathIn(layout, file))], digests);
  await files.drop(paths);
}
