import { isDeepStrictEqual } from "node:util";
import { formatCount } from "../../base/format-count.js";
import type { Comparison, Finding, Report } from "../../profile/report.js";
import { formatNumberOf, formatSmallShare } from "../quantities.js";
import { compareFields } from "./compare-fields.js";
import { type Comparable, isNoticeable, listed, quotedNames } from "./differences.js";
import type { EarlierReport } from "./earlier-report.js";

/** Lists what differs between an earlier report and a new one, and what the two cannot tell. Pure. */
export function compareReports(
  earlier: EarlierReport,
  report: Omit<Report, "comparison">,
): Comparison {
  const { file, version, details } = earlier;
  const before: Comparable = { ...details, isWhole: isWhole(earlier) };
  const after: Comparable = { ...report, isWhole: isWhole(report) };
  const events = compareEvents(before, after);
  const fields = compareFields(before, after);
  const days = compareDays(before, after);
  const verdict = { before: earlier.verdict, after: report.verdict };
  return {
    earlier: { file, version, startedAt: details?.run.startedAt ?? null },
    ...(earlier.verdict.sentence === report.verdict.sentence ? {} : { verdict }),
    rows: compareRows(earlier, report),
    rejects: compareRejects(earlier, report),
    findings: compareFindings(earlier.findings, report.findings),
    events: events.differences,
    fields: fields.differences,
    days: days.differences,
    unknown: [
      ...unknownOf(earlier, report),
      ...changedOptions(details?.configuration, report.configuration),
      ...events.unknown,
      ...fields.unknown,
      ...days.unknown,
    ],
  };
}

type Counted = Pick<Report, "rows" | "rejects" | "limit" | "sample">;
type EarlierCounted = Pick<EarlierReport, "rows" | "rejects" | "limit" | "sample">;

function isWhole({ sample, limit }: EarlierCounted | Counted): boolean {
  return sample.share >= 1 && limit?.partial !== true;
}

/** Counts of different shares of inputs say nothing of a change. */
function compareRows(before: EarlierCounted, after: Counted): Comparison["rows"] {
  if (!isWhole(before) || !isWhole(after)) return [];
  return (["read", "added", "mapped", "rejected", "filtered"] as const)
    .map((figure) => ({
      figure,
      before: before.rows[figure] ?? 0,
      after: after.rows[figure],
    }))
    .filter((one) => one.before !== one.after);
}

function compareRejects(before: EarlierCounted, after: Counted): Comparison["rejects"] {
  if (!isWhole(before) || !isWhole(after)) return [];
  const [old, now] = [before.rejects, after.rejects].map(
    (rejects) => new Map<string, number>(rejects.map(({ code, rows }) => [code, rows])),
  ) as [Map<string, number>, Map<string, number>];
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((code) => ({ code, before: old.get(code) ?? 0, after: now.get(code) ?? 0 }))
    .filter((one) => one.before !== one.after);
}

function compareFindings(
  before: EarlierReport["findings"],
  after: readonly Finding[],
): Comparison["findings"] {
  type One = EarlierReport["findings"][number] | Finding;
  // The path of the fix names the target that a finding is about.
  const keyOf = ({ code, event, property, day, rejectCode, fix }: One) =>
    JSON.stringify([code, event, property, day, rejectCode, fix?.path]);
  const isOpen = ({ acceptedBecause }: One) => acceptedBecause === undefined;
  const only = (these: readonly One[], others: readonly One[]) => {
    const known = new Set(others.filter(isOpen).map(keyOf));
    return these
      .filter((one) => isOpen(one) && !known.has(keyOf(one)))
      .map(({ code, severity, title }) => ({ code, severity, title }));
  };
  return { came: only(after, before), went: only(before, after) };
}

interface Compared<Part extends "events" | "days"> {
  readonly differences: Comparison[Part];
  readonly unknown: readonly string[];
}

function compareEvents(before: Comparable, after: Comparable): Compared<"events"> {
  const [old, now] = [before, after].map(
    ({ events = [] }) => new Map(events.map(({ event, rows }) => [event, rows])),
  ) as [Map<string, number>, Map<string, number>];
  const only = (these: Map<string, number>, others: Map<string, number>) =>
    [...these].filter(([event]) => !others.has(event)).map(([event, rows]) => ({ event, rows }));
  const [came, went] = [only(now, old), only(old, now)];
  const hasBoth = before.events !== undefined && after.events !== undefined;
  const isExact = hasBoth && before.isWhole && after.isWhole;
  const changed = [...now].flatMap(([event, rows]) => {
    const earlier = old.get(event);
    const volume = { before: earlier ?? 0, after: rows };
    return isExact && earlier !== undefined && isNoticeable(volume) ? [{ event, ...volume }] : [];
  });
  const bySize = (one: { before: number; after: number }) => Math.abs(one.after - one.before);
  return {
    differences: {
      came: listed(hasAllNames(before) ? came : []),
      went: listed(hasAllNames(after) ? went : []),
      changed: listed(changed.sort((one, other) => bySize(other) - bySize(one))),
    },
    unknown: hasBoth
      ? [
          ...unlistedNames(came, before, "this report", "the earlier one"),
          ...unlistedNames(went, after, "the earlier report", "this one"),
        ]
      : [],
  };
}

/** Returns true if a name that a report does not list is in none of its inputs. */
function hasAllNames({ events, otherEvents, isWhole }: Comparable): boolean {
  return events !== undefined && isWhole && (otherEvents?.rows ?? 0) === 0;
}

function unlistedNames(
  names: readonly { readonly event: string }[],
  { otherEvents, isWhole }: Comparable,
  here: string,
  there: string,
): readonly string[] {
  const others = otherEvents?.rows ?? 0;
  if (names.length === 0 || (isWhole && others === 0)) return [];
  const reason = isWhole
    ? `${there} counts ${formatNumberOf(others, "event")} of names that it does not list`
    : `${there} is of a part of its inputs`;
  const found = quotedNames(names.map(({ event }) => event));
  return [`Only ${here} has ${found}, but ${reason}.`];
}

function compareDays(before: Comparable, after: Comparable): Compared<"days"> {
  const isSameZone = before.dayZone === after.dayZone;
  const isExact = before.days !== undefined && before.isWhole && after.isWhole && isSameZone;
  const [old, now] = [before, after].map(
    ({ days = [] }) =>
      new Map(days.filter(({ events }) => events > 0).map(({ day, events }) => [day, events])),
  ) as [Map<string, number>, Map<string, number>];
  const only = (these: Map<string, number>, others: Map<string, number>) =>
    [...these].filter(([day]) => !others.has(day)).map(([day, events]) => ({ day, events }));
  const changed = [...now].flatMap(([day, events]) => {
    const earlier = old.get(day);
    return earlier === undefined || earlier === events
      ? []
      : [{ day, before: earlier, after: events }];
  });
  const unlisted = Math.max(before.otherDays?.rows ?? 0, after.otherDays?.rows ?? 0);
  return {
    differences: {
      came: listed(isExact ? only(now, old) : []),
      went: listed(isExact ? only(old, now) : []),
      changed: listed(isExact ? changed : []),
    },
    unknown: [
      ...(before.days === undefined || isSameZone
        ? []
        : [
            `Days are not compared: they are in ${after.dayZone ?? ""}, and were in ${before.dayZone ?? ""}.`,
          ]),
      ...(unlisted > 0
        ? [`A report has ${formatNumberOf(unlisted, "event")} that are in none of its days.`]
        : []),
    ],
  };
}

function unknownOf(earlier: EarlierReport, report: Counted): readonly string[] {
  const parts = [
    ...(isWhole(earlier) ? [] : [`the earlier report is ${partOf(earlier)}`]),
    ...(isWhole(report) ? [] : [`this report is ${partOf(report)}`]),
  ];
  return [
    ...(earlier.details === undefined
      ? [
          "Event names, fields and days are not compared: the earlier file is a --json result, which does not have them. Its reportPath names the report that has.",
        ]
      : []),
    ...(parts.length > 0
      ? [
          `Counts of rows, events and days are not compared, and fill rates are of the rows that were read: ${parts.join(", ")}.`,
        ]
      : []),
  ];
}

function partOf({ sample, limit, rows }: EarlierCounted | Counted): string {
  return limit?.partial === true
    ? `of the first ${formatCount(rows.read)} rows`
    : `of ${formatSmallShare(sample.share)} of the inputs`;
}

function changedOptions(
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (before === undefined) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .sort();
  return names.length === 0
    ? []
    : [`Differences may come from options that were other: ${names.join(", ")}.`];
}
