import { dirname, join } from "node:path";
import { SYNC_CONCURRENCY } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { DayPartsOptions, FinishedPart } from "./day-parts.js";
import type { Commitment, SpillFile, WrittenEvents } from "./sink.js";

/** A finished spill file, with its temporary path and its final path; both are absolute. */
export interface FinishedSpill {
  readonly temporaryPath: string;
  readonly path: string;
  readonly file: SpillFile;
}

/**
 * The finished parts of a split, in its temporary directory. A commit syncs them and then renames
 * them to their days, ordered by path. After a kill between two renames there are only whole parts,
 * and running the split again writes the same bytes under the same names.
 */
export class FinishedParts implements WrittenEvents {
  readonly rows: number;
  /** Final paths of parts that an unfinished commit has renamed. */
  readonly #moved: string[] = [];
  #isCommitted = false;

  /** `outputDirectory` is absolute. */
  constructor(
    private readonly finished: readonly FinishedPart[],
    private readonly outputDirectory: string,
    private readonly options: Pick<
      DayPartsOptions,
      "files" | "dataset" | "temporaryDirectory" | "namedDirectories"
    >,
    private readonly spill?: FinishedSpill,
  ) {
    const rows = finished.reduce((sum, { part }) => sum + part.rows, 0);
    this.rows = rows + (spill?.file.rows ?? 0);
  }

  async commit(): Promise<Commitment> {
    const { files, temporaryDirectory } = this.options;
    const written = this.spill === undefined ? this.finished : [...this.finished, this.spill];
    await mapBounded(written, SYNC_CONCURRENCY, ({ temporaryPath }) =>
      files.sync(temporaryPath, "file"),
    );
    await this.#publish();
    this.#isCommitted = true;
    await files.remove(temporaryDirectory);
    const parts = this.finished.map(({ part }) => part);
    return { parts, counts: {}, ...omitUndefined({ spill: this.spill?.file }) };
  }

  async abort(): Promise<void> {
    if (this.#isCommitted) return;
    const { files, temporaryDirectory } = this.options;
    // A failure to remove it does no harm: running the split again replaces it. The first error
    // matters more.
    await Promise.allSettled(
      [...this.#moved, temporaryDirectory].map((path) => files.remove(path)),
    );
  }

  async #publish(): Promise<void> {
    const { outputDirectory, finished, spill } = this;
    const { files, dataset, namedDirectories } = this.options;
    const moves = finished.map(({ temporaryPath, part }) => ({
      temporaryPath,
      target: join(outputDirectory, part.path),
    }));
    if (spill !== undefined) moves.push({ temporaryPath: spill.temporaryPath, target: spill.path });
    const directories = [...new Set(moves.map(({ target }) => dirname(target)))];
    for (const directory of directories) await files.makeDirectory(directory);
    for (const { temporaryPath, target } of moves) {
      await files.rename(temporaryPath, target);
      this.#moved.push(target);
    }
    const unnamed = directories.filter((directory) => !namedDirectories.has(directory));
    // Parents of directories that may be new.
    const above = new Set(unnamed.map((directory) => dirname(directory)));
    if (above.has(join(outputDirectory, dataset))) above.add(outputDirectory);
    // Sync all at once: the disk writes concurrent requests together. The split is committed when
    // all names are on the disk.
    await mapBounded([...directories, ...above], SYNC_CONCURRENCY, (path) =>
      files.sync(path, "directory"),
    );
    for (const directory of unnamed) namedDirectories.add(directory);
  }
}
