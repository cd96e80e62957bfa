import { createHash } from "node:crypto";
import { MERGES_MAX } from "../../base/limits.js";
import type { SpillIndex } from "../../sinks/spill/spill-index.js";
import type { SplitRecord } from "../ledger/ledger.js";
import { inOrder, sum } from "../run-accounts.js";

/** Days in a row whose spilled rows are merged together and committed as a whole. */
export interface PlannedMerge {
  /** Six digits. */
  readonly id: string;
  /** Days since 1970-01-01, the last one included. */
  readonly firstDay: number;
  readonly lastDay: number;
  readonly days: number;
  readonly rows: number;
  /** Of the packs. */
  readonly bytes: number;
}

/** How what splits have spilled is merged. */
export interface MergePlan {
  /** Stands for the content of all spill files: merges of others are of no use. */
  readonly spilled: string;
  readonly merges: readonly PlannedMerge[];
}

interface DayTotal {
  rows: number;
  bytes: number;
}

/** What was spilled, by day. Holds nothing but the sums. */
export class SpilledTotals {
  readonly #days = new Map<number, DayTotal>();

  add(index: SpillIndex): void {
    for (let place = 0; place < index.packs; place++) {
      const { day, rows, bytes } = index.pack(place);
      const total = this.#days.get(day);
      if (total === undefined) this.#days.set(day, { rows, bytes });
      else {
        total.rows += rows;
        total.bytes += bytes;
      }
    }
  }

  /** Days since 1970-01-01 with their sums, in order. */
  inOrder(): readonly (readonly [day: number, total: Readonly<DayTotal>])[] {
    return [...this.#days].sort(([one], [other]) => one - other);
  }
}

/**
 * Packs days in their order: a merge is closed before it would exceed `mergeBytes`, or more where there
 * would be very many. A day is never divided. Pure.
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
        ...{ lastDay: day, days: open.days + 1 },
        ...{ rows: open.rows + rows, bytes: open.bytes + bytes },
      };
    }
  }
  return merges;
}

/** What `MergePlan.spilled` is for these splits. */
export function digestOfSpilled(records: readonly SplitRecord[]): string {
  const facts = inOrder(records).flatMap(({ id, spill }) =>
    spill === undefined ? [] : [[id, spill.rows, spill.bytes, spill.packs, spill.indexSha256]],
  );
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}
