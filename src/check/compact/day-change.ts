import { chmodSync, linkSync, renameSync, statSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { hasContent, isThere, syncDirectory, writeDurably } from "../../base/durable-file.js";
import { SwitchyardError } from "../../base/errors.js";
import type { Immutable } from "../../base/immutable.js";
import { makeDirectory } from "../../base/make-directory.js";
import {
  compactedDaySchema,
  fileOf,
  flatName,
  joinedPartSchema,
  readCompacted,
  writeCompacted,
} from "../../ledger/compacted.js";
import { readRecord } from "../../ledger/ledger.js";
import type { Manifest } from "../../ledger/manifest.js";
import { type Layout, pathIn } from "../../output/layout.js";
import type { OutputFiles } from "../../output/output-files.js";
import type { DeltaLog } from "../delta-log.js";

const dayChangeSchema = z.object({
  /** The directory is exchanged as a whole; otherwise files are added to it, and then the old ones are removed. */
  isSwapped: z.boolean(),
  added: z.array(joinedPartSchema),
  /** Paths of the files that the added ones replace. */
  removed: z.array(z.string()),
  /** Paths of the other files in the directory. */
  kept: z.array(z.string()),
  /** The record of the directory once it is changed. */
  record: compactedDaySchema,
});

/** A change of one day directory; written to the disk before it begins. */
export type DayChange = Immutable<z.infer<typeof dayChangeSchema>>;

/** The files and records that a change works on. */
export interface ChangeTools {
  readonly files: OutputFiles;
  readonly layout: Layout;
  /** Absent if there is none; nobody could list its files. */
  readonly manifest: Manifest | undefined;
  /** Present if the output has a table log. */
  readonly log: DeltaLog | undefined;
}

/** The work directory of a change: the joined files, the day while it is moved away, and the change itself. */
export function changePaths({ compactingDirectory, outputDirectory }: Layout, directory: string) {
  const work = join(compactingDirectory, flatName(directory));
  return {
    work,
    target: join(outputDirectory, directory),
    joined: join(work, "joined"),
    day: join(work, "day"),
    file: join(work, "change.json"),
  };
}

type Step = (
  change: DayChange,
  tools: ChangeTools,
  paths: ReturnType<typeof changePaths>,
) => Promise<void>;

/**
 * The steps of a change. Each one can be repeated after a kill in it. Nothing that readers see changes up
 * to `begin`; no file is removed before `record`.
 */
const steps = {
  /** Puts the other files of the directory beside the joined ones. */
  async link({ kept }, _, { target, joined }) {
    for (const path of kept) linkSync(join(target, basename(path)), join(joined, basename(path)));
    chmodSync(joined, statSync(target).mode);
  },
  async begin(change, tools, { work, joined, file }) {
    await syncDirectory(joined);
    await writeDurably(file, `${JSON.stringify(change)}\n`);
    await syncDirectory(dirname(work));
    await put(tools, [file]);
  },
  /** The day is missing between two calls of the system. */
  async swap(_, __, { work, target, joined, day }) {
    const isMoved = isThere(day);
    const isMissing = !isMoved || !isThere(target);
    if (!isMoved) renameSync(target, day);
    try {
      if (isMissing) renameSync(joined, target);
    } catch (error) {
      renameSync(day, target);
      throw error;
    }
    await syncDirectory(dirname(target));
    await syncDirectory(work);
  },
  async add({ added }, tools, { target, joined }) {
    const paths = added.map(({ path }) => join(target, basename(path)));
    await makeDirectory(target);
    for (const path of paths) {
      const from = join(joined, basename(path));
      if (isThere(from)) renameSync(from, path);
    }
    await syncDirectory(target);
    await put(tools, paths, added);
  },
  async commit({ added, removed }, tools) {
    const { log, manifest } = tools;
    if (log === undefined || manifest === undefined) return;
    const files = added.map((part) => ({ day: part.day, file: fileOf(part) }));
    await put(tools, await log.replace(manifest, files, removed));
  },
  async record({ record }, tools) {
    await put(tools, [await writeCompacted(tools.layout, record)]);
  },
  /** Files of others go with the day. */
  async restore({ removed }, _, { target, day }) {
    const gone = new Set(removed.map((path) => basename(path)));
    for (const name of isThere(day) ? await readdir(day) : [])
      if (!gone.has(name) && !isThere(join(target, name)))
        renameSync(join(day, name), join(target, name));
  },
  async remove({ removed, record }, { files }) {
    const gone = new Set(removed);
    await files.remove(removed);
    // A file that is wrongly taken for missing would be read twice.
    const left = (await files.list(`${record.directory}/`)).find(({ path }) => gone.has(path));
    if (left !== undefined) throw refusal(`${left.path} was not removed`);
  },
  /** In a store, the change stays until the manifest is written. */
  async clear(_, { files }, { work, day }) {
    await rm(day, { recursive: true, force: true });
    if (!files.isCopy) await rm(work, { recursive: true, force: true });
  },
} as const satisfies Record<string, Step>;

type ChangeStep = keyof typeof steps;

/** Returns the steps of a change in their order. */
function stepsOf({ isSwapped }: Pick<DayChange, "isSwapped">): readonly ChangeStep[] {
  return isSwapped
    ? ["link", "begin", "swap", "record", "restore", "clear"]
    : ["begin", "add", "commit", "record", "remove", "clear"];
}

/** Changes a directory whose joined files are ready. */
export async function applyChange(
  change: DayChange,
  tools: ChangeTools,
  names = stepsOf(change),
): Promise<void> {
  const paths = changePaths(tools.layout, change.record.directory);
  for (const name of names) await steps[name](change, tools, paths);
}

/**
 * Finishes a change that failed or was killed, or takes it back if that is not possible. `work`: its
 * work directory. Throws if the directory is left as it is.
 */
export async function settleChange(work: string, tools: ChangeTools): Promise<void> {
  const change = await readRecord(join(work, "change.json"), dayChangeSchema);
  if (change === undefined) {
    if (isThere(join(work, "day")))
      throw refusal(`${work}/day is a day that another version has moved away`);
    return;
  }
  const paths = changePaths(tools.layout, change.record.directory);
  if (change.isSwapped && !isThere(paths.day)) return;
  const names = stepsOf(change);
  const isRecorded = await hasRecord(change, tools.layout);
  try {
    if (!isRecorded) await requireIntact(change, tools.files, paths);
    await applyChange(change, tools, names.slice(names.indexOf("begin") + 1));
  } catch (error) {
    if (await hasRecord(change, tools.layout)) throw error;
    await takeBack(change, tools, error);
  }
}

async function hasRecord({ added, record }: DayChange, layout: Layout): Promise<boolean> {
  const { days } = await readCompacted(layout);
  const known = days.find(({ directory }) => directory === record.directory)?.parts ?? [];
  return added.every((part) => known.some(({ path }) => path === part.path));
}

/** Throws unless all joined files are there, in one of their two places. */
async function requireIntact(
  { isSwapped, added, record }: DayChange,
  files: OutputFiles,
  paths: ReturnType<typeof changePaths>,
): Promise<void> {
  const { target, joined, day } = paths;
  if (isSwapped && [target, joined, day].every(isThere))
    throw refusal(`${target} was made again after it was moved to ${day}; move it elsewhere`);
  const stored = files.isCopy ? await files.list(`${record.directory}/`) : [];
  for (const part of added) {
    if (stored.some(({ path, bytes }) => path === part.path && bytes === part.bytes)) continue;
    const places = [joined, target].map((directory) => join(directory, basename(part.path)));
    const place = places.find(isThere);
    if (place === undefined || !hasContent(place, part))
      throw refusal(`${part.path} was not written completely`);
  }
}

/** Undoes a change that is not recorded. Throws `error` if the new files are in use already. */
async function takeBack(
  change: DayChange,
  { files, layout, log }: ChangeTools,
  error: unknown,
): Promise<void> {
  const { target, joined, day, file } = changePaths(layout, change.record.directory);
  if (change.isSwapped) {
    if ([target, joined, day].every(isThere)) throw error;
    if (isThere(target)) renameSync(target, joined);
    renameSync(day, target);
    await syncDirectory(dirname(target));
  } else {
    if (await log?.lists(change.added.map(({ path }) => path))) throw error;
    await files.remove(change.added.map(({ path }) => path));
  }
  await rm(file, { force: true });
}

/** Publishes files, and frees the space of parts. */
async function put(
  { files, layout }: ChangeTools,
  written: readonly string[],
  parts: DayChange["added"] = [],
): Promise<void> {
  const digests = new Map(parts.map(({ path, sha256 }) => [path, sha256]));
  await files.publish(
    written.map((file) => pathIn(layout, file)),
    digests,
  );
  await files.drop([...digests.keys()]);
}

function refusal(reason: string): SwitchyardError {
  return new SwitchyardError("compact_refused", `a compaction cannot be finished: ${reason}`);
}
