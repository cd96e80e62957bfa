import { join } from "node:path";
import { isThere } from "../../base/durable-file.js";
import { SwitchyardError } from "../../base/errors.js";
import { readManifest } from "../../ledger/manifest-file.js";
import { directoryFiles } from "../../output/directory-files.js";
import { directoryOutput } from "../../output/directory-output.js";
import { LOCK_PATH, layoutOf, MANIFEST_NAME } from "../../output/layout.js";
import { withLockedFiles } from "../../output/open-files.js";
import { openOutput } from "../../output/open-output.js";
import type { OutputFiles } from "../../output/output-files.js";
import { isOfCompaction } from "../../output/output-paths.js";
import type { SignalledPlace } from "../../output/output-place.js";
import { isObjectUrl } from "../../store/object-url.js";

/**
 * Finishes a compaction of an output that was killed, or takes it back, before a command reads the output.
 * Throws `output_locked` while `compact` is running.
 */
export async function settleCompaction(place: SignalledPlace): Promise<void> {
  await (isObjectUrl(place.directory) ? settleInStore(place) : settleDirectory(place.directory));
}

/** Does the same for an output on the disk. */
export async function settleDirectory(directory: string): Promise<void> {
  const { compactingDirectory } = layoutOf(directory, "events");
  if (!isThere(compactingDirectory)) return;
  const lock = await directoryOutput(directory).lock(LOCK_PATH).take();
  try {
    await finishIn(directoryFiles(directory));
  } finally {
    await lock.release();
  }
}

/** Does the same for a command whose result is the same while `compact` is running. */
export async function settleUnlessRunning(place: SignalledPlace): Promise<void> {
  try {
    await settleCompaction(place);
  } catch (error) {
    if (!(error instanceof SwitchyardError && error.code === "output_locked")) throw error;
  }
}

async function settleInStore(place: SignalledPlace): Promise<void> {
  const changes = await (await openOutput(place)).list("_switchyard/compacting/", place.signal);
  if (changes.length === 0) return;
  await withLockedFiles(place, isOfCompaction, async (files) => {
    await finishIn(files);
    await files.save();
  });
}

async function finishIn(files: OutputFiles): Promise<void> {
  const { finishCompaction } = await import("./finish-compaction.js");
  const { directory } = files;
  const manifestFile = join(directory, MANIFEST_NAME);
  const dataset = isThere(manifestFile) ? (await readManifest(manifestFile)).dataset : "events";
  await finishCompaction(files, layoutOf(directory, dataset));
}
