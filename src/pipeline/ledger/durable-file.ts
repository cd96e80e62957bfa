import { randomUUID } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Replaces a file as a whole: after a crash at any moment there is the old file or the new one, and
 * after this resolves it is the new one. `temporaryDirectory` must be on the same file system.
 */
export async function writeDurably(
  path: string,
  text: string,
  temporaryDirectory: string,
): Promise<void> {
  const temporary = join(temporaryDirectory, `${basename(path)}.${randomUUID()}`);
  const file = await open(temporary, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await moveDurably(temporary, path);
}

/** Renames a file that is already synced, so that the new name survives a crash. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}

/** Makes the names in a directory durable. Windows has no such call and needs none. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
