import { rmSync, type Stats, truncateSync, utimesSync, writeFileSync } from "node:fs";

/** Modification time of placeholders, in seconds since 1970 UTC: no other file has it. */
const PLACEHOLDER_TIME = 1;

/** Makes a file into a placeholder of an object: of the same size, and without content on the disk. */
export function makePlaceholder(path: string, bytes: number): void {
  // It may have a second name.
  rmSync(path, { force: true });
  writeFileSync(path, "");
  truncateSync(path, bytes);
  keepPlaceholder(path);
}

/** Makes a placeholder of which ranges were written a placeholder again. */
export function keepPlaceholder(path: string): void {
  utimesSync(path, PLACEHOLDER_TIME, PLACEHOLDER_TIME);
}

/** Returns true if a file stands for an object, and has not its whole content. */
export function isPlaceholder({ mtimeMs }: Pick<Stats, "mtimeMs">): boolean {
  return mtimeMs === PLACEHOLDER_TIME * 1000;
}
