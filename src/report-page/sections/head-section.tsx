import { formatCount } from "../../base/format-count.js";
import { formatShare } from "../../base/format-share.js";
import { sum } from "../../base/sum.js";
import type { Finding, Report } from "../../profile/report.js";
import { formatBytes, formatDuration, formatNumberOf } from "../../report/quantities.js";
import { Sparkline } from "../../ui/bar-charts.js";
import { type Fact, Facts } from "../../ui/blocks.js";
import { partText, periodText, shown } from "../../ui/text.js";
import { bucketDaysFor } from "../elements/day-series.js";
import { errorText, shortEstimate, timeText } from "../elements/display-text.js";
import type { ReportProps } from "../elements/view-state.js";
import { findingId, isInRejects, isOpen, SeverityMark } from "./findings-section.js";

/** Bars of the summary's period. */
const PERIOD_BARS_MAX = 200;

/** The summary, for a reader of one screen or one printed page: verdict, sum, period and what to do. */
export function HeadSection({ report }: ReportProps) {
  const { tone, sentence } = report.verdict;
  const { version, inputs, run, sample, limit } = report;
  const files = `${formatNumberOf(inputs.sourcesTotal, "source")}, ${formatBytes(inputs.bytes)}`;
  const time = timeText(run.startedAt).slice(0, 16);
  const sampled =
    limit === undefined
      ? `A sample: ${formatShare(sample.share, 1)} of the input was read, spread over all sources. All counts are of the sample.`
      : `Only the first ${formatNumberOf(limit.rows, "row")} were read, about ${formatShare(sample.share, 1)} of the input. All counts are of these rows.`;
  return (
    <header class={`head summary tone-${tone}`} id="top">
      <p class="eyebrow">
        {`Dry run of ${files} in ${formatDuration(run.durationMs)}. Nothing was sent. ${time} UTC, Switchyard ${shown(version)}`}
      </p>
      <h1>{sentence.replaceAll(" %", "\u00a0%")}</h1>
      {sample.share < 1 && <p class="notice">{sampled}</p>}
      <Balance report={report} />
      <Period report={report} />
      <WhatToDo report={report} />
      <Facts list={mainFacts(report)} />
    </header>
  );
}

interface Term {
  readonly name: string;
  readonly sign: string;
  readonly count: number;
  readonly label: string;
}

/** Rows read = mapped + rejected + filtered, as an equation and as a bar. */
function Balance({ report: { rows } }: ReportProps) {
  const { exact } = rows.duplicates;
  const removed = exact?.removed === true ? exact.rows : undefined;
  const total = Math.max(1, rows.read + rows.added);
  const read: Term = { name: "read", sign: "", count: rows.read, label: "rows read" };
  const added = { name: "added", sign: "+", count: rows.added, label: "added by the transform" };
  const parts: Term[] = [
    { name: "mapped", sign: "=", count: rows.mapped, label: "become events" },
    { name: "rejected", sign: "+", count: rows.rejected, label: "rejected" },
    { name: "filtered", sign: "+", count: rows.filtered, label: "filtered out" },
  ];
  if (removed !== undefined) {
    parts.push({ name: "filtered", sign: "+", count: removed, label: "removed as duplicates" });
  }
  const terms = [
    read,
    ...(rows.added > 0 ? [added] : []),
    ...parts.map((part) => ({ ...part, label: `${part.label}, ${partText(part.count, total)}` })),
  ];
  return (
    <div class="balance">
      <dl>
        {terms.map(({ name, sign, count, label }) => (
          <div key={label} class={`term ${name}`} data-sign={sign}>
            <dt>{label}</dt>
            <dd>{formatCount(count)}</dd>
          </div>
        ))}
      </dl>
      <div class="balance-bar" aria-hidden="true">
        {parts.map(({ name, label, count }) => (
          <span key={label} class={`part ${name}`} style={{ flexGrow: count / total }} />
        ))}
      </div>
    </div>
  );
}

/** Events by day between the first and the last day; with many days, a bar shows weeks. */
function Period({ report: { days, dayZone } }: ReportProps) {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  if (first === undefined || last === undefined) return null;
  const length = bucketDaysFor(days.length, PERIOD_BARS_MAX);
  const bars = Array.from({ length: Math.ceil(days.length / length) }, (_, bar) =>
    sum(days.slice(bar * length, (bar + 1) * length), ({ events }) => events),
  );
  return (
    <figure class="period">
      <Sparkline values={bars} />
      <figcaption>
        {`${periodText(first, last)}, ${formatNumberOf(days.length, "day")} in ${shown(dayZone)}`}
      </figcaption>
    </figure>
  );
}

function mainFacts(report: Report): readonly Fact[] {
  const { events, otherEvents, identity, rows, estimates } = report;
  const names = events.length + (otherEvents.names ?? 0);
  const isMore = otherEvents.names === null && otherEvents.rows > 0;
  const { export: exported, send } = estimates;
  return [
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
  ];
}

/** The number of repeated insert ids, without an estimate that says less than the exact count. */
function duplicateWords({ duplicates }: Report["rows"]): readonly [string, string?] {
  const { withInsertID, estimated, error = 0, withinSplits = 0, unknown = 0, exact } = duplicates;
  if (exact?.removed === true) return [formatCount(exact.rows), "removed"];
  if (exact !== undefined && exact.rows > 0) {
    return [formatCount(exact.rows), "exactly; --dedupe removes them"];
  }
  if (withInsertID === 0) return ["not known", "no event has an insert id"];
  if (exact !== undefined) return ["0", "exactly"];
  if (estimated === undefined) return ["not known", "the dry run was interrupted"];
  const certain = formatCount(withinSplits);
  if (estimated <= withinSplits) return [`at least ${certain}`];
  const exactly = `${unknown > 0 ? "at least " : ""}${certain} for certain`;
  return [`≈ ${formatCount(estimated)}`, `± ${formatCount(error)}; ${exactly}`];
}

/** Most lines of the list; the others are counted. */
const LINES_MAX = 6;

/** A list of what to fix and to check: one line for each kind of finding, and the command that comes next. */
function WhatToDo({ report }: ReportProps) {
  const kinds = kindsOf(report.findings);
  const further = kinds.slice(LINES_MAX).flat().length;
  return (
    <section class="what-to-do" aria-labelledby="what-to-do">
      <h2 id="what-to-do">What to do</h2>
      <ol>
        {kinds.slice(0, LINES_MAX).map(([first, ...alike]) => (
          <Line key={first} report={report} first={first} alike={alike} />
        ))}
      </ol>
      <p class="next">
        <NextStep report={report} further={further} />
      </p>
    </section>
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

interface LineProps extends ReportProps {
  readonly first: Finding;
  readonly alike: readonly Finding[];
}

function Line({ report, first, alike }: LineProps) {
  const { title, fix } = first;
  // Findings can be about the same rows.
  const all = report.rows.read + report.rows.added;
  const rows = Math.min(first.rows + sum(alike, ({ rows: more }) => more), all);
  const target = isInRejects(report, first) ? "rejects" : findingId(report, first);
  return (
    <li>
      <SeverityMark finding={first} />
      <span>
        <a href={`#${target}`}>{shown(title)}</a>
        {alike.length > 0 && (
          <span class="aside">
            {` and ${formatCount(alike.length)} more like it, up to ${formatNumberOf(rows, "row")} in all`}
          </span>
        )}
        {fix !== undefined && (
          <span class="aside">
            {" set "}
            <code>{shown(fix.path.join("."))}</code>
          </span>
        )}
      </span>
    </li>
  );
}

function NextStep({ report, further }: ReportProps & { readonly further: number }) {
  const { findings, verdict } = report;
  const accepted = findings.filter((finding) => !isOpen(finding)).length;
  const safe = findings.filter((finding) => isOpen(finding) && finding.fix?.isSafe === true).length;
  return (
    <>
      {further > 0 && `${formatNumberOf(further, "further finding")} below. `}
      {accepted > 0 && `${formatNumberOf(accepted, "finding")} accepted. `}
      {safe > 0 ? (
        <>
          <code>switchyard validate --apply</code>
          {` writes ${formatNumberOf(safe, "safe line")} into the configuration.`}
        </>
      ) : verdict.tone === "good" ? (
        <>
          <code>switchyard export</code> writes the events, <code>switchyard send</code> sends them.
        </>
      ) : (
        <>
          Change the configuration or the inputs, or accept what is left, then run{" "}
          <code>switchyard validate</code> again.
        </>
      )}
    </>
  );
}
