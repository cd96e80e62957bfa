import { useEffect, useMemo, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { DAY_MS } from "../../base/day.js";
import { formatCount } from "../../base/format-count.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Calendar } from "../../ui/calendar.js";
import { daysOfMonths } from "../../ui/calendar-days.js";
import { DayBars } from "../../ui/day-bars.js";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { FilterField } from "../../ui/filters.js";
import { Section } from "../../ui/section.js";
import { dayText, isoText, shown } from "../../ui/text.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { liveEvents } from "../live.js";

const NAMES_SHOWN_MAX = 50;
/** Days that are shown as bars; more are a calendar. */
const BARS_MAX = 31;
/** Days with events in the calendar, the newest ones: about three years. */
const DAYS_SHOWN_MAX = 1_100;

interface SummaryProps {
  /** Filters of the address; empty for none. `names` is a text in names. */
  readonly filters: Readonly<Record<"day" | "event" | "userID" | "names", string>>;
  readonly hrefOf: (changed: Readonly<Record<string, string>>) => string;
}

/** Counts by day and by name. They are sums of the service, so they take no longer with more events. */
export function EventSummary(props: SummaryProps) {
  return (
    <>
      <div class="columns">
        <ByDay {...props} />
        <ByName {...props} />
      </div>
      {props.filters.userID !== "" && (
        <p class="soft">These counts are of all users; the events below are of the user.</p>
      )}
    </>
  );
}

function ByDay({ filters: { event, day: chosen }, hrefOf }: SummaryProps) {
  const { route } = useLocation();
  const key = `days ${event} ${liveEvents.value?.stored ?? 0}`;
  const { value, error, reload } = useLoad(key, (signal) =>
    api.countEventDays({ ...(event !== "" && { event }), signal }),
  );
  const all = value?.data ?? [];
  const found = all.slice(-DAYS_SHOWN_MAX);
  const earlier = all.slice(0, -DAYS_SHOWN_MAX);
  const days = useMemo(() => daysOfMonths(found), [value]);
  const [first, last] = [found[0]?.day, found.at(-1)?.day];
  const index = days.findIndex(({ day }) => day === chosen);
  const frame = useRef<HTMLDivElement>(null);
  // The newest days are at the end.
  useEffect(() => frame.current?.scrollTo(0, frame.current.scrollHeight), [first]);
  return (
    <Section isPanel title="By day">
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={8} />}
      {value !== undefined && first === undefined && event !== "" && (
        <Empty title="No event has this name" />
      )}
      {value !== undefined && first === undefined && event === "" && (
        <Empty title="No events are stored">
          <p>
            <code>switchyard send</code> sends an export here, and SDKs log exposures here.
          </p>
        </Empty>
      )}
      {first !== undefined &&
        last !== undefined &&
        (spanOf(first, last) <= BARS_MAX ? (
          <DayBars
            from={first}
            until={dayAfter(last)}
            counts={new Map(found.map(({ day, count }) => [day, count]))}
            hrefOf={(day) => hrefOf({ day })}
          />
        ) : (
          <div class="scrolled" ref={frame}>
            <Calendar
              days={days}
              noun="events"
              range={index < 0 ? null : { start: index, end: index + 1 }}
              onChoose={(range) => route(hrefOf({ day: days[range?.start ?? -1]?.day ?? "" }))}
            />
          </div>
        ))}
      {earlier.length > 0 && (
        <p class="soft">
          and {formatNumberOf(earlier.length, "day")} before, {eventsOf(sumOf(earlier))}
        </p>
      )}
    </Section>
  );
}

function ByName({ filters: { day, names }, hrefOf }: SummaryProps) {
  const { route } = useLocation();
  const key = `names ${day} ${names} ${liveEvents.value?.stored ?? 0}`;
  const { value, error, reload } = useLoad(key, (signal) =>
    api.countEventNames({
      ...(day !== "" && { from: day, to: dayAfter(day) }),
      ...(names !== "" && { search: names }),
      limit: NAMES_SHOWN_MAX,
      signal,
    }),
  );
  return (
    <Section isPanel title={day === "" ? "By name" : `By name on ${dayText(day)}`}>
      <FilterField
        label="Names with"
        placeholder="A part of a name"
        value={names}
        onCommit={(text) => route(hrefOf({ names: text }))}
      />
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={8} />}
      {value?.data.length === 0 && (
        <Empty title={names === "" ? "No events to count" : "No name matches"} />
      )}
      <ul class="ranking scrolled">
        {value?.data.map(({ event, count }) => (
          <li key={event}>
            <a href={hrefOf({ event })}>{shown(event)}</a>
            <span>{formatCount(count)}</span>
          </li>
        ))}
      </ul>
      {value !== undefined && value.others.names > 0 && (
        <p class="soft">
          and {formatNumberOf(value.others.names, "more name")}, {eventsOf(value.others.count)}
        </p>
      )}
    </Section>
  );
}

function dayAfter(day: string): string {
  return isoText(Date.parse(day) + DAY_MS)?.slice(0, 10) ?? day;
}

function spanOf(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
}

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function eventsOf(count: number): string {
  return formatNumberOf(count, "event");
}
