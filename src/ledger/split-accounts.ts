import { SwitchyardError } from "../base/errors.js";
import { sum } from "../base/sum.js";
import type { MisplacedCommas, RowCounts } from "./manifest.js";

/** Throws `accounts_differ` if the mapper or the sink lost a row or counted one twice. */
export function checkAccounts(where: string, rows: RowCounts, written: number): void {
  const { read, added, delivered, rejected, filtered, duplicates = 0 } = rows;
  const settled = delivered + rejected + filtered + duplicates;
  if (read + added === settled && delivered === written) return;
  throw new SwitchyardError(
    "accounts_differ",
    `split ${where}: ${read} rows read and ${added} added, but ${delivered} delivered (${written} written), ${rejected} rejected, ${filtered} filtered and ${duplicates} removed as duplicates; this is a defect of Switchyard, and nothing of this split was committed`,
  );
}

/** Adds up misplaced commas in the order of the inputs; undefined if there are none. Pure. */
export function foldCommas(found: readonly MisplacedCommas[]): MisplacedCommas | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    ...first,
    places: sum(found, ({ places }) => places),
    sources: sum(found, ({ sources }) => sources),
  };
}
