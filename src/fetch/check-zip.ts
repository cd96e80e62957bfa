import { closeSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { fileState, fingerprintEntry } from "../sources/fingerprint.js";
import { readZipDirectory } from "../sources/zip-directory.js";
import { readLines } from "./read-lines.js";

/** A file in an archive. */
interface CheckedMember {
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
    const { lines: rows } = await readLines(source, signal);
    members.push({ name: entry.name, rows });
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
