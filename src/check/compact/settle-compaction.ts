import { join } from "node:path";
import { isThere } from "../../base/durable-file.js";
import { SwitchyardError } from "../../base/errors.js";
import { readManifest } from "../../ledger/manifest-file.js";
import { layoutOf, MANIFEST_NAME } from "../../output/layout.js";
import { withLockedFiles } from "../../output/open-files.js";
import { openOutput } from "../../output/open-output.js";
import { isOfCompaction } from "../../output/output-paths.js";
import type { SignalledPlace } from "../../output/output-place.js";

/**
 * Finishes a compaction of an output that was killed, or takes it back, before a command reads the output.
 * Throws `output_locked` while `compact` is running.
 */
export async function settleCompaction(place: SignalledPlace): Promise<void> {
  const ledger = await (await openOutput(place)).list("_switchyard/", place.signal);
  // An empty one stands for a manifest that is not written yet.
  if (!ledger.includes("_switchyard/compacting/")) return;
  await withLockedFiles(place, isOfCompaction, async (files) => {
    const { finishCompaction } = await import("./finish-compaction.js");
    const manifestFile = join(files.directory, MANIFEST_NAME);
    const dataset = isThere(manifestFile) ? (await readManifest(manifestFile)).dataset : "events";
    await finishCompaction(files, layoutOf(files.directory, dataset));
    await files.save();
  });
}

/** Does the same for a command whose result is the same while `compact` is running. */
export async function settleUnlessRunning(place: SignalledPlace): Promise<void> {
  try {
    await settleCompaction(place);
  } catch (error) {
    if (!(error instanceof SwitchyardError && error.code === "output_locked")) throw error;
  }
}
