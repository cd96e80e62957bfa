import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { hasCode } from "../base/errors.js";
import { type Machine, thisMachine } from "../options/machine.js";

/** Facts about the system that checks ask for; tests replace them. */
export interface SystemFacts {
  /** Without the `v`. */
  readonly nodeVersion: string;
  readonly machine: Machine;
  readonly temporaryDirectory: string;
  /** Memory that a process can still take, in bytes. */
  availableMemory(): number;
  /** Open files that this process can have; undefined if the system does not tell. */
  openFilesMax(): number | undefined;
  /** Bytes that this user can still write to the file system of a directory, which may be missing. */
  freeBytes(directory: string): Promise<number>;
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

export function thisSystem(): SystemFacts {
  return {
    nodeVersion: process.versions.node,
    machine: thisMachine(),
    temporaryDirectory: tmpdir(),
    availableMemory: () => process.availableMemory(),
    openFilesMax,
    freeBytes,
    now: Date.now,
  };
}

/** Node raises the soft limit to the hard one when it starts. */
function openFilesMax(): number | undefined {
  try {
    const [, count] =
      /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(directory);
    if (!(hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) || parent === directory)
      throw error;
    return freeBytes(parent);
  }
}
