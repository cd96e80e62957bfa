import { randomUUID } from "node:crypto";
import { unlinkSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isThere, syncDirectory } from "../base/durable-file.js";
import { hasCode } from "../base/errors.js";
import { mapBounded } from "../base/map-bounded.js";
import { asOutput, outputError } from "../base/output-error.js";
import type { OutputFile, OutputFiles } from "./output-files.js";

const STATS_MAX = 16;

/** Returns the files of an output that is a directory: they are there as soon as they are written. */
export function directoryFiles(directory: string): OutputFiles {
  const asThere = async () => undefined;
  return {
    directory,
    isCopy: false,
    address: directory,
    list: (prefix) => listBelow(directory, prefix),
    digestOf: asThere,
    fetch: asThere,
    fetchBytes: asThere,
    drop: asThere,
    publish: asThere,
    save: asThere,
    remove: (paths) => asOutput(directory, () => removeFiles(directory, paths)),
    removeDirectory: (path) =>
      asOutput(directory, () => removeAtOnce(join(directory, path), directory)),
  };
}

async function listBelow(directory: string, prefix: string): Promise<readonly OutputFile[]> {
  const paths: string[] = [];
  const pending = [prefix];
  for (let below = pending.pop(); below !== undefined; below = pending.pop()) {
    for (const entry of await entriesOf(join(directory, below))) {
      const path = `${below}${entry.name}`;
      if (entry.isDirectory()) pending.push(`${path}/`);
      else paths.push(path);
    }
  }
  const found = await mapBounded(paths.sort(), STATS_MAX, async (path) => {
    const bytes = await sizeOf(join(directory, path));
    return bytes === undefined ? [] : [{ path, bytes }];
  });
  return found.flat();
}

/**
 * Returns the entries of a directory; none if it does not exist. Asks a second time, because some network file
 * systems give ENOENT for what another call finds.
 */
export async function entriesOf(path: string) {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOTDIR")) return [];
    if (hasCode(error, "ENOENT") && !isThere(path)) return [];
    throw outputError("read", path, error);
  }
}

/** Returns undefined if the file does not exist. Throws if that is not known: the file would be written again. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw outputError("read", path, error);
  }
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR");
}

/**
 * Removes a directory in one step. If its files were removed one by one, a kill would leave some records
 * without the ones that they refer to.
 */
async function removeAtOnce(directory: string, output: string): Promise<void> {
  const temporaryDirectory = join(output, "_switchyard", "tmp");
  const removed = join(temporaryDirectory, `${basename(directory)}.${randomUUID()}`);
  await mkdir(temporaryDirectory, { recursive: true });
  try {
    await rename(directory, removed);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return;
    throw error;
  }
  await syncDirectory(dirname(directory));
  await rm(removed, { recursive: true, force: true });
}

/** Removes files, and directories of a dataset or of waiting files that become empty. */
async function removeFiles(output: string, paths: readonly string[]): Promise<void> {
  const changed = new Set<string>();
  // There can be thousands: a call through the thread pool costs several times as much.
  for (const path of paths) if (unlinkIfThere(join(output, path))) changed.add(dirname(path));
  for (const directory of changed) {
    const path = join(output, directory);
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
    if (isMissing(error)) return false;
    throw error;
  }
}

async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(() => undefined);
}
