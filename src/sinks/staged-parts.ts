import { join } from "node:path";
import { SMALL_PART_BYTES } from "../base/limits.js";
import type { PartFile } from "./sink.js";

/** Chooses the parts that are joined: those below `SMALL_PART_BYTES`, all below the part size, or none. */
export const compactChoices = ["auto", "always", "never"] as const;
export type Compact = (typeof compactChoices)[number];

/** Returns the bytes below which a part is joined with others. */
export function stagedBytesOf(compact: Compact, partBytes: number): number {
  if (compact === "never") return 0;
  return compact === "always" ? partBytes : Math.min(SMALL_PART_BYTES, partBytes);
}

/** Directory of the small parts that wait to be joined with others of their days. */
export function stagedDirectoryOf(outputDirectory: string): string {
  return join(outputDirectory, "_switchyard", "staged");
}

/** Absolute path of a part while it waits. `path` is its own, relative to the output directory. */
export function stagedPathOf(outputDirectory: string, { path }: Pick<PartFile, "path">): string {
  return join(stagedDirectoryOf(outputDirectory), path.replaceAll("/", "+"));
}

/** Returns the name that a waiting part has in its day. */
export function partNameOfStaged(name: string): string {
  return name.slice(name.lastIndexOf("+") + 1);
}
