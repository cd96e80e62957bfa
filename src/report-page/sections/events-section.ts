import { sum } from "../../base/sum.js";
import type { ReportEvent } from "../../profile/report.js";
import { formatBytes, formatNumberOf } from "../../report/quantities.js";
import { sparkline } from "../charts/bars.js";
import { none, section } from "../elements/blocks.js";
import { DataTable, numberColumn, type TableColumn } from "../elements/data-table.js";
import { bucketDaysFor, eventBuckets, rowsInRange } from "../elements/day-series.js";
import { partText, shortEstimate, shown, timeText } from "../elements/display-text.js";
import { element } from "../elements/element.js";
import type { ViewState } from "../elements/view-state.js";

const SPARKLINE_BARS_MAX = 60;

interface EventsLine {
  readonly event: ReportEvent;
  readonly index: number;
  readonly rows: number;
  readonly name: string;
}

/** The table of event names, with counts of the chosen days. */
export function eventsSection(view: ViewState): HTMLElement {
  const { events, otherEvents } = view.report;
  if (events.length === 0) return section("events", "Events", none("There are no events."));
  const names = events.map(({ event }) => event.toLowerCase());
  let total = 0;
  const rowsNow = () => {
    const { range, isWhole, report } = view;
    const days = report.days.slice(range.start, range.end);
    total = isWhole ? report.rows.mapped : sum(days, (day) => day.events);
    const all = events.map((event, index) => ({
      event,
      index,
      name: names[index] ?? "",
      rows: isWhole ? event.rows : rowsInRange(view.series, index, range),
    }));
    return isWhole ? all : all.filter(({ rows }) => rows > 0);
  };
  const table = eventTable(view, rowsNow(), () => total);
  view.onRange(() => table.update(rowsNow()));
  const others =
    otherEvents.names === null
      ? "Further names"
      : formatNumberOf(otherEvents.names, "further name");
  return section(
    "events",
    "Events",
    table.element,
    otherEvents.rows === 0
      ? null
      : none(
          `${others} beyond the limit have ${formatNumberOf(otherEvents.rows, "event")} together.`,
        ),
  );
}

function eventTable(
  view: ViewState,
  rows: readonly EventsLine[],
  total: () => number,
): DataTable<EventsLine> {
  const days = view.report.days.length;
  const bucketDays = bucketDaysFor(days, SPARKLINE_BARS_MAX);
  return new DataTable<EventsLine>({
    caption: "Events by name",
    nouns: ["event name", "event names"],
    rows,
    searchText: ({ name }) => name,
    sortedBy: 1,
    columns: [
      {
        heading: "Event",
        className: "name",
        cell: ({ event }) => element("a", { href: view.linkTo(event) }, shown(event.event)),
        sortValue: ({ name }) => name,
      },
      numberColumn("Events", ({ rows: count }) => count),
      {
        heading: "Share",
        isNumber: true,
        cell: ({ rows: count }) => partText(count, total()),
      },
      {
        heading: "Over time",
        cell: ({ index }) => sparkline(eventBuckets(view.series, index, days, bucketDays)),
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
    ],
  });
}

function dayColumn(heading: string, timeOf: (row: EventsLine) => string): TableColumn<EventsLine> {
  const cell = (row: EventsLine) => timeText(timeOf(row)).slice(0, 10);
  return { heading, className: "time", cell, sortValue: timeOf };
}
