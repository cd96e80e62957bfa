import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SwitchyardError } from "../../base/errors.js";
import { groupBy } from "../../base/group-by.js";
import { makeDirectory } from "../../base/make-directory.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { asOutput } from "../../base/output-error.js";
import { sum } from "../../base/sum.js";
import { type CompactedParts, type JoinedPart, readCompacted } from "../../ledger/compacted.js";
import type { Manifest, ManifestDay, ManifestFile } from "../../ledger/manifest.js";
import { readManifest, readManifestOf } from "../../ledger/manifest-file.js";
import { COMPACTED_PARTS, layoutOf, MANIFEST_NAME, PLAN_PATH } from "../../output/layout.js";
import { withLockedFiles } from "../../output/open-files.js";
import { openOutput } from "../../output/open-output.js";
import type { OutputFiles } from "../../output/output-files.js";
import { isOfCompaction } from "../../output/output-paths.js";
import type { SignalledPlace } from "../../output/output-place.js";
import { DeltaLog } from "../delta-log.js";
import { applyChange, type ChangeTools, changePaths, type DayChange } from "./day-change.js";
import { finishCompaction } from "./finish-compaction.js";
import { PartJoiner } from "./part-joiner.js";

/** The result of compacting an output. */
export interface CompactResult {
  readonly outcome: "done" | "interrupted";
  readonly directory: string;
  /** Day directories that have changed. */
  readonly days: number;
  readonly filesBefore: number;
  readonly filesAfter: number;
  readonly rows: number;
  /** Size of the output. */
  readonly bytes: number;
  readonly durationMs: number;
}

/**
 * Joins the small parts of each day of a finished output, from all epochs, into parts of up to the
 * part size, one day after the other. In a store, the joined parts of a day are written first, then their
 * record, and then the small ones are removed, as a store cannot do all at once. Throws if the output is not
 * finished, is in use, or differs from its manifest; the manifest then lists the files as they are.
 */
export async function compactExport(place: SignalledPlace): Promise<CompactResult> {
  const startedMs = performance.now();
  const { directory, signal } = place;
  await readManifestOf(place, signal);
  const output = await openOutput(place);
  if ((await output.get(PLAN_PATH, signal)) === undefined)
    throw refusal(directory, "it has no ledger, which the next run of its export needs");
  return withLockedFiles(place, isOfCompaction, async (files) => {
    try {
      const result = await compactFiles(files, signal);
      return { ...result, directory, durationMs: performance.now() - startedMs };
    } finally {
      await files.save();
    }
  });
}

/** Compacts the days of a locked output. */
async function compactFiles(files: OutputFiles, signal: AbortSignal) {
  const manifestFile = join(files.directory, MANIFEST_NAME);
  const layout = layoutOf(files.directory, (await readManifest(manifestFile)).dataset);
  await finishCompaction(files, layout);
  const manifest = await readManifest(manifestFile);
  if (!manifest.complete)
    throw refusal(files.address, "it is not complete; run its export to the end");
  const log = DeltaLog.of(layout);
  await log?.follow(manifest);
  const done = await compactDays({ files, layout, manifest, log }, signal);
  const { totals } = await readManifest(manifestFile);
  return {
    outcome: done.isInterrupted ? "interrupted" : "done",
    days: done.days,
    filesBefore: manifest.totals.files,
    filesAfter: totals.files,
    rows: totals.rows,
    bytes: totals.bytes,
  } as const;
}

/** Compacts all days of a manifest up to the first error. */
async function compactDays(
  tools: ChangeTools & { readonly manifest: Manifest },
  signal: AbortSignal,
): Promise<{ readonly days: number; readonly isInterrupted: boolean }> {
  const { files, layout, manifest } = tools;
  const compacted = await readCompacted(layout);
  const tasks = planDays(manifest, compacted);
  const joiner = await PartJoiner.create(layout.outputDirectory, manifest);
  let days = 0;
  try {
    for (const task of tasks) {
      if (signal.aborted) break;
      const { target } = changePaths(layout, task.directory);
      await asOutput(target, () => compactDay(task, compacted, joiner, tools));
      days++;
    }
  } catch (error) {
    const isFinished = await finishCompaction(files, layout).then(
      () => true,
      () => false,
    );
    throw stoppedBy(error, isFinished, `${days} of ${tasks.length} days`);
  }
  await finishCompaction(files, layout);
  return { days, isInterrupted: days < tasks.length };
}

/** A directory whose files are joined. */
interface DayTask {
  /** Relative to the output directory. */
  readonly directory: string;
  readonly day: string;
  readonly event: string | undefined;
  readonly files: readonly ManifestFile[];
  /** Files to be joined with each other, in order. */
  readonly groups: readonly (readonly ManifestFile[])[];
}

/**
 * Groups the small files of each directory into new ones of up to the part size. Leaves out
 * directories whose names differ only in case: on macOS and Windows they are one. Pure.
 */
function planDays(
  { days, configuration }: Manifest,
  compacted: CompactedParts,
): readonly DayTask[] {
  const partBytes = Number(configuration["partBytes"]);
  return days.flatMap((day) =>
    byDirectory(day).flatMap((files) => {
      const [{ path, event }] = files;
      const directory = dirname(path);
      const groups = groupFiles(files, partBytes, compacted);
      const isOne = files.every(({ path }) => dirname(path) === directory);
      return isOne && groups.length > 0 ? [{ directory, day: day.day, event, files, groups }] : [];
    }),
  );
}

/** Returns the files of each directory, whatever the case of its name. */
function byDirectory({ files }: ManifestDay) {
  return [...groupBy(files, ({ path }) => dirname(path).toLowerCase()).values()];
}

/**
 * Groups files by the sizes that they had before they were joined. A joined file has the place of its first
 * file, so that the same groups are found again: there is nothing to join a second time.
 */
function groupFiles(
  files: readonly ManifestFile[],
  partBytes: number,
  compacted: CompactedParts,
): readonly (readonly ManifestFile[])[] {
  const groups: { bytes: number; files: ManifestFile[] }[] = [];
  for (const file of files) {
    const open = groups.at(-1);
    const bytes = compacted.joinedBytesOf(file);
    if (open === undefined || open.bytes + bytes > partBytes) {
      groups.push({ bytes, files: [file] });
    } else {
      open.bytes += bytes;
      open.files.push(file);
    }
  }
  return groups.map((group) => group.files).filter((group) => group.length > 1);
}

/** Joins the groups of one directory, and then replaces them there. */
async function compactDay(
  task: DayTask,
  compacted: CompactedParts,
  joiner: PartJoiner,
  tools: ChangeTools,
): Promise<void> {
  const { directory, day, event, files, groups } = task;
  const { files: output, layout, log } = tools;
  const { work, joined } = changePaths(layout, directory);
  const removed = groups.flat().map(({ path }) => path);
  const gone = new Set(removed);
  await rm(work, { recursive: true, force: true });
  await makeDirectory(joined);
  await output.fetch(removed);
  const before = compacted.days.find((one) => one.directory === directory);
  const known = before?.parts ?? [];
  let next = before?.next ?? 0;
  const added: JoinedPart[] = [];
  for (const group of groups) {
    const name = `part-${COMPACTED_PARTS}-${String(next++).padStart(3, "0")}.${joiner.extension}`;
    const facts = await joiner.join(group, join(joined, name));
    added.push({
      path: `${directory}/${name}`,
      day,
      ...omitUndefined({ event }),
      ...facts,
      from: group.flatMap(({ path }) => [
        path,
        ...(known.find((part) => part.path === path)?.from ?? []),
      ]),
      joinedBytes: sum(group, (file) => compacted.joinedBytesOf(file)),
    });
  }
  const parts = [...known.filter(({ path }) => !gone.has(path)), ...added];
  const change: DayChange = {
    isSwapped: log === undefined && !output.isCopy,
    added,
    removed,
    kept: files.map(({ path }) => path).filter((path) => !gone.has(path)),
    record: { directory, parts, next },
  };
  await applyChange(change, tools);
}

function refusal(directory: string, reason: string): SwitchyardError {
  return new SwitchyardError("compact_refused", `${directory} cannot be compacted: ${reason}`);
}

/** Returns an error that also says what the output is like. */
function stoppedBy(error: unknown, isFinished: boolean, done: string): unknown {
  const then = isFinished
    ? ", and the manifest lists all files"
    : "; the next command for this output finishes the manifest";
  if (error instanceof SwitchyardError)
    error.reword((text) => `${text}. ${done} were compacted before${then}`);
  return error;
}
