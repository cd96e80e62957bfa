import type { Finding, Report, Severity } from "../profile/report.js";
import { drawDays } from "./day-bars.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatShare,
} from "./quantities.js";
import { line } from "./run-summary.js";
import { cutEnd, harmless } from "./terminal-text.js";

const BARS_MAX = 60;
const EVENTS_SHOWN_MAX = 4;
const FINDINGS_SHOWN_MAX = 6;
const NAME_COLUMNS_MAX = 24;
const TITLE_COLUMNS_MAX = 150;
const FIX_COLUMNS_MAX = 200;

/** Where a report lies, and what to type next. */
export interface ReportPlaces {
  /** Files, the one for people first. */
  readonly files: readonly string[];
  readonly next: string;
}

/** A report on one screen. Text from data is made harmless. */
export function summarizeValidate(report: Report, { files, next }: ReportPlaces): string {
  return [
    headline(report),
    ...rowLines(report),
    ...dayLines(report),
    eventLine(report),
    identityLine(report),
    ...estimateLines(report),
    ...findingLines(report.findings),
    "",
    ...files.map((file, place) => line(place === 0 ? "report" : "", harmless(file))),
    line("next", next),
  ].join("\n");
}

function headline({ rows, run, sample }: Report): string {
  const what =
    sample.share === 1
      ? formatNumberOf(rows.read, "row")
      : `a sample of ${formatNumberOf(rows.read, "row")} (${formatShare(sample.share, 1)})`;
  const speed = formatCount(rows.read / (Math.max(run.durationMs, 1) / 1000));
  return `Read ${what} in ${formatDuration(run.durationMs)} (${speed} rows/s); nothing was sent`;
}

function rowLines({ rows }: Report): readonly string[] {
  const added = rows.added > 0 ? ` + ${formatCount(rows.added)} added` : "";
  const parts = [
    formatNumberOf(rows.mapped, "event"),
    ...(rows.rejected > 0 ? [`${formatCount(rows.rejected)} rejected`] : []),
    ...(rows.filtered > 0 ? [`${formatCount(rows.filtered)} filtered`] : []),
  ];
  return [line("rows", `${formatCount(rows.read)} read${added} = ${parts.join(" + ")}`)];
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

function eventLine({ events, otherEvents, rows }: Report): string {
  const names = events.length + (otherEvents.names ?? 0);
  const shown = events
    .slice(0, EVENTS_SHOWN_MAX)
    .map(
      ({ event, rows: of }) =>
        `${cutEnd(harmless(event), NAME_COLUMNS_MAX)} ${formatShare(of, rows.mapped)}`,
    );
  const more = names - shown.length;
  const rest = more > 0 ? [`and ${formatNumberOf(more, "more name")}`] : [];
  return line("events", [...shown, ...rest].join(", ") || "none");
}

function identityLine({ identity, rows }: Report): string {
  const { users, devices, both, userOnly, deviceOnly } = identity;
  const about = (error: number) => (error === 0 ? "" : "about ");
  const withUser = formatShare(both + userOnly, rows.mapped);
  const withDevice = formatShare(both + deviceOnly, rows.mapped);
  return line(
    "identity",
    `${about(users.error)}${formatNumberOf(users.count, "user")} in ${withUser} of the events, ` +
      `${about(devices.error)}${formatNumberOf(devices.count, "device")} in ${withDevice}`,
  );
}

function estimateLines({ estimates, sizes }: Report): readonly string[] {
  const { export: exported, send, qualifyingEvents } = estimates;
  const refused = qualifyingEvents.filter((one) => one.refused !== undefined).length;
  const created = formatNumberOf(qualifyingEvents.length - refused, "qualifying event");
  return [
    line(
      "export",
      `about ${formatBytes(exported.bytes)} in ${formatDuration(exported.durationMs)}`,
    ),
    line(
      "send",
      `${formatBytes(sizes.total)} in ${formatDuration(send.durationMs)} at ${formatCount(send.eventsPerSecond)} events/s`,
    ),
    line("qualify", `${created}${refused === 0 ? "" : `, ${formatCount(refused)} refused`}`),
  ];
}

const severityWords: Readonly<Record<Severity, string>> = {
  error: "error",
  warning: "warning",
  info: "note",
};

function findingLines(findings: readonly Finding[]): readonly string[] {
  if (findings.length === 0) return ["", "No findings: nothing seems to be wrong."];
  const hidden = findings.slice(FINDINGS_SHOWN_MAX);
  const more = countsOf(hidden);
  return [
    "",
    `Findings: ${countsOf(findings)}`,
    ...findings.slice(0, FINDINGS_SHOWN_MAX).flatMap(describeFinding),
    ...(hidden.length > 0 ? [`  and ${more} more, see the report`] : []),
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

function describeFinding({ severity, title, code, fix }: Finding): readonly string[] {
  const text = cutEnd(harmless(title), TITLE_COLUMNS_MAX);
  const head = `  ${severityWords[severity].padEnd(8)} ${text} [${code}]`;
  if (fix === undefined) return [head];
  const safe = fix.isSafe ? "  (safe: --apply writes it)" : "";
  return [head, `           → ${cutEnd(harmless(fix.line), FIX_COLUMNS_MAX)}${safe}`];
}
