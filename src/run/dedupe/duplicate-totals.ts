import { existsSync } from "node:fs";
import { formatDay } from "../../base/day.js";
import { epochOf } from "../../base/epoch.js";
import { DUPLICATE_COUNTS_MAX } from "../../base/limits.js";
import { sum } from "../../base/sum.js";
import { keyFileOf, keyLayoutOf } from "../../dedupe/key-layout.js";
import { EventFold } from "../../ledger/event-fold.js";
import { Ledger } from "../../ledger/ledger.js";
import type { SplitRecord } from "../../ledger/ledger-records.js";
import type { ManifestDuplicates } from "../../ledger/manifest.js";
import { inOrder } from "../../ledger/run-accounts.js";
import type { DedupeOptions } from "../../options/dedupe-options.js";
import type { RunOptions } from "../../options/options.js";
import { type Layout, layoutOfEpoch } from "../../output/layout.js";
import type { WorkerPool } from "../pool/worker-pool.js";
import { countRepeated } from "./compare-keys.js";

/**
 * Counts the events that `dedupe` would remove, from the key files of a dry run. Returns undefined
 * after an interruption.
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
    const totals = {
      days: new DuplicateTally(),
      sources: new DuplicateTally(),
      events: new DuplicateTally(),
    };
    for (const split of counted) {
      for (const [source, rows] of split.sources) totals.sources.add(source, rows);
      for (const [[day, event], rows] of split.groups) {
        if (day !== "") totals.days.add(day, rows);
        totals.events.add(event, rows);
      }
    }
    // Threads add in any order.
    totals.sources.sortByName();
    totals.events.sortByName();
    return { rows: totals.sources.sum(), ...duplicatesOf(options.dedupe, totals) };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Adds up the removed events of committed splits. Throws if the ledger does not have them. */
export async function foldDuplicates(
  layout: Layout,
  records: readonly SplitRecord[],
  dedupe: DedupeOptions,
): Promise<ManifestDuplicates> {
  const totals = {
    days: new DuplicateTally(),
    sources: new DuplicateTally(),
    events: new DuplicateTally(),
  };
  const fold = new EventFold();
  for (const { id, rows } of inOrder(records)) {
    if (rows.duplicates === undefined || rows.duplicates === 0) continue;
    const counts = await new Ledger(layoutOfEpoch(layout, epochOf(id))).readDuplicates(id);
    fold.add(counts.events);
    for (const [source, count] of counts.sources) totals.sources.add(source, count);
  }
  for (const [day, names] of fold.days)
    totals.days.add(
      formatDay(day),
      sum([...names.values()], (rows) => rows),
    );
  for (const { event, rows } of fold.result([]).events) totals.events.add(event, rows);
  return duplicatesOf(dedupe, totals);
}

interface DuplicateTotals {
  /** By YYYY-MM-DD. */
  readonly days: DuplicateTally;
  readonly sources: DuplicateTally;
  readonly events: DuplicateTally;
}

function duplicatesOf(
  { within, by }: DedupeOptions,
  { days, sources, events }: DuplicateTotals,
): ManifestDuplicates {
  return {
    within,
    by: [...by],
    days: days.first().map(([day, rows]) => ({ day, rows })),
    sources: sources.most().map(([source, rows]) => ({ source, rows })),
    events: events.most().map(([event, rows]) => ({ event, rows })),
  };
}

/** Rows by name. Lists have at most `DUPLICATE_COUNTS_MAX` names. */
class DuplicateTally {
  #rows = new Map<string, number>();

  add(name: string, rows: number): void {
    this.#rows.set(name, (this.#rows.get(name) ?? 0) + rows);
  }

  sortByName(): void {
    this.#rows = new Map([...this.#rows].sort(([name], [other]) => (name < other ? -1 : 1)));
  }

  sum(): number {
    return sum([...this.#rows.values()], (rows) => rows);
  }

  /** The first names in their order. */
  first(): [name: string, rows: number][] {
    const sorted = [...this.#rows].sort(([name], [other]) => (name < other ? -1 : 1));
    return sorted.slice(0, DUPLICATE_COUNTS_MAX);
  }

  /** The most rows first; names with equal rows stay in the order in which they were added. */
  most(): [name: string, rows: number][] {
    const sorted = [...this.#rows].sort(([, rows], [, others]) => others - rows);
    return sorted.slice(0, DUPLICATE_COUNTS_MAX);
  }
}
