import { closeSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { fileState, fingerprintEntry } from "../sources/fingerprint.js";
import { openBytes } from "../sources/open-bytes.js";
import type { SourceBytes } from "../sources/source.js";
import { readZipDirectory } from "../sources/zip-directory.js";

/** Bytes that are decompressed at a time. */
const BLOCK_BYTES = 1 << 18;

const LINE_FEED = 0x0a;

/** A file in an archive. */
export interface CheckedMember {
  readonly name: string;
  /** Lines that are not empty. */
  readonly rows: number;
}

/**
 * Reads every file of a zip to its end, with its checksums and those of gzip inside. Throws `SourceError` if
 * anything is cut or damaged.
 */
export async function checkZip(
  path: string,
  signal: AbortSignal,
): Promise<readonly CheckedMember[]> {
  const state = fileState(await stat(path));
  const members: CheckedMember[] = [];
  for (const { encrypted: _, ...entry } of directoryOf(path)) {
    const codecs = entry.name.endsWith(".gz") ? (["gzip"] as const) : [];
    const fingerprint = fingerprintEntry(state, entry);
    const source = { name: entry.name, path, entry, codecs, size: state.size, fingerprint };
    members.push({ name: entry.name, rows: await countLines(source, signal) });
  }
  return members;
}

function directoryOf(path: string) {
  const descriptor = openSync(path, "r");
  try {
    return readZipDirectory(path, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the lines of a source that are not empty. */
export async function countLines(source: SourceBytes, signal: AbortSignal): Promise<number> {
  const bytes = await openBytes(source, 0, { signal, ratioMax: Number.POSITIVE_INFINITY });
  const block = Buffer.alloc(BLOCK_BYTES);
  let lines = 0;
  let lineBytes = 0;
  try {
    for (;;) {
      const read = await bytes.read(block);
      if (read === 0) return lines + (lineBytes > 0 ? 1 : 0);
      let start = 0;
      for (let end = block.indexOf(LINE_FEED); end !== -1 && end < read; ) {
        if (lineBytes + end - start > 0) lines += 1;
        lineBytes = 0;
        start = end + 1;
        end = block.indexOf(LINE_FEED, start);
      }
      lineBytes += read - start;
    }
  } finally {
    await bytes.close();
  }
}
