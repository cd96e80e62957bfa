import type { ReportEvent } from "../../../profile/report.js";
import { formatBytes, formatCount, formatNumberOf } from "../../quantities.js";
import { singleLayer } from "./charts/layers.js";
import { timeline } from "./charts/timeline.js";
import { element } from "./element.js";
import { eventBuckets, rowsInRange } from "./event-series.js";
import { findingList } from "./sections/findings-section.js";
import { propertyTable } from "./sections/property-table.js";
import { sampleList } from "./sections/samples-section.js";
import { facts, none, section } from "./sections/section.js";
import { rangeLine } from "./sections/timeline-section.js";
import type { Tooltip } from "./tooltip.js";
import type { ViewState } from "./view-state.js";
import { errorText, shareText, shortEstimate, shown, timeParts } from "./words.js";

const HEIGHT_PX = 200;

/** All about one event name. `place` is that in `Report.events`; the signal ends what it listens to. */
export function eventPage(
  view: ViewState,
  place: number,
  tooltip: Tooltip,
  signal: AbortSignal,
): HTMLElement {
  const { report } = view;
  const event = report.events[place];
  if (event === undefined) return missingPage(view.address.event ?? "");
  const findings = report.findings.filter((finding) => finding.event === event.event);
  const samples = report.samples.filter((sample) => sample.event === event.event);
  return element(
    "div",
    { class: "page" },
    head(event),
    findings.length === 0
      ? null
      : section("event-findings", "Findings", findingList(findings, view)),
    section(
      "event-timeline",
      "Timeline",
      rangeLine(view, signal),
      countLine(view, place, signal),
      timeline({
        ...{ view, tooltip, signal, heightPx: HEIGHT_PX },
        label: `Events by day of ${shown(event.event)}`,
        layers: (bucketDays) => {
          const days = report.days.length;
          return singleLayer(eventBuckets(view.series, place, days, bucketDays), place);
        },
      }),
    ),
    section(
      "event-properties",
      "Properties",
      event.properties === null
        ? none("Properties of this name were not looked at: it is beyond the limit of names.")
        : propertyTable("Properties", event.properties),
    ),
    section(
      "event-samples",
      "From row to event",
      samples.length === 0 ? none("No sample of this name was kept.") : sampleList(samples),
    ),
  );
}

function head(event: ReportEvent): HTMLElement {
  return element(
    "header",
    { class: "head" },
    element("p", { class: "eyebrow" }, element("a", { href: "#events" }, "← All events")),
    element("h1", { tabindex: -1 }, shown(event.event)),
    facts(
      { label: "Events", value: formatCount(event.rows), note: shareText(event.share) },
      { label: "First seen", ...timeParts(event.firstTimestamp) },
      { label: "Last seen", ...timeParts(event.lastTimestamp) },
      { label: "Days", value: formatCount(event.days) },
      event.users !== null && {
        label: "Users",
        value: shortEstimate(event.users),
        note: errorText(event.users),
      },
      {
        label: "Size",
        value: formatBytes(event.bytes.mean),
        note: `the largest ${formatBytes(event.bytes.max)}`,
      },
    ),
  );
}

function countLine(view: ViewState, place: number, signal: AbortSignal): HTMLElement {
  const line = element("p", { class: "note" });
  view.onRange(() => {
    const rows = rowsInRange(view.series, place, view.range);
    line.textContent = `${formatNumberOf(rows, "event")} of this name in these days`;
  }, signal);
  return line;
}

function missingPage(name: string): HTMLElement {
  return element(
    "div",
    { class: "page" },
    element(
      "header",
      { class: "head" },
      element("p", { class: "eyebrow" }, element("a", { href: "#events" }, "← All events")),
      element("h1", { tabindex: -1 }, shown(name)),
      none("This report has no event of this name."),
    ),
  );
}
