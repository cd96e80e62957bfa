import { dirname, join } from "node:path";
import { SYNC_CONCURRENCY } from "../base/limits.js";
import type { DayPartsOptions, FinishedPart } from "./day-parts.js";
import type { Commitment, SpillFile, WrittenEvents } from "./sink.js";

/** A spill file that is whole, where it was written and where it is to be; paths are absolute. */
export interface FinishedSpill {
  readonly temporaryPath: string;
  readonly path: string;
  readonly file: SpillFile;
}

/**
 * All parts of a split, as yet in its temporary directory. They are synced first and then renamed
 * to where they belong, in the order of their paths. A kill between two renames leaves whole parts
 * only; redoing the split writes the same names with the same bytes over them.
 */
export class FinishedParts implements WrittenEvents {
  readonly rows: number;
  /** Where parts have been moved to by a commit that is not through. */
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
    await forEach(written, SYNC_CONCURRENCY, ({ temporaryPath }) =>
      files.sync(temporaryPath, "file"),
    );
    await this.#publish();
    this.#isCommitted = true;
    await files.remove(temporaryDirectory);
    const parts = this.finished.map(({ part }) => part);
    return { parts, counts: {}, ...(this.spill === undefined ? {} : { spill: this.spill.file }) };
  }

  async abort(): Promise<void> {
    if (this.#isCommitted) return;
    const { files, temporaryDirectory } = this.options;
    // What cannot be removed now does no harm: doing the split again replaces it. The error that
    // led here says more than one of this could.
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
    // Directories that may be new, above those that get files.
    const above = new Set(unnamed.map((directory) => dirname(directory)));
    if (above.has(join(outputDirectory, dataset))) above.add(outputDirectory);
    // All at once: the disk takes what waits for it together, and the split is not committed before
    // all names are there.
    await forEach([...directories, ...above], SYNC_CONCURRENCY, (path) =>
      files.sync(path, "directory"),
    );
    for (const directory of unnamed) namedDirectories.add(directory);
  }
}

/**
 * Runs `work` on each item, at most `concurrency` at a time. After an error no more are begun; it
 * is thrown once those at work have come to an end.
 */
async function forEach<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of queue) {
      if (errors.length > 0) return;
      await work(item).catch((error: unknown) => errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  if (errors.length > 0) throw errors[0];
}
