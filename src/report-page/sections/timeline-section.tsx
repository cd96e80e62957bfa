import { useMemo, useState } from "preact/hooks";
import { formatCount } from "../../base/format-count.js";
import { sum } from "../../base/sum.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Details } from "../../ui/blocks.js";
import { PlainTable } from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import { daysText, partText, shown } from "../../ui/text.js";
import { REST_TONE, Timeline, toneStyle } from "../../ui/timeline.js";
import {
  bucketDaysFor,
  LAYERS_MAX,
  layersOf,
  rowsInRange,
  type SeriesLayer,
} from "../elements/day-series.js";
import type { ViewProps, ViewState } from "../elements/view-state.js";

const HEIGHT_PX = 300;
/** Most bars of a timeline; with more days, each bar shows weeks. */
const BARS_MAX = 200;

export function TimelineSection({ view }: ViewProps) {
  const { report, series } = view;
  const { days, events, rows } = report;
  const [lifted, lift] = useState<number | undefined>(undefined);
  const layers = useMemo(
    () => (bucketDays: number) => layersOf(report, series, bucketDays),
    [report, series],
  );
  if (days.length === 0) return <Section id="timeline" title="Timeline" />;
  const names =
    events.length <= LAYERS_MAX
      ? "Events by name."
      : `The ${LAYERS_MAX} most frequent names, and all others together.`;
  const top = events.slice(0, LAYERS_MAX);
  const hasRest = rows.mapped > sum(top, (event) => event.rows);
  return (
    <Section
      id="timeline"
      title="Timeline"
      lead={`${names} Drag over the chart to choose days, or move its handles with the arrow keys.`}
    >
      <RangeLine view={view} />
      <ReportTimeline
        view={view}
        heightPx={HEIGHT_PX}
        label="Events by day, stacked by event name; the table below has the numbers"
        layersOf={layers}
        lifted={lifted}
      />
      <ul class="chart-legend">
        {[...top, ...(hasRest ? [undefined] : [])].map((event, index) => (
          <li
            key={index}
            onPointerEnter={() => lift(index)}
            onPointerLeave={() => lift(undefined)}
            onFocusIn={() => lift(index)}
            onFocusOut={() => lift(undefined)}
          >
            <span
              class="swatch"
              style={toneStyle(event === undefined ? REST_TONE : index)}
              aria-hidden="true"
            />
            {event === undefined ? (
              "all other names"
            ) : (
              <a href={view.linkTo(event)}>{shown(event.event)}</a>
            )}
          </li>
        ))}
      </ul>
      <Details summary="Timeline as a table" isScreenOnly>
        <RangeTable view={view} />
      </Details>
    </Section>
  );
}

interface ReportTimelineProps extends ViewProps {
  readonly heightPx: number;
  readonly label: string;
  /** Always the same function for the same layers. */
  readonly layersOf: (bucketDays: number) => readonly SeriesLayer[];
  readonly lifted?: number | undefined;
}

/** Events by day; it shows and changes the chosen days. */
export function ReportTimeline({ view, layersOf: make, ...props }: ReportTimelineProps) {
  const { days } = view.report;
  const bucketDays = bucketDaysFor(days.length, BARS_MAX);
  const drawn = useMemo(
    () => ({
      bucketDays,
      days: days.map(({ day }) => day),
      layers: make(bucketDays).map(({ event, spans }, index) => ({
        name: layerName(view, event),
        tone: event === undefined ? REST_TONE : index,
        spans,
      })),
    }),
    [make, days],
  );
  return (
    <Timeline {...drawn} {...props} range={view.range} onChoose={(range) => view.choose(range)} />
  );
}

/** The chosen days, and a button that chooses all days again. */
export function RangeLine({ view }: ViewProps) {
  const { start, end } = view.range;
  const { days } = view.report;
  const [first, last] = [days[start]?.day ?? "", days[end - 1]?.day ?? ""];
  const events = sum(days.slice(start, end), (day) => day.events);
  return (
    <p class="range-line">
      <span role="status">
        {`${view.isWhole ? "All days: " : ""}${daysText(first, last)}, ${formatNumberOf(events, "event")}`}
      </span>
      {!view.isWhole && (
        <button type="button" class="quiet" onClick={() => view.choose(null)}>
          Show all days
        </button>
      )}
    </p>
  );
}

function RangeTable({ view }: ViewProps) {
  const { range, report, series } = view;
  const total = sum(report.days.slice(range.start, range.end), ({ events }) => events);
  const named = report.events
    .slice(0, LAYERS_MAX)
    .map((_, index) => [index, rowsInRange(series, index, range)] as const);
  const rest = total - sum(named, ([, rows]) => rows);
  const rows = [...named, [undefined, rest] as const].map(([event, count]) => [
    layerName(view, event),
    formatCount(count),
    partText(count, total),
  ]);
  return (
    <PlainTable
      caption="Events by name in the chosen days"
      headings={["Event", "Events", "Share"]}
      rows={rows}
      numbers={[1, 2]}
    />
  );
}

function layerName(view: ViewState, event: number | undefined): string {
  return event === undefined ? "all other names" : shown(view.report.events[event]?.event ?? "");
}
