import { dirname, join } from "node:path";
import { SYNC_CONCURRENCY } from "../base/limits.js";
import { mapBounded } from "../base/map-bounded.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { sum } from "../base/sum.js";
import type { DayPartsOptions, FinishedPart } from "./day-parts.js";
import type { Commitment, PartFile, SpillFile, WrittenEvents } from "./sink.js";
import { spillIndexPathOf } from "./spill/spill-files.js";
import { stagedPathOf } from "./staged-parts.js";

/** A finished spill file, with its temporary path and its final path; both are absolute. Its index is beside it. */
export interface FinishedSpill {
  readonly temporaryPath: string;
  readonly path: string;
  readonly file: SpillFile;
}

/** Rows of a split that wait to be merged. */
interface WaitingRows {
  readonly spill?: FinishedSpill | undefined;
  /** Small parts, to be joined with others of their days. */
  readonly staged?: readonly FinishedPart[];
}

/** A file that a commit gives its final name; both paths are absolute. */
interface Move {
  readonly from: string;
  readonly target: string;
  /** `from` is durable, and stays: the merge can be repeated, also by two processes at the same time. */
  readonly isStaged: boolean;
}

/**
 * The finished parts of a split, in its temporary directory. A commit syncs them and then renames
 * them to their days, ordered by path. After a kill between two renames there are only whole parts,
 * and running the split again writes the same bytes under the same names.
 */
export class FinishedParts implements WrittenEvents {
  readonly rows: number;
  /** The final names of an unfinished commit. */
  readonly #named: string[] = [];
  readonly #staged: readonly FinishedPart[];
  #isCommitted = false;

  /** `outputDirectory` is absolute. */
  constructor(
    private readonly finished: readonly FinishedPart[],
    private readonly outputDirectory: string,
    private readonly options: Pick<
      DayPartsOptions,
      "files" | "dataset" | "temporaryDirectory" | "namedDirectories"
    >,
    private readonly waiting: WaitingRows = {},
  ) {
    this.#staged = waiting.staged ?? [];
    const rows = sum([...finished, ...this.#staged], ({ part }) => part.rows);
    this.rows = rows + (waiting.spill?.file.rows ?? 0);
  }

  async commit(): Promise<Commitment> {
    const { files, temporaryDirectory } = this.options;
    const moves = this.#moves();
    const written = moves.filter(({ isStaged }) => !isStaged);
    await mapBounded(written, SYNC_CONCURRENCY, ({ from }) => files.sync(from, "file"));
    await this.#publish(moves);
    this.#isCommitted = true;
    await files.remove(temporaryDirectory);
    const [parts, staged] = [this.finished, this.#staged].map((list) =>
      list.map(({ part }) => part),
    ) as [PartFile[], PartFile[]];
    return {
      parts,
      ...(staged.length === 0 ? {} : { staged }),
      ...omitUndefined({ spill: this.waiting.spill?.file }),
      counts: {},
    };
  }

  async abort(): Promise<void> {
    if (this.#isCommitted) return;
    const { files, temporaryDirectory } = this.options;
    // A failure to remove it does no harm: running the split again replaces it. The first error
    // matters more.
    await Promise.allSettled([
      ...this.#named.map((target) => files.remove(target)),
      files.remove(temporaryDirectory),
    ]);
  }

  #moves(): readonly Move[] {
    const { outputDirectory, finished } = this;
    const { spill } = this.waiting;
    const moves = finished.map(
      ({ temporaryPath, part, isStaged = false }): Move => ({
        from: temporaryPath,
        target: join(outputDirectory, part.path),
        isStaged,
      }),
    );
    for (const { temporaryPath, part } of this.#staged) {
      const target = stagedPathOf(outputDirectory, part);
      moves.push({ from: temporaryPath, target, isStaged: false });
    }
    if (spill !== undefined) {
      const { temporaryPath: from, path: target } = spill;
      moves.push(
        { from, target, isStaged: false },
        { from: spillIndexPathOf(from), target: spillIndexPathOf(target), isStaged: false },
      );
    }
    return moves;
  }

  async #publish(moves: readonly Move[]): Promise<void> {
    const { outputDirectory } = this;
    const { files, dataset, namedDirectories } = this.options;
    const directories = [...new Set(moves.map(({ target }) => dirname(target)))];
    for (const directory of directories) await files.makeDirectory(directory);
    for (const { from, target, isStaged } of moves) {
      await (isStaged ? files.link(from, target) : files.rename(from, target));
      this.#named.push(target);
    }
    const unnamed = directories.filter((directory) => !namedDirectories.has(directory));
    // Parents of directories that may be new: the dataset, and days that have directories of events.
    const above = new Set(unnamed.map((directory) => dirname(directory)));
    const datasetDirectory = join(outputDirectory, dataset);
    for (const directory of above)
      if (directory.startsWith(datasetDirectory)) above.add(dirname(directory));
    // Sync all at once: the disk writes concurrent requests together. The split is committed when
    // all names are on the disk.
    await mapBounded([...directories, ...above], SYNC_CONCURRENCY, (path) =>
      files.sync(path, "directory"),
    );
    for (const directory of unnamed) namedDirectories.add(directory);
  }
}
