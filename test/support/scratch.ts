import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { isCi } from "./property-runs.js";
import { endS3Server } from "./s3-server.js";
import { refuseKeysBelow } from "./secret-watch.js";

/** A disk in memory on Linux, where a sync takes no time. */
const memoryDisk = "/dev/shm";
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

/** Holds the directory of each run of the tests, named after its process. */
const root = join(isCi || !hasMemoryDisk() ? tmpdir() : memoryDisk, "switchyard-tests");
/** Variable that holds the directory of this run. */
export const ofThisRun = "TESTS_DIRECTORY";
const directories: string[] = [];

function hasMemoryDisk(): boolean {
  if (!existsSync(memoryDisk)) return false;
  const { bavail, bsize } = statfsSync(memoryDisk);
  return bavail * bsize >= MEMORY_BYTES_MIN;
}

/**
 * Makes the directory of this run, and removes those of killed runs. Returns the function that removes it
 * at the end, with the leftovers of files whose tests were all skipped, as those have no hook of their own.
 */
export function makeRunDirectory(): () => void {
  mkdirSync(root, { recursive: true });
  for (const name of readdirSync(root)) {
    if (!isRunning(Number(name))) removeRun(join(root, name));
  }
  const directory = join(root, String(process.pid));
  mkdirSync(directory, { recursive: true });
  process.env[ofThisRun] = directory;
  // Commands that tests kill leave their temporary directories in it.
  process.env["TMPDIR"] = directory;
  return () => removeRun(directory);
}

function removeRun(directory: string): void {
  endS3Server(directory);
  rmSync(directory, { recursive: true, force: true });
}

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
  const directory = mkdtempSync(join(process.env[ofThisRun] ?? tmpdir(), `${name}-`));
  directories.push(directory);
  return directory;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Resolves as soon as an export into `output` has finished its first split. */
export async function firstSplitFinished(output: string): Promise<void> {
  const splits = join(output, "_switchyard", "splits");
  await vi.waitFor(
    () => {
      if (!existsSync(splits) || readdirSync(splits).length === 0) throw new Error("none so far");
    },
    { interval: 2, timeout: 90_000 },
  );
}
