import { join } from "node:path";
import { z } from "zod";
import { isThere, syncDirectory, writeDurably } from "../base/durable-file.js";
import type { Immutable } from "../base/immutable.js";
import { makeDirectory } from "../base/make-directory.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { asOutput } from "../base/output-error.js";
import { sum } from "../base/sum.js";
import type { Layout } from "../output/layout.js";
import type { PartFile } from "../sinks/sink.js";
import { listOrNone, readRecord } from "./ledger.js";
import { partSchema } from "./ledger-records.js";
import type { Manifest, ManifestFile } from "./manifest.js";

export const joinedPartSchema = partSchema.extend({
  /** Paths of the parts that it replaces, in their order, and of those that these have replaced. */
  from: z.array(z.string()),
  /** Sum of the sizes of the parts of splits that are in it: decides which files are joined. */
  joinedBytes: z.int().min(0),
});

/** A part that `compact` has made of several. */
export type JoinedPart = Immutable<z.infer<typeof joinedPartSchema>>;

export const compactedDaySchema = z.object({
  /** Relative to the output directory. */
  directory: z.string(),
  parts: z.array(joinedPartSchema),
  /** Number of the next joined part: a name is never used twice. */
  next: z.int().min(0),
});

/** The joined parts of a day directory. */
type CompactedDay = Immutable<z.infer<typeof compactedDaySchema>>;

/** The parts of an output that were joined after it was finished. The records of splits list the old ones. */
export class CompactedParts {
  readonly parts: readonly JoinedPart[];
  /** Joined parts by their own path, and by the paths of all parts that they replace. */
  readonly #homes: ReadonlyMap<string, JoinedPart>;

  constructor(readonly days: readonly CompactedDay[]) {
    this.parts = days.flatMap(({ parts }) => parts);
    this.#homes = new Map(
      this.parts.flatMap((part) => [part.path, ...part.from].map((path) => [path, part])),
    );
  }

  /** Paths of the parts that joined ones replace, including those of earlier compactions. */
  get replaced(): ReadonlySet<string> {
    return new Set(this.parts.flatMap(({ from }) => from));
  }

  /** Returns the size of a file for the choice of what is joined: it does not depend on what was joined before. */
  joinedBytesOf({ path, bytes }: ManifestFile): number {
    return this.#homes.get(path)?.joinedBytes ?? bytes;
  }

  /** Returns the records with that of one directory replaced. */
  with(day: CompactedDay): CompactedParts {
    return new CompactedParts([
      ...this.days.filter(({ directory }) => directory !== day.directory),
      day,
    ]);
  }

  /** Returns the parts as they are in the day directories. */
  apply(parts: readonly PartFile[]): readonly PartFile[] {
    return this.#arrange(parts, (part) => part);
  }

  /** Returns the manifest of the day directories as they are. */
  applyTo(manifest: Manifest): Manifest {
    const days = manifest.days.map((day) => {
      const files = this.#arrange(day.files, fileOf);
      return { ...day, bytes: sum(files, ({ bytes }) => bytes), files };
    });
    const files = days.flatMap((day) => day.files);
    const bytes = sum(files, (file) => file.bytes);
    return { ...manifest, totals: { ...manifest.totals, bytes, files: files.length }, days };
  }

  /** Puts each joined part in the place of the first one that it replaces. */
  #arrange<Part extends { readonly path: string }>(
    parts: readonly Part[],
    partOf: (joined: JoinedPart) => Part,
  ): readonly Part[] {
    const placed = new Set<JoinedPart>();
    return parts.flatMap((part) => {
      const home = this.#homes.get(part.path);
      if (home === undefined) return [part];
      if (placed.has(home)) return [];
      placed.add(home);
      return [partOf(home)];
    });
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

/** Records the joined parts of a directory and returns the path of the record. */
export async function writeCompacted(layout: Layout, day: CompactedDay): Promise<string> {
  const { compactedDirectory, ledgerDirectory, temporaryDirectory } = layout;
  const path = join(compactedDirectory, `${flatName(day.directory)}.json`);
  await asOutput(path, async () => {
    await makeDirectory(temporaryDirectory);
    if (!isThere(compactedDirectory)) {
      await makeDirectory(compactedDirectory);
      await syncDirectory(ledgerDirectory);
    }
    await writeDurably(path, `${JSON.stringify(day)}\n`, { temporaryDirectory });
  });
  return path;
}

/** Returns a name for the path of a directory. */
export function flatName(directory: string): string {
  return directory.replaceAll("/", "+");
}

/** Returns a part as the manifest lists it. */
export function fileOf(part: PartFile): ManifestFile {
  const { path, event, rows, bytes, sha256, firstTimestamp, lastTimestamp } = part;
  return {
    path,
    ...omitUndefined({ event }),
    rows,
    bytes,
    sha256,
    firstTimestamp: new Date(firstTimestamp).toISOString(),
    lastTimestamp: new Date(lastTimestamp).toISOString(),
  };
}
