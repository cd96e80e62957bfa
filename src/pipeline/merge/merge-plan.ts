import { createHash } from "node:crypto";
import { SwitchyardError } from "../../base/errors.js";
import { MERGES_MAX } from "../../base/limits.js";
import { readSpillIndex, SpillDamage, spillPathOf } from "../../sinks/spill/spill-files.js";
import type { SpillIndex } from "../../sinks/spill/spill-index.js";
import type { Layout } from "../ledger/layout.js";
import type { PlannedMerge, SplitRecord } from "../ledger/ledger-records.js";
import { inOrder, sum } from "../run-accounts.js";

interface DayTotal {
  rows: number;
  bytes: number;
}

/** Rows and bytes of spill files, added up by day. */
export class SpilledTotals {
  readonly #days = new Map<number, DayTotal>();

  add(index: SpillIndex): void {
    for (let pack = 0; pack < index.packs; pack++) {
      const { day, rows, bytes } = index.pack(pack);
      const total = this.#days.get(day);
      if (total === undefined) this.#days.set(day, { rows, bytes });
      else {
        total.rows += rows;
        total.bytes += bytes;
      }
    }
  }

  /** Days since 1970-01-01 with their totals, in order. */
  inOrder(): readonly (readonly [day: number, total: Readonly<DayTotal>])[] {
    return [...this.#days].sort(([one], [other]) => one - other);
  }
}

/** Adds up what splits have spilled. Throws `SpillDamage`, and `accounts_differ` if rows are missing. */
export function totalSpilled(
  { outputDirectory }: Layout,
  records: readonly SplitRecord[],
): SpilledTotals {
  const totals = new SpilledTotals();
  for (const { id, spill } of inOrder(records)) {
    if (spill !== undefined) totals.add(readSpillIndex(spillPathOf(outputDirectory, id), spill));
  }
  const spilled = sum(records, ({ spill }) => spill?.rows ?? 0);
  const found = sum(totals.inOrder(), ([, { rows }]) => rows);
  if (spilled === found) return totals;
  throw new SwitchyardError(
    "accounts_differ",
    `${spilled} rows were spilled, but the indexes of the spill files list ${found}; this is a defect of Switchyard`,
  );
}

/** Returns the splits whose spill file is missing or does not match the record, as far as its index tells. */
export function findDamaged(
  { outputDirectory }: Layout,
  records: readonly SplitRecord[],
): readonly SplitRecord[] {
  return records.filter(({ id, spill }) => {
    if (spill === undefined) return false;
    try {
      readSpillIndex(spillPathOf(outputDirectory, id), spill);
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
export function planMerges(totals: SpilledTotals, mergeBytes: number): readonly PlannedMerge[] {
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

/** Returns the digest of all spill files that a merge plan keeps as `spilled`. */
export function digestOfSpilled(records: readonly SplitRecord[]): string {
  const facts = inOrder(records).flatMap(({ id, spill }) =>
    spill === undefined ? [] : [[id, spill.rows, spill.bytes, spill.packs, spill.indexSha256]],
  );
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
