import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "../../base/durable-file.js";
import { hasCode, UsageError } from "../../base/errors.js";
import { makeDirectory, removeEmpty } from "../../base/make-directory.js";
import { option } from "../../base/option-text.js";
import { asOutput, toOutputError } from "../../base/output-error.js";
import { dataFiles, LOCK_FILE, lockDirectory, RESTORING } from "../data-files.js";
import { extractArchive } from "./backup-file.js";
import type { BackupManifest } from "./backup-manifest.js";

const DIRECTORY_MODE = 0o700;

/**
 * Restores a backup into a data directory, which is empty or does not exist. The files get their names
 * after everything was compared, and no service starts on the directory before all have them: until then it
 * has the directory `RESTORING`. Throws `data_present`, `data_in_use`, what `extractArchive` throws,
 * `disk_full` and `output_unwritable`.
 */
export async function restoreBackup(
  path: string,
  directory: string,
  signal: AbortSignal,
): Promise<BackupManifest> {
  await requireEmpty(directory);
  const made = await asOutput(directory, () => makeDirectory(directory, DIRECTORY_MODE));
  const lock = await lockDirectory(directory);
  const staging = join(directory, RESTORING);
  let isDone = false;
  try {
    // No service can start from here on.
    await requireEmpty(directory);
    const manifest = await asOutput(directory, async () => {
      await removeUnfinished(directory);
      await mkdir(staging, DIRECTORY_MODE);
      await syncDirectory(directory);
      const extracted = await extractArchive(path, staging, signal);
      signal.throwIfAborted();
      await publish(staging, directory);
      return extracted;
    });
    isDone = true;
    for (const level of [directory, ...made.map(dirname)]) await syncDirectory(level);
    return manifest;
  } finally {
    try {
      if (!isDone) await removeUnfinished(directory);
    } finally {
      lock.release();
    }
    if (!isDone && made.length > 0) {
      await rm(join(directory, LOCK_FILE), { force: true });
      await removeEmpty(made);
    }
  }
}

async function publish(staging: string, directory: string): Promise<void> {
  for (const { name } of dataFiles) await rename(join(staging, name), join(directory, name));
  await syncDirectory(directory);
  await rm(staging, { recursive: true });
}

/** Removes what a restore left that was stopped. The directory was empty before it. */
async function removeUnfinished(directory: string): Promise<void> {
  const staging = join(directory, RESTORING);
  if (!existsSync(staging)) return;
  for (const { name } of dataFiles) await rm(join(directory, name), { force: true });
  await rm(staging, { recursive: true, force: true });
}

/** Throws `data_present` unless the directory is missing, empty, or has an unfinished restore. */
async function requireEmpty(directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: unknown): string[] => {
    if (hasCode(error, "ENOENT")) return [];
    throw toOutputError(directory, error);
  });
  if (names.includes(RESTORING)) return;
  const found = names.filter((name) => !name.startsWith(LOCK_FILE));
  if (found.length === 0) return;
  throw new UsageError(
    "data_present",
    `${directory} is not empty (${found.slice(0, 3).join(", ")}): pass an empty or a new directory as ${option("data")}.`,
  );
}
