import { formatCount } from "../base/format-count.js";
import { formatShare } from "../base/format-share.js";
import { sum } from "../base/sum.js";
import type { ConfigurationChange } from "../options/configuration-edit.js";
import type { Finding, Report, ReportDay, Severity } from "../profile/report.js";
import { comparedLines } from "./comparison/comparison-text.js";
import { configurationLine } from "./findings/configuration-fixes.js";
import {
  formatBytes,
  formatDuration,
  formatLeast,
  formatNumberOf,
  formatSmallShare,
} from "./quantities.js";
import { quickLines } from "./quick-text.js";
import { describeLimit, describeUnused, line, rowRate, rowsLine } from "./summary-parts.js";
import { cutEnd, harmless } from "./terminal-text.js";

const BARS_MAX = 60;
const EVENTS_SHOWN_MAX = 4;
/** Findings whose fixes are shown; the fixes of others are in the report. */
const FIXES_SHOWN_MAX = 6;
const UNUSED_SHOWN_MAX = 6;
const NAME_COLUMNS_MAX = 24;
const TITLE_COLUMNS_MAX = 150;
const FIX_COLUMNS_MAX = 200;
const COMPARED_COLUMNS_MAX = 500;
/** Below this share, one digit after the point is too few. */
const SMALL_SHARE_MAX = 0.01;

/** The files of a report, and the next command to type. */
interface ReportPlaces {
  /** Files, the one for people first. */
  readonly files: readonly string[];
  readonly next: NextStep;
}

/** The next step after a dry run: a command, and before it what no command does. */
export interface NextStep {
  readonly first?: string;
  readonly command: string;
}

/** Summarizes a report on one screen. Control characters from data are escaped. */
export function summarizeValidate(report: Report, { files, next }: ReportPlaces): string {
  const { rows } = report;
  return [
    headline(report),
    line("verdict", report.verdict.sentence),
    rowsLine(rows, [
      formatNumberOf(rows.mapped, "event"),
      [rows.rejected, "rejected"],
      [rows.filtered, "filtered"],
      [
        rows.duplicates.exact?.removed === true ? rows.duplicates.exact.rows : 0,
        "removed as duplicates",
      ],
    ]),
    ...quickLines(report).map(([label, text]) => line(label, harmless(text))),
    ...targetLines(report),
    ...describeLimit(report.limit),
    ...duplicateLines(report),
    ...(rows.mapped === 0 ? [] : [...dayLines(report), eventLine(report), identityLine(report)]),
    ...(report.unusedFields.length === 0
      ? []
      : [line("unmapped", describeUnused(report.unusedFields, UNUSED_SHOWN_MAX))]),
    ...(rows.mapped === 0 ? [] : estimateLines(report)),
    ...findingLines(report),
    ...comparisonLines(report),
    "",
    ...files.map((file, index) => line(index === 0 ? "report" : "", harmless(file))),
    ...nextLines(next),
  ].join("\n");
}

/** `Statsig takes 1,204 of 2,000 events as they are, drops 311, changes 485; bills 1,689`. */
function targetLines({ target }: Report): readonly string[] {
  if (target === undefined) return [];
  const { title, events, lost, changed, billed, reloaded = 0 } = target;
  const again = reloaded === 0 ? "" : `, and ${formatCount(reloaded)} of announced days again`;
  const bill = billed === null ? "" : `; bills ${formatCount(billed)}${again}`;
  return [
    line(
      "target",
      `${title} takes ${formatCount(events - lost - changed)} of ${formatNumberOf(events, "event")} as they are, drops ${formatCount(lost)}, changes ${formatCount(changed)}${bill}`,
    ),
  ];
}

function nextLines({ first, command }: NextStep): readonly string[] {
  return first === undefined ? [line("next", command)] : [line("next", first), line("", command)];
}

function duplicateLines({ rows, findings }: Report): readonly string[] {
  const { duplicates, mapped } = rows;
  const { exact } = duplicates;
  // The finding advises against dedupe if so many ids repeat that they are no ids of events.
  const isDoubtful = findings.some(
    ({ code, fix }) => code === "duplicates" && fix?.path[1] === "insertID",
  );
  if (exact === undefined || exact.removed || exact.rows === 0) return [];
  const share = formatShare(exact.rows, mapped);
  return [
    line(
      "repeated",
      `${formatNumberOf(exact.rows, "event")} (${share}), ${isDoubtful ? "so many that the insert id may not identify events" : "which --dedupe would remove"}`,
    ),
  ];
}

function headline({ rows, run, sample, limit }: Report): string {
  const read = formatNumberOf(rows.read, "row");
  const share =
    sample.share < SMALL_SHARE_MAX ? formatSmallShare(sample.share) : formatShare(sample.share, 1);
  const part =
    limit === undefined
      ? `a sample of ${read} (${share})`
      : `the first ${read} (${share} of the inputs)`;
  const what = sample.share === 1 ? read : part;
  return `Read ${what} in ${formatDuration(run.durationMs)} (${rowRate(rows.read, run.durationMs)}); nothing was sent`;
}

function dayLines({ days, dayZone }: Report): readonly string[] {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [line("days", "none")];
  const period = first === last ? first.day : `${first.day} to ${last.day}`;
  return [
    line("days", `${formatCount(days.length)}: ${period} (${dayZone})`),
    line("", drawDays(days, BARS_MAX)),
  ];
}

const BARS = "▁▂▃▄▅▆▇█";
const EMPTY_BAR = "·";

/** One character for each day, or for each group of days if there are more than `columns`. */
export function drawDays(days: readonly ReportDay[], columns: number): string {
  const length = Math.max(1, Math.ceil(days.length / columns));
  const means = Array.from({ length: Math.ceil(days.length / length) }, (_, index) => {
    const group = days.slice(index * length, (index + 1) * length);
    return sum(group, ({ events }) => events) / group.length;
  });
  const most = Math.max(...means, 1);
  const barOf = (mean: number) =>
    Math.min(BARS.length - 1, Math.floor((mean / most) * BARS.length));
  return means.map((mean) => (mean === 0 ? EMPTY_BAR : BARS[barOf(mean)])).join("");
}

function eventLine({ events, otherEvents, rows }: Report): string {
  const shown = events.slice(0, EVENTS_SHOWN_MAX).map((one) => {
    const name = cutEnd(harmless(one.event), NAME_COLUMNS_MAX);
    return `${name} ${formatShare(one.rows, rows.mapped)}`;
  });
  const more = events.length + (otherEvents.names ?? 0) - shown.length;
  const rest = more > 0 ? [`and ${formatLeast(more, "more name", otherEvents.rows > 0)}`] : [];
  return line("events", [...shown, ...rest].join(", ") || "none");
}

function identityLine({ identity, rows }: Report): string {
  const { users, devices, both, userOnly, deviceOnly, filled = 0 } = identity;
  const about = (error: number) => (error === 0 ? "" : "about ");
  const withUser = formatShare(both + userOnly, rows.mapped);
  const withDevice = formatShare(both + deviceOnly, rows.mapped);
  return line(
    "identity",
    `${about(users.error)}${formatNumberOf(users.count, "user")} in ${withUser} of the events, ` +
      `${about(devices.error)}${formatNumberOf(devices.count, "device")} in ${withDevice}` +
      (filled === 0 ? "" : `; the table filled ${formatNumberOf(filled, "user id")}`),
  );
}

function estimateLines({ estimates, sizes, sample, otherEvents }: Report): readonly string[] {
  const { export: exported, send, qualifyingEvents } = estimates;
  const refused = qualifyingEvents.filter((one) => one.refused !== undefined).length;
  const accepted = qualifyingEvents.length - refused;
  const created = formatLeast(accepted, "qualifying event", otherEvents.rows > 0);
  const duration = formatDuration(exported.durationMs);
  const about = sample.share === 1 ? "" : "about ";
  const sent = `${about}${formatBytes(Math.round(sizes.total / sample.share))}`;
  return [
    line("export", `about ${formatBytes(exported.bytes)} in ${duration}`),
    line(
      "send",
      `${sent} in ${formatDuration(send.durationMs)} at ${formatCount(send.eventsPerSecond)} events/s`,
    ),
    line("qualify", `${created}${refused === 0 ? "" : `, ${formatCount(refused)} refused`}`),
  ];
}

const severityWords: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  info: "note",
};

function findingLines({ findings, verdict }: Report): readonly string[] {
  const isKnown = verdict.tone === "good";
  if (findings.length === 0)
    return ["", isKnown ? "No findings: no problem was found." : "No findings in what was read."];
  const open = findings.filter(({ acceptedBecause }) => acceptedBecause === undefined);
  const accepted = findings.length - open.length;
  return [
    "",
    `Findings: ${[countsOf(open), ...(accepted > 0 ? [`${formatCount(accepted)} accepted`] : [])].filter((part) => part !== "").join(", ")}`,
    ...open.slice(0, FIXES_SHOWN_MAX).flatMap((one) => [describeFinding(one), ...describeFix(one)]),
    ...open.slice(FIXES_SHOWN_MAX).map(describeFinding),
    ...(open.slice(FIXES_SHOWN_MAX).some(({ fix }) => fix !== undefined)
      ? ["  The report has the other lines that fix findings."]
      : []),
  ];
}

/** Describes what has changed since an earlier report. */
function comparisonLines({ comparison }: Report): readonly string[] {
  if (comparison === undefined) return [];
  const { earlier, unknown } = comparison;
  const { file, startedAt, version } = earlier;
  const date = startedAt === null ? "" : `${startedAt.slice(0, 10)}, `;
  const found = comparedLines(comparison);
  return [
    "",
    `Compared with ${harmless(file)} (${date}${harmless(version)})${found.length === 0 ? ": no differences" : ":"}`,
    ...found.map(([label, text]) => line(label, cutEnd(harmless(text), COMPARED_COLUMNS_MAX))),
    ...unknown.map((text, index) => line(index === 0 ? "unknown" : "", harmless(text))),
  ];
}

function countsOf(findings: readonly Finding[]): string {
  return (["error", "warning", "info"] as const)
    .map((severity) => ({
      severity,
      count: findings.filter((one) => one.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => formatNumberOf(count, severityWords[severity]))
    .join(", ");
}

function describeFinding({ severity, title, code }: Finding): string {
  const text = cutEnd(harmless(title), TITLE_COLUMNS_MAX);
  return `  ${severityWords[severity].padEnd(8)} ${text} [${code}]`;
}

function describeFix({ fix }: Finding): readonly string[] {
  if (fix === undefined) return [];
  const safe = fix.isSafe ? "  (safe: --apply writes it)" : "";
  return [`           → ${cutEnd(harmless(fix.line), FIX_COLUMNS_MAX)}${safe}`];
}

/**
 * Describes a change of a configuration as removed and added lines. Control characters from data
 * are escaped.
 */
export function describeChange({ path, before, after }: ConfigurationChange): readonly string[] {
  const lineOf = (value: unknown) => harmless(configurationLine(path, value));
  return [...(before === undefined ? [] : [`  - ${lineOf(before)}`]), `  + ${lineOf(after)}`];
}

/** The result of `--apply`. */
export interface AppliedFixes {
  /** Name of the configuration file in messages. */
  readonly file: string;
  /** The changes in it; empty if it was not changed. */
  readonly changes: readonly ConfigurationChange[];
}

/** Summarizes `--apply` of an earlier report. */
export function describeFixed(
  reportPath: string,
  applied: AppliedFixes | undefined,
  next: NextStep,
): string {
  return [
    "Took the fixes of the last report; its inputs have not changed and were not read again",
    line("report", harmless(reportPath)),
    ...describeApplied(applied),
    ...nextLines(next),
  ].join("\n");
}

/** Describes the lines that `--apply` wrote into a configuration; empty without `--apply`. */
export function describeApplied(applied: AppliedFixes | undefined): readonly string[] {
  if (applied === undefined) return [];
  const { file, changes } = applied;
  const lines = formatNumberOf(changes.length, "line");
  const what =
    changes.length === 0
      ? "nothing: there are no safe fixes"
      : `${lines} of ${harmless(file)}; the report shows the state before`;
  return [line("applied", what)];
}
