import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "../../base/durable-file.js";
import { makeDirectory } from "../../base/make-directory.js";
import { asOutput } from "../../base/output-error.js";
import { readCompacted } from "../../ledger/compacted.js";
import { listOrNone } from "../../ledger/ledger.js";
import { readManifest, writeManifest } from "../../ledger/manifest-file.js";
import type { Layout } from "../../output/layout.js";
import type { OutputFiles } from "../../output/output-files.js";
import { DeltaLog } from "../delta-log.js";
import { settleChange } from "./day-change.js";

/**
 * Ends a compaction, or what a failed or killed one has left: finishes or takes back the change of each
 * directory, then writes the manifest. The output must be locked. Can be repeated after a kill.
 */
export async function finishCompaction(files: OutputFiles, layout: Layout): Promise<void> {
  const { compactingDirectory, manifestFile, temporaryDirectory } = layout;
  if (!isThere(compactingDirectory)) return;
  await asOutput(compactingDirectory, async () => {
    const manifest = isThere(manifestFile) ? await readManifest(manifestFile) : undefined;
    const tools = { files, layout, manifest, log: DeltaLog.of(layout) };
    const errors: unknown[] = [];
    for (const name of (await listOrNone(compactingDirectory)).sort())
      await settleChange(join(compactingDirectory, name), tools).catch((error: unknown) =>
        errors.push(error),
      );
    if (manifest !== undefined) {
      await makeDirectory(temporaryDirectory);
      await writeManifest(layout, (await readCompacted(layout)).applyTo(manifest));
    }
    if (errors.length > 0) throw errors[0];
    await rm(compactingDirectory, { recursive: true, force: true });
  });
}
