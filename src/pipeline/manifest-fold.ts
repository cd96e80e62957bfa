import type { PartFile } from "../sinks/sink.js";
import type { SplitRecord } from "./ledger.js";
import {
  MANIFEST_VERSION,
  type Manifest,
  type ManifestDay,
  type ManifestFile,
  type ManifestInput,
  type ManifestRun,
  type RejectSummary,
  type RowCounts,
  type SourceFailure,
} from "./manifest.js";
import type { Plan } from "./plan.js";
import type { RecordedOptions } from "./recorded-options.js";
import { checkAccounts } from "./run-split.js";

export interface ManifestFacts {
  readonly version: string;
  readonly options: RecordedOptions;
  readonly plan: Plan;
  /** Inputs of which not even the beginning could be read. */
  readonly unreadable: readonly SourceFailure[];
  readonly run: ManifestRun;
}

/**
 * Adds up the records of a run. Pure, and independent of the order of `records`. Throws when the sums
 * do not add up.
 */
export function foldManifest(facts: ManifestFacts, records: readonly SplitRecord[]): Manifest {
  const ordered = [...records].sort((a, b) => (a.id < b.id ? -1 : 1));
  const failures = [...facts.unreadable, ...foldFailures(ordered)];
  const days = foldDays(ordered);
  const rows = foldRows(ordered);
  const parts = ordered.flatMap((record) => record.parts);
  checkAccounts("total", rows, parts);
  const complete =
    facts.unreadable.length === 0 &&
    ordered.length === facts.plan.splits.length &&
    ordered.every((record) => record.status === "complete");
  return {
    manifestVersion: MANIFEST_VERSION,
    version: facts.version,
    complete,
    dataset: facts.options.dataset,
    format: facts.options.format,
    dayZone: facts.options.dayZone,
    configuration: facts.options,
    totals: {
      rows: sum(parts, (part) => part.rows),
      bytes: sum(parts, (part) => part.bytes),
      files: parts.length,
      days: days.length,
      firstTimestamp: isoOrNull(least(parts.map((part) => part.firstTimestamp))),
      lastTimestamp: isoOrNull(greatest(parts.map((part) => part.lastTimestamp))),
    },
    rows,
    rejects: foldRejects(ordered),
    notices: foldNotices(ordered),
    inputs: foldInputs(facts.plan, failures),
    failures,
    days,
    run: facts.run,
  };
}

function foldRows(records: readonly SplitRecord[]): RowCounts {
  const total = (count: (rows: RowCounts) => number) => sum(records, ({ rows }) => count(rows));
  return {
    read: total((rows) => rows.read),
    added: total((rows) => rows.added),
    delivered: total((rows) => rows.delivered),
    rejected: total((rows) => rows.rejected),
    filtered: total((rows) => rows.filtered),
    duplicates: total((rows) => rows.duplicates),
  };
}

/** The most frequent first; the example is the first one in the order of the inputs. */
function foldRejects(records: readonly SplitRecord[]): readonly RejectSummary[] {
  const byCode = new Map<string, RejectSummary>();
  for (const summary of records.flatMap((record) => record.rejects)) {
    const known = byCode.get(summary.code);
    const rows = (known?.rows ?? 0) + summary.rows;
    byCode.set(summary.code, { ...(known ?? summary), rows });
  }
  return [...byCode.values()].sort((a, b) => b.rows - a.rows || (a.code < b.code ? -1 : 1));
}

function foldNotices(records: readonly SplitRecord[]): Readonly<Record<string, number>> {
  const totals = new Map<string, number>();
  for (const [name, count] of records.flatMap(({ notices }) => Object.entries(notices))) {
    totals.set(name, (totals.get(name) ?? 0) + count);
  }
  return Object.fromEntries([...totals].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function foldFailures(records: readonly SplitRecord[]): readonly SourceFailure[] {
  const bySource = new Map<string, SourceFailure>();
  for (const failure of records.flatMap((record) => record.failures)) {
    if (!bySource.has(failure.source)) bySource.set(failure.source, failure);
  }
  return [...bySource.values()];
}

function foldInputs(plan: Plan, failures: readonly SourceFailure[]): readonly ManifestInput[] {
  const failed = new Map(failures.map((failure) => [failure.source, failure]));
  return plan.sources.map(({ name, size, fingerprint, format }) => {
    const failure = failed.get(name);
    return {
      name,
      bytes: size,
      fingerprint,
      format: format.kind,
      ...(failure === undefined ? {} : { failure }),
    };
  });
}

function foldDays(records: readonly SplitRecord[]): readonly ManifestDay[] {
  const byDay = new Map<string, PartFile[]>();
  for (const part of records.flatMap((record) => record.parts)) {
    const known = byDay.get(part.day);
    if (known === undefined) byDay.set(part.day, [part]);
    else known.push(part);
  }
  const days = [...byDay].sort(([a], [b]) => (a < b ? -1 : 1));
  return days.map(([day, parts]) => {
    const files = parts.map(
      ({ path, rows, bytes, sha256, firstTimestamp, lastTimestamp }): ManifestFile => ({
        path,
        rows,
        bytes,
        sha256,
        firstTimestamp: isoTime(firstTimestamp),
        lastTimestamp: isoTime(lastTimestamp),
      }),
    );
    return {
      day,
      rows: sum(parts, (part) => part.rows),
      bytes: sum(parts, (part) => part.bytes),
      firstTimestamp: isoTime(least(parts.map((part) => part.firstTimestamp)) as number),
      lastTimestamp: isoTime(greatest(parts.map((part) => part.lastTimestamp)) as number),
      files,
    };
  });
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function least(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
}

function greatest(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function isoOrNull(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : isoTime(timeMs);
}
