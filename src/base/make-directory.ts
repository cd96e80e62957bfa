import { mkdir, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "./errors.js";

/**
 * Creates a directory and its missing parents, one level at a time: Node's own recursion never ends
 * on a file system that answers "no such file" to every new name, as /proc does. Throws the
 * system's error for the first level that cannot be created. New levels get `mode`; returns them,
 * the deepest one first.
 */
export async function makeDirectory(path: string, mode?: number): Promise<readonly string[]> {
  try {
    return await makeLevel(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (!hasCode(error, "ENOENT") || parent === path) throw error;
    const above = await makeDirectory(parent, mode);
    return [...(await makeLevel(path, mode)), ...above];
  }
}

/** Removes directories that are empty, up to the first that is not. The deepest one comes first. */
export async function removeEmpty(levels: readonly string[]): Promise<void> {
  try {
    for (const level of levels) await rmdir(level);
  } catch {
    // It is in use, and so are those above it.
  }
}

async function makeLevel(path: string, mode?: number): Promise<readonly string[]> {
  try {
    await mkdir(path, mode);
    return [path];
  } catch (error) {
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isThere) throw error;
    return [];
  }
}
