import type { Report } from "../../../../profile/report.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "../../../quantities.js";
import { facts } from "../blocks.js";
import {
  errorText,
  partText,
  periodText,
  shareText,
  shortEstimate,
  shown,
  timeText,
} from "../display-text.js";
import { element } from "../element.js";
import { verdictOf } from "../verdict.js";

/** The verdict, the outcome of every row, and the main numbers. */
export function headSection(report: Report): HTMLElement {
  const { tone, sentence } = verdictOf(report);
  const { version, inputs, run, sample } = report;
  const files = `${formatNumberOf(inputs.sourcesTotal, "source")}, ${formatBytes(inputs.bytes)}`;
  const about = `Dry run of ${files}. Nothing was sent. ${timeText(run.startedAt)} UTC, Switchyard ${shown(version)}`;
  const sampled = `A sample: ${shareText(sample.share)} of the input was read, spread over all sources. All counts are of the sample.`;
  return element(
    "header",
    { class: `head tone-${tone}`, id: "top" },
    element("p", { class: "eyebrow" }, about),
    element("h1", {}, sentence),
    sample.share < 1 ? element("p", { class: "notice" }, sampled) : null,
    balance(report),
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
  const parts = [
    { name: "mapped", sign: "=", count: rows.mapped, label: "become events" },
    { name: "rejected", sign: "+", count: rows.rejected, label: "rejected" },
    { name: "filtered", sign: "+", count: rows.filtered, label: "filtered out" },
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

function mainFacts(report: Report): HTMLElement {
  const { days, events, otherEvents, identity, sizes, rows, run, dayZone } = report;
  const names = events.length + (otherEvents.names ?? 0);
  const isMore = otherEvents.names === null && otherEvents.rows > 0;
  const { withInsertID, estimated, error, withinSplits, unknown } = rows.duplicates;
  const certain = `${unknown > 0 ? "at least " : ""}${formatCount(withinSplits)} for certain`;
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  const period = first && last ? periodText(first, last) : "–";
  return facts(
    ["Period", period, `${formatNumberOf(days.length, "day")}, ${shown(dayZone)}`],
    ["Event names", `${isMore ? "more than " : ""}${formatCount(names)}`],
    ["Users", shortEstimate(identity.users), errorText(identity.users)],
    ["Devices", shortEstimate(identity.devices), errorText(identity.devices)],
    [
      "Duplicates",
      withInsertID === 0 ? "not known" : `≈ ${formatCount(estimated)}`,
      withInsertID === 0 ? "no insert id is mapped" : `± ${formatCount(error)}; ${certain}`,
    ],
    ["Event size", formatBytes(sizes.mean), `largest ${formatBytes(sizes.max)}`],
    ["Duration", formatDuration(run.durationMs), formatNumberOf(run.threads, "thread")],
  );
}
