import { randomUUID } from "node:crypto";
import { link, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isThere, moveDurably, syncDirectory } from "../../base/durable-file.js";
import { hasCode, UsageError } from "../../base/errors.js";
import { asOutput } from "../../base/output-error.js";
import { inTemporaryDirectory } from "../../base/temporary-directory.js";
import { extractArchive, writeArchive } from "./backup-file.js";
import { type BackupManifest, manifestOf } from "./backup-manifest.js";
import { openSnapshot } from "./data-snapshot.js";

interface BackupOptions {
  /** Replaces a file of this name. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  /** Returns ms since the epoch. */
  readonly now: () => number;
}

/**
 * Writes both databases of a data directory, as they are at one moment, into one file. Before the file gets
 * its name, it is restored into a scratch directory beside it and compared with the snapshot. Throws
 * `backup_exists`, what `openSnapshot` and `extractArchive` throw, `disk_full` and `output_unwritable`.
 */
export async function writeBackup(
  directory: string,
  path: string,
  { overwrite, signal, now }: BackupOptions,
): Promise<BackupManifest> {
  if (!overwrite && isThere(path)) throw exists(path);
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
  try {
    const written = await writeSnapshot(directory, temporary, signal, now);
    const scratch = `.${basename(path)}.check`;
    await inTemporaryDirectory(
      scratch,
      (checked) => extractArchive(temporary, checked, signal),
      dirname(path),
    );
    signal.throwIfAborted();
    await asOutput(path, () => publish(temporary, path, overwrite));
    return written;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeSnapshot(
  directory: string,
  temporary: string,
  signal: AbortSignal,
  now: () => number,
): Promise<BackupManifest> {
  const snapshot = openSnapshot(directory, now);
  try {
    const manifest = await manifestOf(snapshot, signal);
    await writeArchive(temporary, snapshot, manifest, signal);
    return manifest;
  } finally {
    snapshot.close();
  }
}

/** Gives the file its name. A link, unlike a rename, never replaces a file that came meanwhile. */
async function publish(temporary: string, path: string, overwrite: boolean): Promise<void> {
  if (!overwrite) {
    try {
      await link(temporary, path);
      await syncDirectory(dirname(path));
      return;
    } catch (error) {
      if (hasCode(error, "EEXIST")) throw exists(path);
      // Some file systems have no links.
    }
  }
  await moveDurably(temporary, path);
}

function exists(path: string): UsageError {
  return new UsageError(
    "backup_exists",
    `${path} exists: choose another name, or replace it with --force.`,
  );
}
