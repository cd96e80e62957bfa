import { createHash, randomUUID } from "node:crypto";
import { closeSync, fsync, lstatSync, openSync, readSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { hasCode, SwitchyardError } from "./errors.js";
import { WRITE_BYTES } from "./limits.js";

const fsyncDescriptor = promisify(fsync);

interface DurableWriteOptions {
  /** Directory of the incomplete file, on the file system of the target. Default: that of the target. */
  readonly temporaryDirectory?: string;
  /** Permissions of the new file; the umask does not apply. */
  readonly mode?: number | undefined;
}

/** Size and SHA-256 (lower-case hexadecimal) of a file. */
export interface FileContent {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Replaces a file as a whole. A crash leaves the old file or the new one, never a mixture; once the
 * promise resolves, the new one survives a power failure. An existing file is only replaced if the new one
 * can be read back; otherwise throws `output_unwritable`.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | Iterable<Uint8Array>,
  { temporaryDirectory = dirname(path), mode }: DurableWriteOptions = {},
): Promise<void> {
  const temporary = join(temporaryDirectory, `.${basename(path)}.${randomUUID()}`);
  try {
    const written = await writeSynced(temporary, content, mode);
    if (isThere(path) && !hasContent(temporary, written)) throw notReadBack(path);
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
): Promise<FileContent> {
  const file = await open(path, "wx", mode);
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const isWhole = typeof content === "string" || content instanceof Uint8Array;
    for (const block of isWhole ? [content] : content) {
      await file.writeFile(block);
      hash.update(block);
      bytes += Buffer.byteLength(block);
    }
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** Returns true if something has this path. Throws the system's error if it cannot tell. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Reads a file and returns true if it has this content. */
export function hasContent(path: string, { bytes, sha256 }: FileContent): boolean {
  const hash = createHash("sha256");
  const block = new Uint8Array(Math.min(bytes + 1, WRITE_BYTES));
  const descriptor = openSync(path, "r");
  try {
    let size = 0;
    for (let count = 1; count > 0 && size <= bytes; size += count) {
      count = readSync(descriptor, block);
      hash.update(block.subarray(0, count));
    }
    return size === bytes && hash.digest("hex") === sha256;
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the error for a new file that must not replace an old one. */
export function notReadBack(path: string): SwitchyardError {
  return new SwitchyardError(
    "output_unwritable",
    `cannot replace ${path}: the new file was read back with other content than was written; check the device, then run the same command again to resume`,
  );
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

/** Returns the content of a file; undefined if it does not exist. */
export async function readOrNone(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
