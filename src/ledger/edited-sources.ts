import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { MIB } from "../base/limits.js";
import { contentOf } from "../sources/fingerprint.js";
import type { Source } from "../sources/source.js";
import type { SplitRecord } from "./ledger-records.js";

type Digest = NonNullable<SplitRecord["digests"]>[number];

/**
 * Finds planned files that were touched, whose fingerprints are the same, but whose bytes are not those that
 * were read: an edit of a few bytes of a large file. Reads again what was read of touched files, and nothing
 * of others. Returns their names.
 */
export async function findEdited(
  planned: readonly Source[],
  sources: readonly Source[],
  records: readonly Pick<SplitRecord, "digests">[],
): Promise<ReadonlySet<string>> {
  const edited = new Set<string>();
  const touched = touchedOf(planned, sources);
  if (touched.size === 0) return edited;
  for (const digest of records.flatMap(({ digests = [] }) => digests)) {
    const path = touched.get(digest.source);
    if (path === undefined || edited.has(digest.source)) continue;
    if (!(await isUnchanged(path, digest))) edited.add(digest.source);
  }
  return edited;
}

/** Returns the paths of sources with the same fingerprint but another time, by name. */
function touchedOf(
  planned: readonly Source[],
  sources: readonly Source[],
): ReadonlyMap<string, string> {
  // Most sources are the same objects as in the plan.
  const same = new Set(sources);
  const before = new Map(
    planned.filter((source) => !same.has(source)).map((source) => [source.name, source]),
  );
  const touched = new Map<string, string>();
  if (before.size === 0) return touched;
  for (const { name, path, fingerprint } of sources) {
    const old = before.get(name)?.fingerprint;
    if (old === undefined || old === fingerprint) continue;
    if (contentOf(old) === contentOf(fingerprint)) touched.set(name, path);
  }
  return touched;
}

async function isUnchanged(path: string, digest: Digest): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch {
    // It is told when the input is read.
    return true;
  }
  try {
    const block = Buffer.allocUnsafe(MIB);
    let [position, left, checksum] = [digest.start, digest.bytes, 0];
    while (left > 0) {
      const { bytesRead } = await file.read(block, 0, Math.min(left, block.length), position);
      if (bytesRead === 0) return false;
      checksum = crc32(block.subarray(0, bytesRead), checksum);
      position += bytesRead;
      left -= bytesRead;
    }
    return checksum === digest.crc32;
  } finally {
    await file.close();
  }
}
