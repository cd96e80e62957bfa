import type { ReportEvent } from "../../../../profile/report.js";
import { formatBytes, formatCount, formatNumberOf } from "../../../quantities.js";
import { sparkline } from "../charts/sparkline.js";
import { DataTable } from "../data-table.js";
import { element } from "../element.js";
import { bucketDaysFor, eventBuckets, rowsInRange } from "../event-series.js";
import type { ViewState } from "../view-state.js";
import { partText, shortEstimate, shown, timeText } from "../words.js";
import { none, section } from "./section.js";

const SPARKLINE_BARS_MAX = 60;

interface EventRow {
  readonly event: ReportEvent;
  readonly place: number;
  readonly rows: number;
  readonly name: string;
}

/** The table of event names; its counts are those of the chosen days. */
export function eventsSection(view: ViewState): HTMLElement {
  const { events, otherEvents } = view.report;
  if (events.length === 0) return section("events", "Events", none("There are no events."));
  const names = events.map(({ event }) => event.toLowerCase());
  let total = 0;
  const rowsNow = () => {
    const { range, isWhole, report } = view;
    const days = report.days.slice(range.start, range.end);
    total = isWhole ? report.rows.mapped : days.reduce((sum, day) => sum + day.events, 0);
    const all = events.map((event, place) => ({
      ...{ event, place, name: names[place] ?? "" },
      rows: isWhole ? event.rows : rowsInRange(view.series, place, range),
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
          `${others} beyond the limit, with ${formatNumberOf(otherEvents.rows, "event")} together.`,
        ),
  );
}

function eventTable(
  view: ViewState,
  rows: readonly EventRow[],
  total: () => number,
): DataTable<EventRow> {
  const days = view.report.days.length;
  const bucketDays = bucketDaysFor(days, SPARKLINE_BARS_MAX);
  return new DataTable<EventRow>({
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
      {
        heading: "Events",
        isNumber: true,
        cell: ({ rows: count }) => formatCount(count),
        sortValue: ({ rows: count }) => count,
      },
      {
        heading: "Share",
        isNumber: true,
        cell: ({ rows: count }) => partText(count, total()),
      },
      {
        heading: "Over time",
        cell: ({ place }) => sparkline(eventBuckets(view.series, place, days, bucketDays)),
      },
      {
        heading: "Days",
        isNumber: true,
        cell: ({ event }) => formatCount(event.days),
        sortValue: ({ event }) => event.days,
      },
      {
        heading: "First seen",
        className: "time",
        cell: ({ event }) => timeText(event.firstTimestamp).slice(0, 10),
        sortValue: ({ event }) => event.firstTimestamp,
      },
      {
        heading: "Last seen",
        className: "time",
        cell: ({ event }) => timeText(event.lastTimestamp).slice(0, 10),
        sortValue: ({ event }) => event.lastTimestamp,
      },
      {
        heading: "Users",
        isNumber: true,
        cell: ({ event }) => (event.users === null ? "–" : shortEstimate(event.users)),
        sortValue: ({ event }) => event.users?.count ?? -1,
      },
      {
        heading: "Mean size",
        isNumber: true,
        cell: ({ event }) => formatBytes(event.bytes.mean),
        sortValue: ({ event }) => event.bytes.mean,
      },
    ],
  });
}
