import { open, stat } from "node:fs/promises";
import { SourceError } from "../base/errors.js";
import { fileState, fingerprintFile } from "../sources/fingerprint.js";
import type { SourceBytes } from "../sources/source.js";
import { readLines } from "./read-lines.js";
import type { CheckedFile } from "./vendor.js";

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Mixpanel sends bodies up to this size without compression. */
const PLAIN_BYTES_MAX = 1_400;

/**
 * Reads a file of JSON lines to its end, with the checksums of gzip. Throws `SourceError` if it is not whole.
 * Returns undefined if it has no lines. `name`: the name that it gets, without its ending. `isGzip`: set if
 * it came as gzip, whose empty form has 20 bytes; an empty file is then cut off.
 */
export async function checkLines(
  path: string,
  name: string,
  signal: AbortSignal,
  { isGzip: cameAsGzip = false } = {},
): Promise<CheckedFile | undefined> {
  const source = await lineSource(path, name);
  const isGzip = source.codecs.length > 0;
  if (source.size === 0 && cameAsGzip) throw damaged(name, "it is empty, without the end of gzip");
  if (source.size === 0) return undefined;
  if (!isGzip && source.size > PLAIN_BYTES_MAX) {
    throw damaged(name, "it is not compressed, so that nothing shows whether it is whole");
  }
  const { lines, isEnded, lastEnds } = await readLines(source, signal);
  if (lines === 0) return undefined;
  if (!isEnded || lastEnds !== "{}") throw damaged(name, "it does not end with a whole row");
  return { name: `${name}.jsonl${isGzip ? ".gz" : ""}`, members: 1, rows: lines };
}

/** Returns a file of lines, compressed or not, as one to be read. */
export async function lineSource(path: string, name: string): Promise<SourceBytes> {
  const state = fileState(await stat(path));
  const head = await headOf(path);
  const codecs = head.equals(GZIP_MAGIC) ? (["gzip"] as const) : [];
  return { name, path, codecs, size: state.size, fingerprint: fingerprintFile(state, [head]) };
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(GZIP_MAGIC.length));
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function damaged(source: string, reason: string): SourceError {
  return new SourceError("source_corrupt", { source }, reason);
}
