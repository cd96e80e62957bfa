import { useMemo } from "preact/hooks";
import { sum } from "../../base/sum.js";
import type { ReportEvent } from "../../profile/report.js";
import { formatBytes, formatNumberOf } from "../../report/quantities.js";
import { Sparkline } from "../../ui/bar-charts.js";
import { DataTable, numberColumn, type TableColumn } from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import { partText, shown } from "../../ui/text.js";
import { bucketDaysFor, eventBuckets, rowsInRange } from "../elements/day-series.js";
import { shortEstimate, timeText } from "../elements/display-text.js";
import type { ViewProps, ViewState } from "../elements/view-state.js";

const SPARKLINE_BARS_MAX = 60;

interface EventsLine {
  readonly event: ReportEvent;
  readonly index: number;
  readonly rows: number;
  readonly name: string;
}

/** The table of event names, with counts of the chosen days. */
export function EventsSection({ view }: ViewProps) {
  const { report, series, chosen } = view;
  const { events, otherEvents, days } = report;
  const lines = useMemo(() => {
    const all = events.map((event, index) => ({
      event,
      index,
      name: event.event.toLowerCase(),
      rows: chosen === null ? event.rows : rowsInRange(series, index, chosen),
    }));
    return chosen === null ? all : all.filter(({ rows }) => rows > 0);
  }, [chosen]);
  const total =
    chosen === null
      ? report.rows.mapped
      : sum(days.slice(chosen.start, chosen.end), (day) => day.events);
  const others =
    otherEvents.names === null
      ? "Further names"
      : formatNumberOf(otherEvents.names, "further name");
  return (
    <Section id="events" title="Events" none={events.length === 0 && "There are no events."}>
      <DataTable<EventsLine>
        caption="Events by name"
        nouns={["event name", "event names"]}
        rows={lines}
        searchText={({ name }) => name}
        sortedBy={1}
        columns={columnsOf(view, total)}
      />
      {otherEvents.rows > 0 && (
        <p class="none">
          {`${others} beyond the limit have ${formatNumberOf(otherEvents.rows, "event")} together.`}
        </p>
      )}
    </Section>
  );
}

function columnsOf(view: ViewState, total: number): readonly TableColumn<EventsLine>[] {
  const days = view.report.days.length;
  const bucketDays = bucketDaysFor(days, SPARKLINE_BARS_MAX);
  return [
    {
      heading: "Event",
      className: "name",
      cell: ({ event }) => <a href={view.linkTo(event)}>{shown(event.event)}</a>,
      sortValue: ({ name }) => name,
    },
    numberColumn("Events", ({ rows }) => rows),
    { heading: "Share", isNumber: true, cell: ({ rows }) => partText(rows, total) },
    {
      heading: "Over time",
      cell: ({ index }) => (
        <Sparkline values={[...eventBuckets(view.series, index, days, bucketDays)]} />
      ),
    },
    numberColumn("Days", ({ event }) => event.days),
    dayColumn("First seen", ({ event }) => event.firstTimestamp),
    dayColumn("Last seen", ({ event }) => event.lastTimestamp),
    {
      heading: "Users",
      isNumber: true,
      cell: ({ event }) => (event.users === null ? "–" : shortEstimate(event.users)),
      sortValue: ({ event }) => event.users?.count ?? -1,
    },
    numberColumn("Mean size", ({ event }) => event.bytes.mean, formatBytes),
  ];
}

function dayColumn(heading: string, timeOf: (row: EventsLine) => string): TableColumn<EventsLine> {
  const cell = (row: EventsLine) => timeText(timeOf(row)).slice(0, 10);
  return { heading, className: "time", cell, sortValue: timeOf };
}
