import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { formatCount } from "../base/format-count.js";
import { formatShare } from "../base/format-share.js";
import type { ReportEvent } from "../profile/report.js";
import { formatBytes, formatNumberOf } from "../report/quantities.js";
import { type Fact, Facts } from "../ui/blocks.js";
import { Section } from "../ui/section.js";
import { shown } from "../ui/text.js";
import { eventBuckets, rowsInRange, singleLayer } from "./elements/day-series.js";
import { errorText, shortEstimate, timeParts } from "./elements/display-text.js";
import type { ViewState } from "./elements/view-state.js";
import { FindingList } from "./sections/findings-section.js";
import { PropertyTable } from "./sections/property-table.js";
import { SampleList } from "./sections/samples-section.js";
import { RangeLine, ReportTimeline } from "./sections/timeline-section.js";

const HEIGHT_PX = 200;

interface EventPageProps {
  readonly view: ViewState;
  /** As the address has it. */
  readonly name: string;
}

/** The page of one event name. */
export function EventPage({ view, name }: EventPageProps) {
  const { report, series, range } = view;
  const index = view.indexOf(name);
  const event = report.events[index];
  const layers = useMemo(
    () => (bucketDays: number) =>
      singleLayer(eventBuckets(series, index, report.days.length, bucketDays), index),
    [],
  );
  if (event === undefined) {
    return (
      <Head name={name}>
        <p class="none">This report has no event with this name.</p>
      </Head>
    );
  }
  const findings = report.findings.filter((finding) => finding.event === event.event);
  const samples = report.samples.filter((sample) => sample.event === event.event);
  const rows = formatNumberOf(rowsInRange(series, index, range), "event");
  return (
    <>
      <Head name={event.event}>
        <Facts list={mainFacts(event)} />
      </Head>
      {findings.length > 0 && (
        <Section id="event-findings" title="Findings">
          <FindingList findings={findings} view={view} />
        </Section>
      )}
      <Section id="event-timeline" title="Timeline">
        <RangeLine view={view} />
        <p class="note">{rows} with this name in the chosen days</p>
        <ReportTimeline
          view={view}
          heightPx={HEIGHT_PX}
          label={`Events by day of ${shown(event.event)}`}
          layersOf={layers}
        />
      </Section>
      <Section
        id="event-properties"
        title="Properties"
        none={
          event.properties === null &&
          "The properties of this event were not profiled, because it is beyond the limit of names."
        }
      >
        {event.properties && <PropertyTable caption="Properties" properties={event.properties} />}
      </Section>
      <Section
        id="event-samples"
        title="From row to event"
        none={samples.length === 0 && "There is no sample of this event."}
      >
        <SampleList samples={samples} />
      </Section>
    </>
  );
}

function Head({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <header class="head">
      <p class="eyebrow">
        <a href="#events">← All events</a>
      </p>
      <h1 tabIndex={-1}>{shown(name)}</h1>
      {children}
    </header>
  );
}

function mainFacts(event: ReportEvent): readonly Fact[] {
  const { users } = event;
  return [
    ["Events", formatCount(event.rows), formatShare(event.share, 1)],
    ["First seen", ...timeParts(event.firstTimestamp)],
    ["Last seen", ...timeParts(event.lastTimestamp)],
    ["Days", formatCount(event.days)],
    ...(users === null ? [] : [["Users", shortEstimate(users), errorText(users)] as const]),
    ["Size", formatBytes(event.bytes.mean), `largest ${formatBytes(event.bytes.max)}`],
  ];
}
