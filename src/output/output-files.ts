import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../base/durable-file.js";
import { asOutput } from "../base/output-error.js";
import { fetchRange } from "../store/fetch-range.js";
import type { ObjectFacts, ObjectStore } from "../store/object-store.js";
import { isObjectUrl } from "../store/object-url.js";
import { waitForAgreement } from "./lease-lock.js";
import type { OutputPlace } from "./output-place.js";

/** Returns the path or the address of a file of an output. */
export function pathInOutput(output: string, name: string): string {
  return isObjectUrl(output) ? `${output.replace(/\/+$/, "")}/${name}` : join(output, name);
}

/**
 * Calls `work` with the directory of an output, or with a copy of its wanted files. Parts in a copy
 * are empty until `fetch` downloads their content.
 */
export async function withFilesOf<Result>(
  place: OutputPlace,
  isWanted: (path: string) => boolean,
  signal: AbortSignal,
  work: (directory: string, fetch: (path: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const { directory } = place;
  if (!isObjectUrl(directory)) return work(directory, async () => {});
  const { withCopy } = await import("./output-copy.js");
  return withCopy({ ...place, signal }, isWanted, (copy) =>
    work(copy.directory, (path) => copy.mirror.fetchContent(path)),
  );
}

/** Returns the text of a small file of an output; undefined if the file does not exist. */
export async function readTextOf(
  place: OutputPlace,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { directory } = place;
  if (!isObjectUrl(directory))
    return readFile(join(directory, path), "utf8").catch(() => undefined);
  const { openOutput } = await import("./output-copy.js");
  const { store, prefix } = await openOutput(place);
  const found = await store.head(`${prefix}${path}`, signal);
  return found && (await readObject(store, found, signal)).toString("utf8");
}

/** Reads a small object. Throws `StoreError`. */
export async function readObject(
  store: ObjectStore,
  { key, etag, size }: Pick<ObjectFacts, "key" | "etag" | "size">,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const range = { etag, start: 0, end: size, signal };
  if (size > 0)
    await fetchRange(store, key, range, (bytes) => void pieces.push(Buffer.from(bytes)));
  return Buffer.concat(pieces);
}

/** Writes or replaces a small file of an output. */
export async function writeTextOf(
  place: OutputPlace,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const { directory } = place;
  if (!isObjectUrl(directory)) {
    const file = join(directory, path);
    await asOutput(file, () => writeDurably(file, text));
    return;
  }
  const { openOutput } = await import("./output-copy.js");
  const { store, prefix } = await openOutput(place);
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
