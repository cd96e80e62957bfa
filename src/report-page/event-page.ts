import type { ReportEvent } from "../profile/report.js";
import { formatBytes, formatCount, formatNumberOf } from "../report/quantities.js";
import { timeline } from "./charts/timeline.js";
import { facts, none, section, type Tooltip } from "./elements/blocks.js";
import { eventBuckets, rowsInRange, singleLayer } from "./elements/day-series.js";
import { errorText, shareText, shortEstimate, shown, timeParts } from "./elements/display-text.js";
import { element } from "./elements/element.js";
import type { ViewState } from "./elements/view-state.js";
import { findingList } from "./sections/findings-section.js";
import { propertyTable } from "./sections/property-table.js";
import { sampleList } from "./sections/samples-section.js";
import { rangeLine } from "./sections/timeline-section.js";

const HEIGHT_PX = 200;

/** The page of one event name. `index` is in `Report.events`; the signal removes its listeners. */
export function eventPage(
  view: ViewState,
  index: number,
  tooltip: Tooltip,
  signal: AbortSignal,
): HTMLElement {
  const { report } = view;
  const event = report.events[index];
  if (event === undefined) return missingPage(view.address.event ?? "");
  const findings = report.findings.filter((finding) => finding.event === event.event);
  const samples = report.samples.filter((sample) => sample.event === event.event);
  return element(
    "div",
    { class: "page" },
    head(event.event, mainFacts(event)),
    findings.length === 0
      ? null
      : section("event-findings", "Findings", findingList(findings, view)),
    section(
      "event-timeline",
      "Timeline",
      rangeLine(view, signal),
      countLine(view, index, signal),
      timeline({
        view,
        tooltip,
        signal,
        heightPx: HEIGHT_PX,
        label: `Events by day of ${shown(event.event)}`,
        layers: (bucketDays) => {
          const days = report.days.length;
          return singleLayer(eventBuckets(view.series, index, days, bucketDays), index);
        },
      }),
    ),
    section(
      "event-properties",
      "Properties",
      event.properties === null
        ? none(
            "The properties of this event were not profiled, because it is beyond the limit of names.",
          )
        : propertyTable("Properties", event.properties),
    ),
    section(
      "event-samples",
      "From row to event",
      samples.length === 0 ? none("There is no sample of this event.") : sampleList(samples),
    ),
  );
}

function head(name: string, content: HTMLElement): HTMLElement {
  return element(
    "header",
    { class: "head" },
    element("p", { class: "eyebrow" }, element("a", { href: "#events" }, "← All events")),
    element("h1", { tabindex: -1 }, shown(name)),
    content,
  );
}

function mainFacts(event: ReportEvent): HTMLElement {
  return facts(
    ["Events", formatCount(event.rows), shareText(event.share)],
    ["First seen", ...timeParts(event.firstTimestamp)],
    ["Last seen", ...timeParts(event.lastTimestamp)],
    ["Days", formatCount(event.days)],
    event.users !== null && ["Users", shortEstimate(event.users), errorText(event.users)],
    ["Size", formatBytes(event.bytes.mean), `largest ${formatBytes(event.bytes.max)}`],
  );
}

function countLine(view: ViewState, index: number, signal: AbortSignal): HTMLElement {
  const line = element("p", { class: "note" });
  view.onRange(() => {
    const rows = rowsInRange(view.series, index, view.range);
    line.textContent = `${formatNumberOf(rows, "event")} with this name in the chosen days`;
  }, signal);
  return line;
}

function missingPage(name: string): HTMLElement {
  const note = none("This report has no event with this name.");
  return element("div", { class: "page" }, head(name, note));
}
