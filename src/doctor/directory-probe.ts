import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasContent, notReadBack, writeSynced } from "../base/durable-file.js";
import { makeDirectory, removeEmpty } from "../base/make-directory.js";
import { unwritable } from "../base/output-error.js";

/**
 * Does in a directory what a run does: creates it if it is missing, writes a small file, syncs it, reads
 * it back, gives it a second name as a lock gets, and renames it. Leaves nothing behind. Throws
 * `output_unwritable` and `disk_full`.
 */
export async function probeDirectory(directory: string): Promise<void> {
  const first = join(directory, `.switchyard-doctor-${randomUUID()}`);
  const second = `${first}-linked`;
  const third = `${first}-renamed`;
  let created: readonly string[] = [];
  try {
    created = await makeDirectory(directory);
    const written = await writeSynced(first, "written by switchyard doctor\n");
    if (!hasContent(first, written)) throw notReadBack(first);
    await link(first, second);
    await rename(second, third);
  } catch (error) {
    throw unwritable(directory, error);
  } finally {
    for (const path of [first, second, third]) await rm(path, { force: true }).catch(() => {});
    await removeEmpty(created);
  }
}

/** Probes those of the directories that exist, and the first one in any case. */
export async function probeDirectories([first = "", ...others]: readonly string[]): Promise<void> {
  await probeDirectory(first);
  for (const directory of others.filter((one) => existsSync(one))) await probeDirectory(directory);
}
