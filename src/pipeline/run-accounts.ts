import { epochOf } from "../base/epoch.js";
import { omitUndefined } from "../base/omit-undefined.js";
import type { Mapping } from "../mapper/mapping.js";
import type { SplitRecord } from "./ledger/ledger-records.js";
import {
  MANIFEST_VERSION,
  type ManifestDuplicates,
  type ManifestEpoch,
  type ManifestInputs,
  type ManifestRun,
  type RejectSummary,
  type RowCounts,
  type RunAccounts,
  type SourceFailure,
} from "./manifest.js";
import { foldMissingFields } from "./missing-fields.js";
import type { Plan } from "./plan.js";
import { foldCommas } from "./worker/split-tally.js";

export interface AccountFacts {
  readonly version: string;
  /** Options as the ledger records them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Sources and splits of all epochs. */
  readonly plan: Plan;
  readonly epochs: readonly Pick<ManifestEpoch, "number" | "sources">[];
  /** Inputs whose first bytes could not be read. */
  readonly unreadable: readonly SourceFailure[];
  /** The file that lists the sources. */
  readonly inputs: ManifestInputs;
  readonly run: ManifestRun;
  /** Absent without `dedupe`. */
  readonly duplicates?: ManifestDuplicates;
}

/** Adds up the records of a run, in any order. Pure. */
export function foldAccounts(facts: AccountFacts, records: readonly SplitRecord[]): RunAccounts {
  const ordered = inOrder(records);
  const failures = foldFailures(facts, ordered);
  const complete =
    facts.unreadable.length === 0 &&
    ordered.length === facts.plan.splits.length &&
    ordered.every((record) => record.status === "complete");
  const mapping = facts.options["mapping"] as Mapping | undefined;
  const missingFields =
    mapping === undefined ? [] : foldMissingFields(mapping, facts.plan, ordered);
  const misplacedCommas = foldCommas(ordered.flatMap((record) => record.misplacedCommas ?? []));
  return {
    manifestVersion: MANIFEST_VERSION,
    version: facts.version,
    complete,
    configuration: facts.options,
    rows: foldRows(ordered),
    epochs: foldEpochs(facts, ordered),
    rejects: foldRejects(ordered),
    notices: foldNumbers(ordered.map(({ notices }) => notices)),
    ...omitUndefined({ duplicates: facts.duplicates }),
    ...(missingFields.length === 0 ? {} : { missingFields }),
    ...omitUndefined({ misplacedCommas }),
    inputs: facts.inputs,
    failures,
    run: facts.run,
  };
}

/** Returns the records in the order of the inputs. */
export function inOrder(records: readonly SplitRecord[]): readonly SplitRecord[] {
  return [...records].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Adds up numbers by name. Returns the sums sorted by name. */
export function foldNumbers(
  items: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const totals = new Map<string, number>();
  for (const [name, count] of items.flatMap((item) => Object.entries(item))) {
    totals.set(name, (totals.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...totals].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function foldEpochs(
  { epochs }: AccountFacts,
  records: readonly SplitRecord[],
): readonly ManifestEpoch[] {
  return epochs.map((epoch) => {
    const own = records.filter(({ id }) => epochOf(id) === epoch.number);
    return { ...epoch, rows: foldRows(own) };
  });
}

/** Adds up the rows of splits. */
export function foldRows(records: readonly Pick<SplitRecord, "rows">[]): RowCounts {
  const total = (count: (rows: RowCounts) => number) => sum(records, ({ rows }) => count(rows));
  return {
    read: total((rows) => rows.read),
    added: total((rows) => rows.added),
    delivered: total((rows) => rows.delivered),
    rejected: total((rows) => rows.rejected),
    filtered: total((rows) => rows.filtered),
    ...(records.some(({ rows }) => rows.duplicates !== undefined)
      ? { duplicates: total((rows) => rows.duplicates ?? 0) }
      : {}),
  };
}

/** Returns the most frequent code first. An example is the first one in the order of the inputs. */
function foldRejects(records: readonly SplitRecord[]): readonly RejectSummary[] {
  const byCode = new Map<string, RejectSummary>();
  for (const summary of records.flatMap((record) => record.rejects)) {
    const known = byCode.get(summary.code);
    const rows = (known?.rows ?? 0) + summary.rows;
    byCode.set(summary.code, { ...(known ?? summary), rows });
  }
  return [...byCode.values()].sort((a, b) => b.rows - a.rows || (a.code < b.code ? -1 : 1));
}

/** Returns the sources that could not be read to their end: one failure of each. */
export function foldFailures(
  { unreadable }: Pick<AccountFacts, "unreadable">,
  records: readonly SplitRecord[],
): readonly SourceFailure[] {
  const bySource = new Map<string, SourceFailure>();
  for (const failure of inOrder(records).flatMap((record) => record.failures)) {
    if (!bySource.has(failure.source)) bySource.set(failure.source, failure);
  }
  return [...unreadable, ...bySource.values()];
}
