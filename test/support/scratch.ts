import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { refuseKeysBelow } from "./secret-watch.js";

const directories: string[] = [];

/** Checks and removes the directories that the tests of a file made. */
export function removeScratch(): void {
  const made = directories.splice(0);
  try {
    for (const directory of made) refuseKeysBelow(directory);
  } finally {
    for (const directory of made) rmSync(directory, { recursive: true, force: true });
  }
}

/** Makes a directory that is removed after the tests of the file. No file in it may hold a key by then. */
export function scratchDirectory(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `switchyard-${name}-`));
  directories.push(directory);
  return directory;
}

/** Resolves as soon as an export into `output` has finished its first split. */
export async function firstSplitFinished(output: string): Promise<void> {
  const splits = join(output, "_switchyard", "splits");
  await vi.waitFor(
    () => {
      if (!existsSync(splits) || readdirSync(splits).length === 0) throw new Error("none so far");
    },
    { interval: 2, timeout: 30_000 },
  );
}
