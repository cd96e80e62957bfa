import { sum } from "../../base/sum.js";
import type { Finding, Report, ReportDay } from "../../profile/report.js";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumberOf,
} from "../../report/quantities.js";
import { sparkline } from "../charts/bars.js";
import { facts } from "../elements/blocks.js";
import { bucketDaysFor } from "../elements/day-series.js";
import {
  errorText,
  partText,
  periodText,
  shareText,
  shortEstimate,
  shown,
  timeText,
} from "../elements/display-text.js";
import { type Child, element } from "../elements/element.js";
import { findingId, isInRejects, isOpen, severityMark } from "./findings-section.js";

/** Bars of the summary's period. */
const PERIOD_BARS_MAX = 200;

/** The summary, for a reader of one screen or one printed page: verdict, sum, period and what to do. */
export function headSection(report: Report): HTMLElement {
  const { tone, sentence } = report.verdict;
  const { version, inputs, run, sample, limit } = report;
  const files = `${formatNumberOf(inputs.sourcesTotal, "source")}, ${formatBytes(inputs.bytes)}`;
  const time = timeText(run.startedAt).slice(0, 16);
  const about = `Dry run of ${files} in ${formatDuration(run.durationMs)}. Nothing was sent. ${time} UTC, Switchyard ${shown(version)}`;
  const sampled =
    limit === undefined
      ? `A sample: ${shareText(sample.share)} of the input was read, spread over all sources. All counts are of the sample.`
      : `Only the first ${formatNumberOf(limit.rows, "row")} were read, about ${shareText(sample.share)} of the input. All counts are of these rows.`;
  return element(
    "header",
    { class: `head summary tone-${tone}`, id: "top" },
    element("p", { class: "eyebrow" }, about),
    element("h1", {}, sentence.replaceAll(" %", "\u00a0%")),
    sample.share < 1 ? element("p", { class: "notice" }, sampled) : null,
    balance(report),
    period(report),
    whatToDo(report),
    mainFacts(report),
  );
}

/** Rows read = mapped + rejected + filtered, as an equation and as a bar. */
function balance({ rows }: Report): HTMLElement {
  const term = (name: string, sign: string, count: number, label: string) =>
    element(
      "div",
      { class: `term term-${name}`, "data-sign": sign },
      element("dt", {}, label),
      element("dd", {}, formatCount(count)),
    );
  const { exact } = rows.duplicates;
  const removed = exact?.removed === true ? exact.rows : undefined;
  const parts = [
    { name: "mapped", sign: "=", count: rows.mapped, label: "become events" },
    { name: "rejected", sign: "+", count: rows.rejected, label: "rejected" },
    { name: "filtered", sign: "+", count: rows.filtered, label: "filtered out" },
    ...(removed === undefined
      ? []
      : [{ name: "filtered", sign: "+", count: removed, label: "removed as duplicates" }]),
  ] as const;
  const total = Math.max(1, rows.read + rows.added);
  const bar = parts.map(({ name, count }) => {
    const part = element("span", { class: `part part-${name}` });
    part.style.flexGrow = String(count / total);
    return part;
  });
  return element(
    "div",
    { class: "balance" },
    element(
      "dl",
      {},
      term("read", "", rows.read, "rows read"),
      rows.added > 0 && term("added", "+", rows.added, "added by the transform"),
      ...parts.map(({ name, sign, count, label }) =>
        term(name, sign, count, `${label}, ${partText(count, total)}`),
      ),
    ),
    element("div", { class: "balance-bar", "aria-hidden": "true" }, ...bar),
  );
}

/** Events by day between the first and the last day. */
function period({ days, dayZone }: Report): HTMLElement | null {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  if (first === undefined || last === undefined) return null;
  const text = `${periodText(first, last)}, ${formatNumberOf(days.length, "day")} in ${shown(dayZone)}`;
  const bars = sparkline(eventsByBar(days));
  return element("figure", { class: "period" }, bars, element("figcaption", {}, text));
}

/** Counts the events of each bar; with many days, a bar shows weeks. */
function eventsByBar(days: readonly ReportDay[]): readonly number[] {
  const length = bucketDaysFor(days.length, PERIOD_BARS_MAX);
  return Array.from({ length: Math.ceil(days.length / length) }, (_, bar) =>
    sum(days.slice(bar * length, (bar + 1) * length), ({ events }) => events),
  );
}

function mainFacts(report: Report): HTMLElement {
  const { events, otherEvents, identity, rows, estimates } = report;
  const names = events.length + (otherEvents.names ?? 0);
  const isMore = otherEvents.names === null && otherEvents.rows > 0;
  const { export: exported, send } = estimates;
  return facts(
    ["Event names", `${isMore ? "more than " : ""}${formatCount(names)}`],
    ["Users", shortEstimate(identity.users), errorText(identity.users)],
    ["Devices", shortEstimate(identity.devices), errorText(identity.devices)],
    ["Duplicates", ...duplicateWords(rows)],
    ["To export", formatDuration(exported.durationMs), `about ${formatBytes(exported.bytes)}`],
    [
      "To send",
      formatDuration(send.durationMs),
      `at ${formatCount(send.eventsPerSecond)} events/s`,
    ],
  );
}

/** The number of repeated insert ids, without an estimate that says less than the exact count. */
function duplicateWords({ duplicates }: Report["rows"]): readonly [string, string?] {
  const { withInsertID, estimated, error, withinSplits, unknown, exact } = duplicates;
  if (exact !== undefined) {
    return [formatCount(exact.rows), exact.removed ? "removed" : "exactly; --dedupe removes them"];
  }
  if (withInsertID === 0) return ["not known", "no insert id is mapped"];
  const certain = formatCount(withinSplits);
  if (estimated <= withinSplits) return [`at least ${certain}`];
  const exactly = `${unknown > 0 ? "at least " : ""}${certain} for certain`;
  return [`≈ ${formatCount(estimated)}`, `± ${formatCount(error)}; ${exactly}`];
}

/** Most lines of the list; the others are counted. */
const LINES_MAX = 6;

/** A list of what to fix and to check: one line for each kind of finding, and the command that comes next. */
function whatToDo(report: Report): HTMLElement {
  const kinds = kindsOf(report.findings);
  const lines = kinds.slice(0, LINES_MAX).map(([first, ...alike]) => line(report, first, alike));
  const further = kinds.slice(LINES_MAX).flat().length;
  return element(
    "section",
    { class: "what-to-do", "aria-labelledby": "what-to-do" },
    element("h2", { id: "what-to-do" }, "What to do"),
    element("ol", {}, ...lines),
    element("p", { class: "next" }, ...nextStep(report, further)),
  );
}

type Kind = readonly [first: Finding, ...alike: Finding[]];

/** Groups errors and warnings that are not accepted by their code, the most severe first. */
function kindsOf(findings: readonly Finding[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const finding of findings) {
    if (finding.severity === "info" || !isOpen(finding)) continue;
    const known = kinds.get(finding.code);
    kinds.set(finding.code, known === undefined ? [finding] : [...known, finding]);
  }
  return [...kinds.values()];
}

function line(report: Report, first: Finding, alike: readonly Finding[]): HTMLElement {
  const { title, fix } = first;
  const rows = first.rows + sum(alike, ({ rows: more }) => more);
  const others = ` and ${formatCount(alike.length)} more like it, ${formatNumberOf(rows, "row")} in all`;
  return element(
    "li",
    {},
    severityMark(first),
    element(
      "span",
      {},
      element("a", { href: `#${detailOf(report, first)}` }, shown(title)),
      alike.length > 0 && element("span", { class: "aside" }, others),
      fix !== undefined &&
        element(
          "span",
          { class: "aside" },
          " set ",
          element("code", {}, shown(fix.path.join("."))),
        ),
    ),
  );
}

/** Returns the address of the section with more about a finding. */
function detailOf(report: Report, finding: Finding): string {
  return isInRejects(report, finding) ? "rejects" : findingId(report, finding);
}

function nextStep({ findings, verdict }: Report, further: number): readonly Child[] {
  const command = (text: string) => element("code", {}, text);
  const accepted = findings.filter((finding) => !isOpen(finding)).length;
  const counted = [
    further > 0 && `${formatNumberOf(further, "further finding")} below. `,
    accepted > 0 && `${formatNumberOf(accepted, "finding")} accepted. `,
  ];
  const safe = findings.filter((finding) => isOpen(finding) && finding.fix?.isSafe === true).length;
  if (safe > 0) {
    const what = ` writes ${formatNumberOf(safe, "safe line")} into the configuration.`;
    return [...counted, command("switchyard validate --apply"), what];
  }
  if (verdict.tone === "good") {
    const [exporting, sending] = [command("switchyard export"), command("switchyard send")];
    return [...counted, exporting, " writes the events, ", sending, " sends them."];
  }
  const advice = "Change the configuration or the inputs, or accept what is left, then run ";
  return [...counted, advice, command("switchyard validate"), " again."];
}
