import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { moveDurably, syncDirectory, writeDurably } from "../../base/durable-file.js";
import type { Immutable } from "../../base/immutable.js";
import { makeDirectory } from "../../base/make-directory.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { asOutput } from "../../base/output-error.js";
import { sum } from "../../base/sum.js";
import type { PartFile } from "../../sinks/sink.js";
import type { Layout } from "../ledger/layout.js";
import { listOrNone, readRecord } from "../ledger/ledger.js";
import { partSchema } from "../ledger/ledger-records.js";
import type { Manifest, ManifestFile } from "../manifest.js";
import { readManifest, writeManifest } from "../manifest-file.js";

const compactedDaySchema = z.object({
  /** Relative to the output directory. */
  directory: z.string(),
  /** Paths of the parts that `parts` replace, including those of earlier compactions. */
  replaced: z.array(z.string()),
  parts: z.array(partSchema),
  /** Number of the next joined part. */
  next: z.int().min(0),
});

/** Joined parts of a day directory; recorded before it changes. */
export type CompactedDay = Immutable<z.infer<typeof compactedDaySchema>>;

/** The parts of an output that were joined after it was finished. The records of splits list the old ones. */
export class CompactedParts {
  readonly replaced: ReadonlySet<string>;
  readonly parts: readonly PartFile[];

  constructor(readonly days: readonly CompactedDay[]) {
    this.replaced = new Set(days.flatMap(({ replaced }) => replaced));
    this.parts = days.flatMap(({ parts }) => parts);
  }

  /** Returns the parts as they are in the day directories. */
  apply(parts: readonly PartFile[]): readonly PartFile[] {
    if (this.days.length === 0) return parts;
    return [...parts.filter(({ path }) => !this.replaced.has(path)), ...this.parts];
  }

  /** Returns the manifest of the day directories as they are. */
  applyTo(manifest: Manifest): Manifest {
    const days = manifest.days.map((day) => {
      const known = day.files.filter(({ path }) => !this.replaced.has(path));
      const paths = new Set(known.map(({ path }) => path));
      const joined = this.parts.filter((part) => part.day === day.day && !paths.has(part.path));
      const files = [...known, ...joined.map(fileOf)];
      return { ...day, bytes: sum(files, ({ bytes }) => bytes), files };
    });
    const files = days.flatMap((day) => day.files);
    const bytes = sum(files, (file) => file.bytes);
    return { ...manifest, totals: { ...manifest.totals, bytes, files: files.length }, days };
  }
}

/** Reads the records of joined parts; empty if there are none. */
export async function readCompacted({ compactedDirectory }: Layout): Promise<CompactedParts> {
  const days: CompactedDay[] = [];
  for (const name of (await listOrNone(compactedDirectory)).sort()) {
    if (!name.endsWith(".json")) continue;
    const day = await readRecord(join(compactedDirectory, name), compactedDaySchema);
    if (day !== undefined) days.push(day);
  }
  return new CompactedParts(days);
}

export async function writeCompacted(
  { compactedDirectory, ledgerDirectory, temporaryDirectory }: Layout,
  day: CompactedDay,
): Promise<void> {
  const path = join(compactedDirectory, `${flatName(day.directory)}.json`);
  await asOutput(path, async () => {
    await makeDirectory(temporaryDirectory);
    await makeDirectory(compactedDirectory);
    await syncDirectory(ledgerDirectory);
    await writeDurably(path, `${JSON.stringify(day)}\n`, { temporaryDirectory });
  });
}

/** Returns a name for the path of a directory. */
function flatName(directory: string): string {
  return directory.replaceAll("/", "+");
}

/** Returns a part as the manifest lists it. */
export function fileOf({ path, event, rows, bytes, sha256, ...times }: PartFile): ManifestFile {
  return {
    path,
    ...omitUndefined({ event }),
    rows,
    bytes,
    sha256,
    firstTimestamp: new Date(times.firstTimestamp).toISOString(),
    lastTimestamp: new Date(times.lastTimestamp).toISOString(),
  };
}

/**
 * Returns the directory of a day's joined parts until they replace the small ones, and the
 * directory that the day is moved to meanwhile.
 */
export function compactingPaths(
  { compactingDirectory }: Layout,
  directory: string,
): { readonly joined: string; readonly day: string } {
  const work = join(compactingDirectory, flatName(directory));
  return { joined: join(work, "joined"), day: join(work, "day") };
}

/** Finishes a compaction that was killed, as far as it was recorded, and writes the manifest. */
export async function finishCompaction(layout: Layout): Promise<void> {
  const { compactingDirectory, manifestFile, temporaryDirectory } = layout;
  if (!existsSync(compactingDirectory)) return;
  await asOutput(compactingDirectory, async () => {
    const compacted = await readCompacted(layout);
    for (const day of compacted.days) await replaceParts(layout, day);
    if (existsSync(manifestFile)) {
      const manifest = compacted.applyTo(await readManifest(manifestFile));
      await makeDirectory(temporaryDirectory);
      await writeManifest(layout, manifest);
    }
    await rm(compactingDirectory, { recursive: true, force: true });
  });
}

/**
 * Moves a day away, replaces its small parts by the joined ones, and moves it back: the day is
 * missing for a moment, but no row is ever there twice. Does nothing if the parts are already
 * replaced. It can be repeated after a kill at any moment.
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
