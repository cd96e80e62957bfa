import { createHash } from "node:crypto";
import { readlinkSync } from "node:fs";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDead, type ProcessTable, thisProcess } from "./lock-file.js";
import { asOutput } from "./output-error.js";

/** The end of a name that tells the owner: process id, its start or 0, its host, characters of `mkdtemp`. */
const OWNER = /-(\d+)-(\d+)-([0-9a-f]{16})-\w{6}$/;

/** Calls `work` with a new directory below `parent`, and always removes the directory afterwards. */
export async function inTemporaryDirectory<Result>(
  prefix: string,
  work: (directory: string) => Promise<Result>,
  parent = tmpdir(),
): Promise<Result> {
  const directory = await makeTemporaryDirectory(prefix, parent);
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Makes a directory below `parent` that the caller removes, and removes those that killed processes of this
 * host and user left there. The name begins with `prefix` and ends with its owner, so that no moment is
 * without one. Throws `output_unwritable` and `disk_full`.
 */
export async function makeTemporaryDirectory(
  prefix: string,
  parent = tmpdir(),
  system: ProcessTable = thisProcess,
): Promise<string> {
  await removeDead(parent, system);
  const start = (await system.startOf(system.pid)) ?? "0";
  const name = `${prefix}-${system.pid}-${start}-${hostDigest(system)}-`;
  return asOutput(parent, () => mkdtemp(join(parent, name)));
}

async function removeDead(parent: string, system: ProcessTable): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, pid, start, host] = OWNER.exec(name) ?? [];
    if (host !== hostDigest(system)) continue;
    const processStart = start === "0" ? null : (start ?? null);
    if (!(await isDead({ pid: Number(pid), processStart, host: system.host }, system))) continue;
    const path = join(parent, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== (process.getuid?.() ?? found.uid)) continue;
    // Another run may remove it at the same time.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Process ids mean the same only on one host and, in containers that share its name, in one namespace. */
function hostDigest({ host }: ProcessTable): string {
  return createHash("sha256").update(`${host} ${processNamespace()}`).digest("hex").slice(0, 16);
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
