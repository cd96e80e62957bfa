import { formatDay } from "../../base/day.js";
import { epochOf } from "../../base/epoch.js";
import { DUPLICATE_COUNTS_MAX } from "../../base/limits.js";
import { EventFold } from "../event-fold.js";
import { type Layout, layoutOfEpoch } from "../ledger/layout.js";
import { Ledger } from "../ledger/ledger.js";
import type { SplitRecord } from "../ledger/ledger-records.js";
import type { ManifestDuplicates } from "../manifest.js";
import { inOrder } from "../run-accounts.js";
import type { DedupeOptions } from "./dedupe-options.js";

/** Adds up the removed events of committed splits. Throws if the ledger does not have them. */
export async function foldDuplicates(
  layout: Layout,
  records: readonly SplitRecord[],
  { within, by }: DedupeOptions,
): Promise<ManifestDuplicates> {
  const sources = new Map<string, number>();
  const fold = new EventFold();
  for (const { id, rows } of inOrder(records)) {
    if (rows.duplicates === undefined || rows.duplicates === 0) continue;
    const counts = await new Ledger(layoutOfEpoch(layout, epochOf(id))).readDuplicates(id);
    fold.add(counts.events);
    for (const [source, count] of counts.sources) {
      sources.set(source, (sources.get(source) ?? 0) + count);
    }
  }
  const days = [...fold.days].map(([day, names]) => {
    return { day: formatDay(day), rows: [...names.values()].reduce((sum, rows) => sum + rows, 0) };
  });
  return {
    within,
    by: [...by],
    days: days.sort((one, other) => (one.day < other.day ? -1 : 1)).slice(0, DUPLICATE_COUNTS_MAX),
    sources: most([...sources].map(([source, rows]) => ({ source, rows }))),
    events: most(fold.result([]).events.map(({ event, rows }) => ({ event, rows }))),
  };
}

/** The most rows first; of equal ones, the first in the order of the inputs. */
function most<Count extends { readonly rows: number }>(counts: readonly Count[]): Count[] {
  return [...counts].sort((one, other) => other.rows - one.rows).slice(0, DUPLICATE_COUNTS_MAX);
}
