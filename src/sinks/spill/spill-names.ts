import { join } from "node:path";

/** Takes the place of the split's id in the names of merged parts. */
export const MERGED_PARTS = "merged";

/** Holds a file for each split that has spilled. */
export function spillDirectoryOf(outputDirectory: string): string {
  return join(outputDirectory, "_switchyard", "spill");
}

/** Where a split's spill file is once the split is committed. */
export function spillPathOf(outputDirectory: string, splitId: string): string {
  return join(spillDirectoryOf(outputDirectory), splitId);
}
