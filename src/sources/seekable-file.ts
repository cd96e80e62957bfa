import { randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SourceError } from "../base/errors.js";
import { MIB } from "../base/limits.js";
import type { ByteSource } from "./byte-source.js";
import { InputFileHandle } from "./file-bytes.js";
import { isPlain, openBytes } from "./open-bytes.js";
import type { OpenOptions, ReaderOptions } from "./read-options.js";

import type { SourceBytes } from "./source.js";

const COPY_BYTES = 1 * MIB;

/** A source as a file that can be read at any position. */
export interface SeekableFile {
  readonly path: string;
  /** Bytes of the file at `path`. */
  readonly size: number;
  /** Removes the file if it is a copy. */
  close(): Promise<void>;
}

/**
 * Opens a plain file as it is, and a compressed source or zip entry as a decompressed copy in
 * `temporaryDirectory`, with checksums verified. Throws what `openBytes` throws, and `SourceError` with
 * code `spool_failed` if the copy cannot be written.
 */
export async function openSeekableFile(
  source: SourceBytes,
  options: OpenOptions & Pick<ReaderOptions, "temporaryDirectory">,
): Promise<SeekableFile> {
  options.signal.throwIfAborted();
  if (isPlain(source)) {
    new InputFileHandle(source).close();
    return { path: source.path, size: source.size, close: async () => {} };
  }
  const bytes = await openBytes(source, 0, options);
  const path = join(options.temporaryDirectory, `spool-${randomUUID()}`);
  try {
    const size = await copy(bytes, path, source.name);
    return { path, size, close: () => rm(path, { force: true }) };
  } finally {
    await bytes.close();
  }
}

/** Copies all bytes and returns their number; removes an incomplete copy. */
async function copy(bytes: ByteSource, path: string, name: string): Promise<number> {
  const file = await writingCopy(name, path, async () => {
    await mkdir(dirname(path), { recursive: true });
    return open(path, "wx");
  });
  const block = Buffer.allocUnsafe(COPY_BYTES);
  let size = 0;
  try {
    for (let count = await bytes.read(block); count > 0; count = await bytes.read(block)) {
      await writingCopy(name, path, () => file.writeFile(block.subarray(0, count)));
      size += count;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return size;
}

/** Says in `spool_failed` what a failed write of a copy means. */
export async function writingCopy<T>(
  name: string,
  path: string,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const reason =
      `must be copied to disk to be read, but ${path} cannot be written (${detail}). ` +
      "Free disk space there, or unpack or fetch the file yourself.";
    throw new SourceError("spool_failed", { source: name }, reason, { cause: error });
  }
}
