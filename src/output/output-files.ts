import { join } from "node:path";
import { isObjectUrl } from "../store/object-url.js";
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
