import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../base/durable-file.js";
import { asOutput } from "../../base/output-error.js";
import { fetchRange } from "../../store/fetch-range.js";
import type { S3Options } from "../../store/object-store.js";
import { isObjectUrl } from "../../store/object-url.js";
import { waitForAgreement } from "./lease-lock.js";

export { isObjectUrl };

/** The output of an export: a directory, or a place in a store. */
export interface OutputPlace {
  /** Absolute, or an address such as `s3://bucket/prefix`. */
  readonly directory: string;
  readonly s3: S3Options;
  /** Accept a store that ignores conditions. */
  readonly unsafeLock?: boolean;
}

/** Returns the path or the address of a file of an output. */
export function pathInOutput(output: string, name: string): string {
  return isObjectUrl(output) ? `${output.replace(/\/+$/, "")}/${name}` : join(output, name);
}

/**
 * Calls `work` with the directory of an output, or with a copy that has those of its files that are wanted;
 * parts are without content until `fetch` has brought it.
 */
export async function withFilesOf<Result>(
  { directory, s3 }: OutputPlace,
  isWanted: (path: string) => boolean,
  signal: AbortSignal,
  work: (directory: string, fetch: (path: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  if (!isObjectUrl(directory)) return work(directory, async () => {});
  const { withCopy } = await import("./output-copy.js");
  return withCopy({ address: directory, s3, signal }, isWanted, (copy) =>
    work(copy.directory, (path) => copy.mirror.fetchContent(path)),
  );
}

/** Returns the text of a small file of an output; undefined if there is none. */
export async function readTextOf(
  place: OutputPlace,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { directory, s3 } = place;
  if (!isObjectUrl(directory))
    return readFile(join(directory, path), "utf8").catch(() => undefined);
  const { openOutput } = await import("./output-copy.js");
  const { store, prefix } = await openOutput({ address: directory, s3, signal });
  const found = await store.head(`${prefix}${path}`, signal);
  if (found === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  const range = { etag: found.etag, start: 0, end: found.size, signal };
  if (found.size > 0)
    await fetchRange(store, found.key, range, (bytes) => void pieces.push(Buffer.from(bytes)));
  return Buffer.concat(pieces).toString("utf8");
}

/** Writes or replaces a small file of an output. */
export async function writeTextOf(
  { directory, s3 }: OutputPlace,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  if (!isObjectUrl(directory)) {
    const file = join(directory, path);
    await asOutput(file, () => writeDurably(file, text));
    return;
  }
  const { openOutput } = await import("./output-copy.js");
  const { store, prefix } = await openOutput({ address: directory, s3, signal });
  const bytes = Buffer.from(text);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  for (let attempt = 1; ; attempt++) {
    const found = await store.head(`${prefix}${path}`, signal);
    const condition = found === undefined ? "absent" : { etag: found.etag };
    const etag = await store.put(`${prefix}${path}`, { bytes }, { condition, sha256, signal });
    if (etag !== "occupied") return;
    if (attempt > 1) await waitForAgreement(attempt, `${directory}/${path}`);
  }
}
