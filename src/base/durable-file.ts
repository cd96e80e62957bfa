import { randomUUID } from "node:crypto";
import { closeSync, fsync, openSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

const fsyncDescriptor = promisify(fsync);

interface DurableWriteOptions {
  /** Directory of the incomplete file, on the file system of the target. Default: that of the target. */
  readonly temporaryDirectory?: string;
  /** Permissions of the new file; the umask does not apply. */
  readonly mode?: number | undefined;
}

/**
 * Replaces a file as a whole. A crash leaves the old file or the new one, never a mixture; once the
 * promise resolves, the new one survives a power failure.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  { temporaryDirectory = dirname(path), mode }: DurableWriteOptions = {},
): Promise<void> {
  const temporary = join(temporaryDirectory, `.${basename(path)}.${randomUUID()}`);
  try {
    await writeSynced(temporary, content, mode);
    await moveDurably(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Creates a file; its content is then on the disk, but its name may not be. Fails if the file exists, and
 * can leave a part of it.
 */
export async function writeSynced(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  mode?: number,
): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    const isWhole = typeof content === "string" || content instanceof Uint8Array;
    for (const block of isWhole ? [content] : content) await file.writeFile(block);
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Renames a file that is already synced. The new name survives a power failure. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}

/** Resolves when the content of a file is on the disk. */
export async function syncFile(path: string): Promise<void> {
  await syncPath(path, "r+");
}

/** Resolves when the names in a directory are on the disk. Windows has no such call and needs none. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform !== "win32") await syncPath(path, "r");
}

/** Syncs in the background. Opening and closing are synchronous: a background call would cost more. */
async function syncPath(path: string, flags: "r" | "r+"): Promise<void> {
  const descriptor = openSync(path, flags);
  try {
    await fsyncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
