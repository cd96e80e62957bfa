import { existsSync } from "node:fs";
import { DUPLICATE_COUNTS_MAX } from "../../base/limits.js";
import type { Layout } from "../ledger/layout.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { ManifestDuplicates } from "../manifest.js";
import type { RunOptions } from "../options.js";
import { inOrder, sum } from "../run-accounts.js";
import type { WorkerPool } from "../worker/worker-pool.js";
import { countRepeated } from "./compare-keys.js";
import type { DedupeOptions } from "./dedupe-options.js";
import { keyFileOf, keyLayoutOf } from "./key-layout.js";

/**
 * Counts the events that `dedupe` would remove, from key files that a dry run has written beside its
 * profiles. Returns undefined if it was interrupted.
 */
export async function countDuplicates(
  options: RunOptions & { readonly dedupe: DedupeOptions },
  layout: Layout,
  records: readonly SplitRecord[],
  pool: WorkerPool,
  signal: AbortSignal,
): Promise<(ManifestDuplicates & { readonly rows: number }) | undefined> {
  const paths = keyLayoutOf(layout);
  const files = inOrder(records)
    .map(({ id }) => ({ path: keyFileOf(paths, id), isPrior: false }))
    .filter(({ path }) => existsSync(path));
  pool.begin({ options, reads: "keys", maxTimeMs: 0, epoch: 0, splits: files.length });
  try {
    const counted = await countRepeated(files, paths, pool);
    const [days, sources, events] = [new Counts(), new Counts(), new Counts()];
    for (const split of counted) {
      for (const [source, rows] of split.sources) sources.add(source, rows);
      for (const [[day, event], rows] of split.groups) {
        days.add(day, rows);
        events.add(event, rows);
      }
    }
    const { within, by } = options.dedupe;
    return {
      rows: sum(sources.most(), ([, rows]) => rows),
      within,
      by: [...by],
      days: days
        .most()
        .map(([day, rows]) => ({ day, rows }))
        .filter(({ day }) => day !== "")
        .sort((one, other) => (one.day < other.day ? -1 : 1))
        .slice(0, DUPLICATE_COUNTS_MAX),
      sources: sources.most(DUPLICATE_COUNTS_MAX).map(([source, rows]) => ({ source, rows })),
      events: events.most(DUPLICATE_COUNTS_MAX).map(([event, rows]) => ({ event, rows })),
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

class Counts {
  readonly #rows = new Map<string, number>();

  add(name: string, rows: number): void {
    this.#rows.set(name, (this.#rows.get(name) ?? 0) + rows);
  }

  /** The most rows first, ties by name: threads add in any order. */
  most(max = Number.POSITIVE_INFINITY): [name: string, rows: number][] {
    return [...this.#rows]
      .sort(([name, rows], [other, others]) => others - rows || (name < other ? -1 : 1))
      .slice(0, max);
  }
}
