import { formatDay, parseDay } from "../../base/day.js";
import { SwitchyardError } from "../../base/errors.js";
import { MERGES_MAX } from "../../base/limits.js";
import { sum } from "../../base/sum.js";
import type { PlannedMerge, SplitRecord } from "../../ledger/ledger-records.js";
import { isDayMerged, type MergeState } from "../../ledger/merge-state.js";
import type { OutputListing } from "../../ledger/output-listing.js";
import { inOrder } from "../../ledger/run-accounts.js";
import { type Layout, pathIn } from "../../output/layout.js";
import type { PartFile } from "../../sinks/sink.js";
import type { SpilledPacks } from "../../sinks/spill/pack-groups.js";
import { readSpillIndex, SpillDamage, spillPathOf } from "../../sinks/spill/spill-files.js";
import type { SpillIndex } from "../../sinks/spill/spill-index.js";
import { stagedPathOf } from "../../sinks/staged-parts.js";

interface DayTotal {
  rows: number;
  bytes: number;
}

/** Rows and bytes of spill files and staged parts, added up by day. */
export class WaitingTotals {
  readonly #days = new Map<number, DayTotal>();

  add(index: SpillIndex): void {
    for (let pack = 0; pack < index.packs; pack++) {
      const { day, rows, bytes } = index.pack(pack);
      this.#add(day, rows, bytes);
    }
  }

  addPart({ day, rows, bytes }: PartFile): void {
    this.#add(parseDay(day), rows, bytes);
  }

  /** Days since 1970-01-01 with their totals, in order. */
  inOrder(): readonly (readonly [day: number, total: Readonly<DayTotal>])[] {
    return [...this.#days].sort(([one], [other]) => one - other);
  }

  #add(day: number, rows: number, bytes: number): void {
    const total = this.#days.get(day);
    if (total === undefined) this.#days.set(day, { rows, bytes });
    else {
      total.rows += rows;
      total.bytes += bytes;
    }
  }
}

/** Adds up what splits have spilled and staged. Throws `SpillDamage`, and `accounts_differ` if rows are missing. */
export function totalWaiting(
  { outputDirectory }: Layout,
  records: readonly SplitRecord[],
): WaitingTotals {
  const totals = new WaitingTotals();
  for (const { id, spill } of inOrder(records)) {
    if (spill !== undefined) totals.add(readSpillIndex(spillPathOf(outputDirectory, id), spill));
  }
  const spilled = sum(records, ({ spill }) => spill?.rows ?? 0);
  const found = sum(totals.inOrder(), ([, { rows }]) => rows);
  if (spilled !== found)
    throw new SwitchyardError(
      "accounts_differ",
      `${spilled} rows were spilled, but the indexes of the spill files list ${found}; this is a defect of Switchyard`,
    );
  for (const { staged = [] } of records) for (const part of staged) totals.addPart(part);
  return totals;
}

/**
 * Returns the splits with a missing staged part, or a spill file whose size or index differs from
 * the record. `canMove`: staged parts can be moved back from their days.
 */
export function findDamaged(
  layout: Layout,
  records: readonly SplitRecord[],
  listing: OutputListing,
  canMove: boolean,
): readonly SplitRecord[] {
  const { outputDirectory } = layout;
  const bytesOf = (file: string) => listing.get(pathIn(layout, file))?.bytes;
  const isThere = (part: PartFile) =>
    bytesOf(stagedPathOf(outputDirectory, part)) === part.bytes ||
    // The staged part of a finished export is in its day.
    (canMove && listing.get(part.path)?.bytes === part.bytes);
  return records.filter(({ id, spill, staged = [] }) => {
    if (!staged.every(isThere)) return true;
    if (spill === undefined) return false;
    const path = spillPathOf(outputDirectory, id);
    if (bytesOf(path) !== spill.bytes) return true;
    try {
      readSpillIndex(path, spill);
      return false;
    } catch (error) {
      if (error instanceof SpillDamage) return true;
      throw error;
    }
  });
}

/**
 * Packs days into merges, in order: a merge is closed before it would exceed `mergeBytes`, or a
 * larger size if there would be more than `MERGES_MAX`. A day is never divided. Pure.
 */
export function planMerges(totals: WaitingTotals, mergeBytes: number): readonly PlannedMerge[] {
  const days = totals.inOrder();
  const bytesMax = Math.max(mergeBytes, sum(days, ([, { bytes }]) => bytes) / MERGES_MAX);
  const merges: PlannedMerge[] = [];
  for (const [day, { rows, bytes }] of days) {
    const open = merges.at(-1);
    if (open === undefined || open.bytes + bytes > bytesMax) {
      const id = String(merges.length).padStart(6, "0");
      merges.push({ id, firstDay: day, lastDay: day, days: 1, rows, bytes });
    } else {
      merges[merges.length - 1] = {
        ...open,
        lastDay: day,
        days: open.days + 1,
        rows: open.rows + rows,
        bytes: open.bytes + bytes,
      };
    }
  }
  return merges;
}

/**
 * Reads the indexes of spill files and finds the packs of each merge, in the order of their days.
 * The returned function takes a merge and returns its packs. Throws `SpillDamage`.
 */
export function locatePacks(
  { outputDirectory }: Layout,
  records: readonly SplitRecord[],
  merges: readonly PlannedMerge[],
): (merge: number) => readonly SpilledPacks[] {
  const splits = inOrder(records).flatMap(({ id: splitId, spill }) => {
    if (spill === undefined) return [];
    const index = readSpillIndex(spillPathOf(outputDirectory, splitId), spill);
    const starts = Uint32Array.from(merges, ({ firstDay }) => index.firstFrom(firstDay));
    const { bytes, packs } = spill;
    return { splitId, bytes, packs, starts };
  });
  return (merge) =>
    splits.flatMap(({ splitId, bytes, packs, starts }) => {
      const first = starts[merge] ?? packs;
      const count = (starts[merge + 1] ?? packs) - first;
      return count === 0 ? [] : { splitId, bytes, first, count };
    });
}

/** Rows of a day that are in no part yet. */
export interface PendingDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly rows: number;
}

/** Returns, in order, the days whose waiting rows are not merged into parts. */
export function findPending(
  layout: Layout,
  records: readonly SplitRecord[],
  state: MergeState,
): readonly PendingDay[] {
  return totalWaiting(layout, records)
    .inOrder()
    .map(([day, { rows }]) => ({ day: formatDay(day), rows }))
    .filter(({ day }) => !isDayMerged(state, day));
}
