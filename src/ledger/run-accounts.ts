import { isDeepStrictEqual } from "node:util";
import { epochOf } from "../base/epoch.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { foldNumbers, sum } from "../base/sum.js";
import { type FieldGroup, planFields } from "../mapper/field-plan.js";
import type { Mapping } from "../mapper/mapping.js";
import { presetNames } from "../mapper/presets.js";
import { resolveMapping } from "../mapper/resolve-mapping.js";
import type { Plan } from "../plan/plan.js";
import type { FieldValues, SplitRecord } from "./ledger-records.js";
import {
  MANIFEST_VERSION,
  type ManifestDuplicates,
  type ManifestEpoch,
  type ManifestInputs,
  type ManifestRun,
  type MissingFields,
  type RejectSummary,
  type RowCounts,
  type RowLimit,
  type RunAccounts,
  type SourceFailure,
} from "./manifest.js";
import { recordedMapping } from "./recorded-options.js";
import { foldCommas } from "./split-accounts.js";

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
  /** Absent without `limit`. */
  readonly limit?: RowLimit;
}

/** Adds up the records of a run, in any order. Pure. */
export function foldAccounts(facts: AccountFacts, records: readonly SplitRecord[]): RunAccounts {
  const ordered = inOrder(records);
  const failures = foldFailures(facts, ordered);
  const complete =
    facts.unreadable.length === 0 &&
    ordered.length === facts.plan.splits.length &&
    ordered.every((record) => record.status === "complete");
  const mapping = recordedMapping(facts.options);
  const missingFields =
    mapping === undefined
      ? []
      : foldMissingFields({ mapping, preset: facts.options["preset"] }, facts.plan, ordered);
  const misplacedCommas = foldCommas(ordered.flatMap((record) => record.misplacedCommas ?? []));
  return {
    manifestVersion: MANIFEST_VERSION,
    version: facts.version,
    complete,
    configuration: facts.options,
    rows: foldRows(ordered),
    ...omitUndefined({ limit: facts.limit }),
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
export function inOrder<Record extends Pick<SplitRecord, "id">>(
  records: readonly Record[],
): readonly Record[] {
  return [...records].sort((a, b) => (a.id < b.id ? -1 : 1));
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
export function foldRejects(
  records: readonly Pick<SplitRecord, "rejects">[],
): readonly RejectSummary[] {
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
  records: readonly Pick<SplitRecord, "id" | "failures">[],
): readonly SourceFailure[] {
  const bySource = new Map<string, SourceFailure>();
  for (const failure of inOrder(records).flatMap((record) => record.failures)) {
    if (!bySource.has(failure.source)) bySource.set(failure.source, failure);
  }
  return [...unreadable, ...bySource.values()];
}

/**
 * Fewest expected rows with a value for a source to be reported; with fewer, a lack of values may
 * be chance.
 */
const EXPECTED_ROWS_MIN = 20;

const NAMES_SHOWN = 5;

/**
 * Lists the mapped fields that have no value in any row, and those that have values but in no row
 * of some sources. Optional fields of a preset are listed only in the second case. Pure.
 */
export function foldMissingFields(
  { mapping, preset }: { readonly mapping: Mapping; readonly preset?: unknown },
  plan: Plan,
  records: readonly Pick<SplitRecord, "fieldValues">[],
): readonly MissingFields[] {
  const values = records.flatMap(({ fieldValues }) => fieldValues ?? []);
  const named = new Set(values.flatMap(({ missing }) => missing.map(({ source }) => source)));
  const rangesBySource = countRanges(plan, named);
  const rows = sum(values, (one) => one.rows);
  const known = presetNames.find((name) => name === preset);
  const usual = known && resolveMapping(known);
  return planFields(mapping).groups.flatMap((group, index) => {
    const filled = sum(values, (one) => one.filled[index] ?? 0);
    // Few rows without properties are likely; other optional fields of presets are often missing.
    const mayBeEmpty = group.target !== "metadata" || rows < EXPECTED_ROWS_MIN;
    if (filled === 0 && mayBeEmpty && isUsual(group, mapping, usual)) return [];
    const rowsMin = filled === 0 ? 1 : (EXPECTED_ROWS_MIN * rows) / filled;
    const missing = [...countMissing(values, index)].filter(
      ([name, source]) => source.ranges === rangesBySource.get(name) && source.rows >= rowsMin,
    );
    if (missing.length === 0) return [];
    return {
      target: group.target,
      fields: group.fields,
      rows: sum(missing, ([, source]) => source.rows),
      sources: missing.length,
      sourcesTotal: plan.sources.length,
      names: missing.slice(0, NAMES_SHOWN).map(([name]) => name),
    };
  });
}

interface RangeCount {
  ranges: number;
  rows: number;
}

/** Counts the ranges of each source in which a group has no value. */
function countMissing(values: readonly FieldValues[], group: number): Map<string, RangeCount> {
  const sources = new Map<string, RangeCount>();
  for (const { source, rows, groups } of values.flatMap(({ missing }) => missing)) {
    if (!groups.includes(group)) continue;
    const known = sources.get(source) ?? { ranges: 0, rows: 0 };
    sources.set(source, { ranges: known.ranges + 1, rows: known.rows + rows });
  }
  return sources;
}

/** Counts the ranges of some sources only, because there can be millions. */
function countRanges({ splits }: Plan, named: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map([...named].map((name) => [name, 0]));
  if (counts.size === 0) return counts;
  for (const { ranges } of splits) {
    for (const { source } of ranges) {
      const known = counts.get(source.name);
      if (known !== undefined) counts.set(source.name, known + 1);
    }
  }
  return counts;
}

/** Returns true for a target that is unchanged from the preset. */
function isUsual({ target }: FieldGroup, mapping: Mapping, preset: Mapping | undefined): boolean {
  return preset !== undefined && isDeepStrictEqual(preset[target], mapping[target]);
}
