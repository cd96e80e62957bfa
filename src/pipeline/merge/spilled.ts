import { formatDay } from "../../base/day.js";
import { SwitchyardError } from "../../base/errors.js";
import { readSpillIndex, SpillDamage } from "../../sinks/spill/spill-files.js";
import { spillPathOf } from "../../sinks/spill/spill-names.js";
import type { Layout } from "../ledger/layout.js";
import type { SplitRecord } from "../ledger/ledger.js";
import { inOrder, sum } from "../run-accounts.js";
import { isDayMerged, type MergeState } from "./merge-ledger.js";
import { SpilledTotals } from "./merge-plan.js";

/** Rows of a day that are in no part yet. */
export interface PendingDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly rows: number;
}

/** The splits whose spill file is missing or not what the record says, as far as its index tells. */
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

/** What these splits have spilled, by day. Throws `SpillDamage`, and where the sums do not add up. */
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
    `${spilled} rows spilled, but ${found} in the indexes of the spill files: this is a defect of Switchyard`,
  );
}

/** The days, in order, whose spilled rows no merge has brought to their parts. */
export function findPending(
  layout: Layout,
  records: readonly SplitRecord[],
  state: MergeState,
): readonly PendingDay[] {
  return totalSpilled(layout, records)
    .inOrder()
    .map(([day, { rows }]) => ({ day: formatDay(day), rows }))
    .filter(({ day }) => !isDayMerged(state, day));
}
