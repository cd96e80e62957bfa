import { join } from "node:path";
import { z } from "zod";
import { syncDirectory, writeDurably } from "../../base/durable-file.js";
import type { Immutable } from "../../base/immutable.js";
import { makeDirectory } from "../../base/make-directory.js";
import { omitUndefined } from "../../base/omit-undefined.js";
import { asOutput } from "../../base/output-error.js";
import type { PartFile } from "../../sinks/sink.js";
import type { Layout } from "../ledger/layout.js";
import { listOrNone, readRecord } from "../ledger/ledger.js";
import { partSchema } from "../ledger/ledger-records.js";
import type { Manifest, ManifestFile } from "../manifest.js";

const compactedDaySchema = z.object({
  /** Relative to the output directory. */
  directory: z.string(),
  /** Paths of the parts whose rows are in `parts` now, also those of earlier compactions. */
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
      return { ...day, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files };
    });
    const files = days.flatMap((day) => day.files);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return { ...manifest, totals: { ...manifest.totals, bytes, files: files.length }, days };
  }
}

/** Reads what was joined; nothing if nothing was. */
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
export function flatName(directory: string): string {
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
