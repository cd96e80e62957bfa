import { useMemo } from "preact/hooks";
import { clockText } from "../../base/day.js";
import { formatCount } from "../../base/format-count.js";
import { sum } from "../../base/sum.js";
import type { ReportDay } from "../../profile/report.js";
import { formatNumberOf } from "../../report/quantities.js";
import { BarChart } from "../../ui/bar-charts.js";
import { Details } from "../../ui/blocks.js";
import { Calendar } from "../../ui/calendar.js";
import { DataTable, numberColumn, PlainTable, type TableColumn } from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import { daysText, dayText, shown } from "../../ui/text.js";
import { hoursInRange } from "../elements/day-series.js";
import type { ViewProps } from "../elements/view-state.js";

export function DaysSection({ view }: ViewProps) {
  const { days, dayZone, otherDays } = view.report;
  if (days.length === 0) return <Section id="days" title="Days" none="No row has a time." />;
  const empty = days.filter(({ events }) => events === 0).length;
  const gaps = `${formatNumberOf(empty, "day")} without events ${empty === 1 ? "is" : "are"} crossed out.`;
  const what = [
    `Days are in ${shown(dayZone)}.`,
    ...(empty > 0 ? [gaps] : []),
    "A dot marks a day with a finding. Choose a day to filter the parts below.",
  ];
  return (
    <Section id="days" title="Days and hours" lead={what.join(" ")}>
      <OutlyingDays days={view.outlying} />
      {otherDays.rows > 0 && (
        <p class="none">
          {`${formatNumberOf(otherDays.rows, "event")} in hours beyond the limit ${otherDays.rows === 1 ? "is" : "are"} in no day.`}
        </p>
      )}
      <div class="days-and-hours">
        <div>
          <DayCalendar view={view} />
        </div>
        <Hours view={view} />
      </div>
      <Details summary="Days as a table" isScreenOnly>
        <DayTable caption="Events by day" days={days} />
      </Details>
    </Section>
  );
}

function DayCalendar({ view }: ViewProps) {
  const { report, chosen } = view;
  const days = useMemo(() => {
    const flagged = new Set(report.findings.map(({ day }) => day));
    return report.days.map(({ day, events, rejected }) => ({
      day,
      count: events,
      rejected,
      note: flagged.has(day) ? "has a finding" : undefined,
    }));
  }, [report]);
  return (
    <Calendar noun="events" days={days} range={chosen} onChoose={(range) => view.choose(range)} />
  );
}

/** Names the days that the charts omit. */
function OutlyingDays({ days }: { readonly days: readonly ReportDay[] }) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const events = sum(days, (day) => day.events);
  const rejected = sum(days, (day) => day.rejected);
  const rows =
    events > 0 ? formatNumberOf(events, "event") : formatNumberOf(rejected, "rejected row");
  return (
    <div class="notice">
      <p>
        {`${rows} far from all others: ${daysText(first.day, last.day)}. These times are probably wrong, so charts leave them out.`}
      </p>
      <Details summary="Show these days" isScreenOnly>
        <DayTable caption="Days far from all others" days={days} />
      </Details>
    </div>
  );
}

const dayColumns: readonly TableColumn<ReportDay>[] = [
  { heading: "Day", cell: ({ day }) => dayText(day, "weekday"), sortValue: ({ day }) => day },
  numberColumn("Events", ({ events }) => events),
  numberColumn("Rejected", ({ rejected }) => rejected),
  numberColumn("Hours with events", ({ hours }) => hours.filter((events) => events > 0).length),
];

function DayTable(props: { readonly caption: string; readonly days: readonly ReportDay[] }) {
  const { caption, days } = props;
  return <DataTable caption={caption} nouns={["day", "days"]} rows={days} columns={dayColumns} />;
}

function Hours({ view }: ViewProps) {
  const counts = hoursInRange(view.report, view.range);
  const bars = counts.map((events, hour) => [clockText(hour), events] as const);
  const peak = counts.indexOf(Math.max(...counts));
  return (
    <div class="hours">
      <h3>Hours of the day</h3>
      <BarChart
        label={`Events by hour of the day; most at ${clockText(peak)}`}
        bars={bars}
        noun="events"
        namedEvery={6}
      />
      <p class="note">{shown(view.report.times.zoneGuess.evidence)}</p>
      <Details summary="Hours as a table" isScreenOnly>
        <PlainTable
          caption="Events by hour of the day"
          headings={["Hour", "Events"]}
          rows={bars.map(([hour, events]) => [hour, formatCount(events)])}
          numbers={[1]}
        />
      </Details>
    </div>
  );
}
