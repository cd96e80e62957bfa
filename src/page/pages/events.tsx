import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { FilterField, Filters } from "../../ui/filters.js";
import { Section } from "../../ui/section.js";
import { isoText, shown } from "../../ui/text.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { EventSummary } from "./event-summary.js";

const EVENTS_PER_PAGE = 50;
/** Requests of one page. Each looks for a user in 10,000 events. */
const SEARCHES_PER_PAGE_MAX = 30;

type EventFilters = Readonly<Partial<Record<"day" | "event" | "userID", string>>>;

/** The stored events by day, name and user; the filters stand in the address. */
export function Events() {
  const { query, route } = useLocation();
  const { day = "", event = "", userID = "", names = "" } = query;
  const filters: EventFilters = {
    ...(day !== "" && { day }),
    ...(event !== "" && { event }),
    ...(userID !== "" && { userID }),
  };
  const hrefOf = (changed: Readonly<Record<string, string>>) => {
    const all = Object.entries({ ...filters, names, ...changed }).filter(
      ([, value]) => value !== "",
    );
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
        {(Object.keys(filters).length > 0 || names !== "") && <a href="/events">Clear filters</a>}
      </Filters>
      <EventSummary filters={{ day, event, userID, names }} hrefOf={hrefOf} />
      <EventList key={hrefOf({ names: "" })} filters={filters} />
    </>
  );
}

type ListedEvent = Awaited<ReturnType<typeof api.listEvents>>["data"][number];

/** Reads a page. The service looks for a user in some events at a time, so it is asked until there is one. */
async function readPage(filters: EventFilters, cursor: string | undefined, signal: AbortSignal) {
  const data: ListedEvent[] = [];
  let next: string | null = cursor ?? null;
  for (let searches = 0; searches < SEARCHES_PER_PAGE_MAX; searches++) {
    const page = await api.listEvents({
      ...filters,
      limit: EVENTS_PER_PAGE - data.length,
      ...(next !== null && { cursor: next }),
      signal,
    });
    data.push(...page.data);
    next = page.nextCursor;
    if (next === null || data.length === EVENTS_PER_PAGE || filters.userID === undefined) break;
  }
  return { data, next };
}

/** The events themselves, a page at a time. */
function EventList({ filters }: { filters: EventFilters }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [open, setOpen] = useState<number>();
  const cursor = cursors.at(-1);
  const { value, error, reload } = useLoad(`events ${cursor}`, (signal) =>
    readPage(filters, cursor, signal),
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={10} />;
  const { next } = value;
  if (value.data.length === 0 && next === null && cursors.length === 0) {
    return <Empty title="No event matches" />;
  }
  const isSearching = next !== null && value.data.length < EVENTS_PER_PAGE;
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
      {isSearching && (
        <p class="soft">Not all events were searched yet. Choose a day or a name, or search on.</p>
      )}
      <div class="buttons">
        {cursors.length > 0 && (
          <button type="button" class="quiet" onClick={() => setCursors(cursors.slice(0, -1))}>
            Previous
          </button>
        )}
        {next !== null && (
          <button type="button" class="quiet" onClick={() => setCursors([...cursors, next])}>
            {isSearching ? "Search on" : "Next"}
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
        <td class="time">{timeText(event.timestamp)}</td>
        <td>{shown(event.event)}</td>
        <td>{id}</td>
        <td>
          <button type="button" class="link" aria-expanded={isOpen} onClick={onOpen}>
            {isOpen ? "Close" : "Open"}
            <span class="visually-hidden"> the whole event {shown(event.event)}</span>
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

/** `2026-11-28 15:37:10.000`, also of a number in a text; as sent if it is not a time. */
function timeText(timestamp: number | string): string {
  const number = Number(timestamp);
  const iso = isoText(Number.isNaN(number) ? Date.parse(String(timestamp)) : number);
  return iso?.replace("T", " ").replace("Z", "") ?? String(timestamp);
}
