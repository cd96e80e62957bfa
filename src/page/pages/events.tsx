import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatCount } from "../../report/quantities.js";
import { DayBars } from "../../ui/day-bars.js";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { FilterField, Filters } from "../../ui/filters.js";
import { Section } from "../../ui/section.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { liveEvents } from "../live.js";

const EVENTS_PER_PAGE = 50;
const NAMES_SHOWN_MAX = 100;
const DAY_MS = 86_400_000;

type EventFilters = Readonly<Partial<Record<"day" | "event" | "userID", string>>>;

/** The stored events by day, name and user; the filters stand in the address. */
export function Events() {
  const { query, route } = useLocation();
  const { day = "", event = "", userID = "" } = query;
  const filters: EventFilters = {
    ...(day !== "" && { day }),
    ...(event !== "" && { event }),
    ...(userID !== "" && { userID }),
  };
  const hrefOf = (changed: EventFilters) => {
    const all = Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== "");
    const text = new URLSearchParams(all as [string, string][]).toString();
    return text === "" ? "/events" : `/events?${text}`;
  };
  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
      </header>
      <Filters>
        {(
          [
            ["day", "Day (UTC)", "date"],
            ["event", "Event name", "text"],
            ["userID", "User ID", "text"],
          ] as const
        ).map(([name, label, type]) => (
          <FilterField
            key={name}
            label={label}
            type={type}
            value={filters[name] ?? ""}
            onCommit={(text) => route(hrefOf({ [name]: text }))}
          />
        ))}
        {Object.keys(filters).length > 0 && <a href="/events">Clear</a>}
      </Filters>
      <Summary hrefOf={hrefOf} event={event} />
      <EventList key={hrefOf({})} filters={filters} />
    </>
  );
}

/** Counts by day and by name. */
function Summary({ hrefOf, event }: { hrefOf: (changed: EventFilters) => string; event: string }) {
  const { value, error, reload } = useLoad(`summary ${liveEvents.value?.stored ?? 0}`, (signal) =>
    api.summarizeEvents({ signal }),
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={8} />;
  if (value.data.length === 0) {
    return (
      <Empty title="No events are stored">
        <p>
          <code>switchyard send</code> sends an export here, and SDKs log exposures here.
        </p>
      </Empty>
    );
  }
  const days = new Map<string, number>();
  const names = new Map<string, number>();
  for (const { day, event: name, count } of value.data) {
    if (event === "" || event === name) days.set(day, (days.get(day) ?? 0) + count);
    names.set(name, (names.get(name) ?? 0) + count);
  }
  const sorted = [...days.keys()].sort();
  const first = sorted[0];
  const last = sorted.at(-1);
  const ranked = [...names].sort(([, left], [, right]) => right - left);
  return (
    <div class="columns">
      <Section isPanel title="By day">
        {first !== undefined && last !== undefined && (
          <DayBars
            from={first}
            until={new Date(Date.parse(last) + DAY_MS).toISOString().slice(0, 10)}
            counts={days}
            hrefOf={(day) => hrefOf({ day })}
          />
        )}
      </Section>
      <Section isPanel title="By name">
        <ul class="ranking scrolled">
          {ranked.slice(0, NAMES_SHOWN_MAX).map(([name, count]) => (
            <li key={name}>
              <a href={hrefOf({ event: name })}>{name}</a>
              <span>{formatCount(count)}</span>
            </li>
          ))}
        </ul>
        {ranked.length > NAMES_SHOWN_MAX && (
          <p class="soft">
            The {NAMES_SHOWN_MAX} most frequent of {formatCount(ranked.length)} names
          </p>
        )}
      </Section>
    </div>
  );
}

type ListedEvent = Awaited<ReturnType<typeof api.listEvents>>["data"][number];

/** The events themselves, a page at a time. */
function EventList({ filters }: { filters: EventFilters }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [open, setOpen] = useState<number>();
  const cursor = cursors.at(-1);
  const { value, error, reload } = useLoad(`events ${cursor}`, (signal) =>
    api.listEvents({
      ...filters,
      limit: EVENTS_PER_PAGE,
      ...(cursor !== undefined && { cursor }),
      signal,
    }),
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={10} />;
  if (value.data.length === 0 && value.nextCursor === null) {
    return <Empty title="No event matches" />;
  }
  const next = value.nextCursor;
  return (
    <Section title="Events">
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">Time (UTC)</th>
              <th scope="col">Event</th>
              <th scope="col">User</th>
              <th scope="col">
                <span class="visually-hidden">Whole event</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {value.data.map((event, index) => (
              <EventRow
                key={index}
                event={event}
                isOpen={open === index}
                onOpen={() => setOpen(open === index ? undefined : index)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        {cursors.length > 0 && (
          <button type="button" class="quiet" onClick={() => setCursors(cursors.slice(0, -1))}>
            Previous
          </button>
        )}
        {next !== null && (
          <button type="button" class="quiet" onClick={() => setCursors([...cursors, next])}>
            Next
          </button>
        )}
      </div>
    </Section>
  );
}

interface EventRowProps {
  readonly event: ListedEvent;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function EventRow({ event, isOpen, onOpen }: EventRowProps) {
  const user = (event.user ?? {}) as { readonly userID?: string; readonly stableID?: string };
  const id = user.userID ?? user.stableID ?? "";
  return (
    <>
      <tr>
        <td class="time">
          {new Date(event.timestamp).toISOString().replace("T", " ").replace("Z", "")}
        </td>
        <td>{event.event}</td>
        <td>{id}</td>
        <td>
          <button type="button" class="link" aria-expanded={isOpen} onClick={onOpen}>
            {isOpen ? "Close" : "Open"}
            <span class="visually-hidden"> the whole event {event.event}</span>
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={4}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard. */}
            <pre tabIndex={0}>{JSON.stringify(event, null, 2)}</pre>
          </td>
        </tr>
      )}
    </>
  );
}
