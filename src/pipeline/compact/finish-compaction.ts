import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { moveDurably, syncDirectory, writeDurably } from "../../base/durable-file.js";
import { makeDirectory } from "../../base/make-directory.js";
import { asOutput } from "../../base/output-error.js";
import type { Layout } from "../ledger/layout.js";
import { readManifest } from "../verify/verify-manifest.js";
import { type CompactedDay, flatName, readCompacted } from "./compacted.js";

/** Returns the directory of a day's joined parts while they wait, and the one that the day itself is moved to. */
export function compactingPaths(
  { compactingDirectory }: Layout,
  directory: string,
): { readonly joined: string; readonly day: string } {
  const work = join(compactingDirectory, flatName(directory));
  return { joined: join(work, "joined"), day: join(work, "day") };
}

/** Finishes what a compaction has recorded before it was killed, and writes its manifest. */
export async function finishCompaction(layout: Layout): Promise<void> {
  const { compactingDirectory, manifestFile, temporaryDirectory } = layout;
  if (!existsSync(compactingDirectory)) return;
  await asOutput(compactingDirectory, async () => {
    const compacted = await readCompacted(layout);
    for (const day of compacted.days) await replaceParts(layout, day);
    if (existsSync(manifestFile)) {
      const manifest = compacted.applyTo(await readManifest(manifestFile));
      await makeDirectory(temporaryDirectory);
      const text = `${JSON.stringify(manifest, null, 2)}\n`;
      await writeDurably(manifestFile, text, { temporaryDirectory });
    }
    await rm(compactingDirectory, { recursive: true, force: true });
  });
}

/**
 * Moves a day away, replaces its small parts by the joined ones, and moves it back: for a moment the
 * day is not there, but a row never is there twice. Does nothing if that is done. After a kill at any
 * moment it can be repeated.
 */
export async function replaceParts(
  layout: Layout,
  { directory, replaced, parts }: Omit<CompactedDay, "next">,
): Promise<void> {
  const target = join(layout.outputDirectory, directory);
  const { joined, day } = compactingPaths(layout, directory);
  const names = parts.map(({ path }) => basename(path));
  if (!existsSync(day)) {
    if (!names.some((name) => existsSync(join(joined, name)))) return;
    await rename(target, day);
    await syncDirectory(dirname(day));
    await syncDirectory(dirname(target));
  }
  for (const path of replaced) await rm(join(day, basename(path)), { force: true });
  for (const name of names) {
    if (existsSync(join(joined, name))) await rename(join(joined, name), join(day, name));
  }
  await syncDirectory(day);
  await moveDurably(day, target);
}
