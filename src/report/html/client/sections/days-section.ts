import type { ReportDay } from "../../../../profile/report.js";
import { formatCount, formatNumberOf } from "../../../quantities.js";
import { calendar } from "../charts/calendar.js";
import { hourChart, hourText } from "../charts/hour-chart.js";
import { DataTable, plainTable } from "../data-table.js";
import { element } from "../element.js";
import { hoursInRange } from "../event-series.js";
import type { Tooltip } from "../tooltip.js";
import type { ViewState } from "../view-state.js";
import { dayText, shown } from "../words.js";
import { lazyDisclosure, lead, none, section } from "./section.js";

export function daysSection(view: ViewState, tooltip: Tooltip): HTMLElement {
  const { days, dayZone, otherDays } = view.report;
  if (days.length === 0) return section("days", "Days", none("No row has a time."));
  const empty = days.filter(({ events }) => events === 0).length;
  const gaps =
    empty === 0
      ? "Every day has events."
      : `${formatNumberOf(empty, "day")} without events: crossed out.`;
  const what = `Days are those of ${shown(dayZone)}. ${gaps} A dot marks a day with a finding. Choose a day, and the parts below follow.`;
  return section(
    "days",
    "Days and hours",
    lead(what),
    outlyingDays(view.outlying),
    otherDays.rows === 0
      ? null
      : none(
          `${formatNumberOf(otherDays.rows, "event")} lie in hours beyond the limit, so in no day.`,
        ),
    element(
      "div",
      { class: "days-and-hours" },
      element("div", {}, calendar(view, tooltip), calendarLegend()),
      hours(view),
    ),
    lazyDisclosure("Days as a table", () => dayTable("Events by day", days).element),
  );
}

function calendarLegend(): HTMLElement {
  const steps = [0, 1, 2, 3, 4, 5].map((level) =>
    element("span", { class: "day", "data-level": level }),
  );
  return element(
    "p",
    { class: "calendar-legend", "aria-hidden": "true" },
    "none",
    ...steps,
    "most",
  );
}

/** What the charts leave out, and where it lies. */
function outlyingDays(days: readonly ReportDay[]): HTMLElement | null {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const events = days.reduce((sum, day) => sum + day.events, 0);
  const where = `${formatNumberOf(days.length, "day")} between ${dayText(first.day)} and ${dayText(last.day)}`;
  const what = `${formatNumberOf(events, "event")} far from all others, on ${where}: their times are probably wrong, and charts leave them out.`;
  return element(
    "div",
    { class: "notice" },
    element("p", {}, what),
    lazyDisclosure("These days", () => dayTable("Days far from all others", days).element),
  );
}

function dayTable(caption: string, days: readonly ReportDay[]): DataTable<ReportDay> {
  return new DataTable<ReportDay>({
    caption,
    nouns: ["day", "days"],
    rows: days,
    columns: [
      { heading: "Day", cell: ({ day }) => dayText(day, "weekday"), sortValue: ({ day }) => day },
      {
        heading: "Events",
        cell: ({ events }) => formatCount(events),
        sortValue: ({ events }) => events,
        isNumber: true,
      },
      {
        heading: "Rejected",
        cell: ({ rejected }) => formatCount(rejected),
        sortValue: ({ rejected }) => rejected,
        isNumber: true,
      },
      {
        heading: "Hours with events",
        cell: ({ hours }) => hours.filter((events) => events > 0).length,
        sortValue: ({ hours }) => hours.filter((events) => events > 0).length,
        isNumber: true,
      },
    ],
  });
}

function hours(view: ViewState): HTMLElement {
  const place = element("div");
  view.onRange(() => {
    const counts = hoursInRange(view.report, view.range);
    const peak = counts.indexOf(Math.max(...counts));
    const label = `Events by hour of the day; most of them at ${hourText(peak)}`;
    place.replaceChildren(hourChart(counts, label));
  });
  const table = lazyDisclosure("Hours as a table", () => {
    const rows = hoursInRange(view.report, view.range).map((events, hour) => [
      hourText(hour),
      formatCount(events),
    ]);
    return plainTable("Events by hour of the day", ["Hour", "Events"], rows, [1]);
  });
  const { evidence } = view.report.times.zoneGuess;
  return element(
    "div",
    { class: "hours" },
    element("h3", {}, "Hours of the day"),
    place,
    element("p", { class: "note" }, shown(evidence)),
    table,
  );
}
