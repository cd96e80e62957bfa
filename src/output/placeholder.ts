import { rmSync, type Stats, truncateSync, utimesSync, writeFileSync } from "node:fs";

/** Modification time of placeholders, in seconds since 1970 UTC: no other file has it. */
const PLACEHOLDER_TIME = 1;

/** Turns a file into a placeholder of an object: it has the same size, but no content on the disk. */
export function makePlaceholder(path: string, bytes: number): void {
  // The file may have a second name.
  rmSync(path, { force: true });
  writeFileSync(path, "");
  truncateSync(path, bytes);
  keepPlaceholder(path);
}

/** Removes the ranges that were written into a placeholder. */
export function keepPlaceholder(path: string): void {
  utimesSync(path, PLACEHOLDER_TIME, PLACEHOLDER_TIME);
}

/** Returns true if a file represents an object without having its whole content. */
export function isPlaceholder({ mtimeMs }: Pick<Stats, "mtimeMs">): boolean {
  return mtimeMs === PLACEHOLDER_TIME * 1000;
}
