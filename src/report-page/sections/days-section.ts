import { clockText } from "../../base/day.js";
import { sum } from "../../base/sum.js";
import type { ReportDay } from "../../profile/report.js";
import { formatCount, formatNumberOf } from "../../report/quantities.js";
import { hourChart } from "../charts/bars.js";
import { calendar, calendarLegend } from "../charts/calendar.js";
import { lazyDisclosure, lead, none, section, type Tooltip } from "../elements/blocks.js";
import { DataTable, numberColumn, plainTable } from "../elements/data-table.js";
import { hoursInRange } from "../elements/day-series.js";
import { daysText, dayText, shown } from "../elements/display-text.js";
import { element } from "../elements/element.js";
import type { ViewState } from "../elements/view-state.js";

export function daysSection(view: ViewState, tooltip: Tooltip): HTMLElement {
  const { days, dayZone, otherDays } = view.report;
  if (days.length === 0) return section("days", "Days", none("No row has a time."));
  const empty = days.filter(({ events }) => events === 0).length;
  const gaps =
    empty > 0 &&
    `${formatNumberOf(empty, "day")} without events ${empty === 1 ? "is" : "are"} crossed out.`;
  const what = [
    `Days are in ${shown(dayZone)}.`,
    gaps,
    "A dot marks a day with a finding. Choose a day to filter the parts below.",
  ];
  return section(
    "days",
    "Days and hours",
    lead(what.filter((part) => part !== false).join(" ")),
    outlyingDays(view.outlying),
    otherDays.rows === 0
      ? null
      : none(
          `${formatNumberOf(otherDays.rows, "event")} in hours beyond the limit ${otherDays.rows === 1 ? "is" : "are"} in no day.`,
        ),
    element(
      "div",
      { class: "days-and-hours" },
      element("div", {}, calendar(view, tooltip), calendarLegend(days)),
      hours(view),
    ),
    lazyDisclosure("Days as a table", () => dayTable("Events by day", days).element),
  );
}

/** Names the days that the charts omit. */
function outlyingDays(days: readonly ReportDay[]): HTMLElement | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const events = sum(days, (day) => day.events);
  const rows =
    events > 0
      ? formatNumberOf(events, "event")
      : formatNumberOf(
          sum(days, (day) => day.rejected),
          "rejected row",
        );
  const what = `${rows} far from all others: ${daysText(first.day, last.day)}. These times are probably wrong, so charts leave them out.`;
  return element(
    "div",
    { class: "notice" },
    element("p", {}, what),
    lazyDisclosure("Show these days", () => dayTable("Days far from all others", days).element),
  );
}

function dayTable(caption: string, days: readonly ReportDay[]): DataTable<ReportDay> {
  return new DataTable<ReportDay>({
    caption,
    nouns: ["day", "days"],
    rows: days,
    columns: [
      { heading: "Day", cell: ({ day }) => dayText(day, "weekday"), sortValue: ({ day }) => day },
      numberColumn("Events", ({ events }) => events),
      numberColumn("Rejected", ({ rejected }) => rejected),
      numberColumn("Hours with events", ({ hours }) => hours.filter((events) => events > 0).length),
    ],
  });
}

function hours(view: ViewState): HTMLElement {
  const holder = element("div");
  view.onRange(() => {
    const counts = hoursInRange(view.report, view.range);
    const peak = counts.indexOf(Math.max(...counts));
    const label = `Events by hour of the day; most at ${clockText(peak)}`;
    holder.replaceChildren(hourChart(counts, label));
  });
  const table = lazyDisclosure("Hours as a table", () => {
    const rows = hoursInRange(view.report, view.range).map((events, hour) => [
      clockText(hour),
      formatCount(events),
    ]);
    return plainTable("Events by hour of the day", ["Hour", "Events"], rows, [1]);
  });
  const { evidence } = view.report.times.zoneGuess;
  return element(
    "div",
    { class: "hours" },
    element("h3", {}, "Hours of the day"),
    holder,
    element("p", { class: "note" }, shown(evidence)),
    table,
  );
}
