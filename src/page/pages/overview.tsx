import { dayAfter } from "../../base/day.js";
import { formatCount } from "../../base/format-count.js";
import { formatNumberOf } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";
import { DayBars } from "../../ui/day-bars.js";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { Section } from "../../ui/section.js";
import { shown } from "../../ui/text.js";
import { Time } from "../../ui/time.js";
import { useLoad } from "../../ui/use-load.js";
import { usePolling } from "../../ui/use-polling.js";
import { api } from "../api/client.js";
import { AuditTable } from "../entities/audit-table.js";
import { changes, liveEvents } from "../live.js";
import { MigrationCard } from "../migrations/migration-card.js";
import { mayRead } from "../session.js";

const DAYS = 30;
const NAMES_SHOWN_MAX = 8;

/** Events by day, those that arrive now, migrations, and the last changes. */
export function Overview() {
  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      {mayRead("events") ? (
        <div class="columns">
          <EventDays />
          <Arriving />
        </div>
      ) : (
        <p class="notice">Your key may not read events (events:read).</p>
      )}
      <Runs />
      <LastChanges />
    </>
  );
}

/** Reads the counts of the last days; if they have no events, of those before the newest event. */
async function readDays(signal: AbortSignal) {
  const { data } = await api.countEventDays({ signal });
  const lastDays = (last: string) => {
    const range = { from: dayAfter(last, 1 - DAYS), to: dayAfter(last, 1) };
    return { ...range, days: data.filter(({ day }) => day >= range.from && day < range.to) };
  };
  const today = new Date().toISOString().slice(0, 10);
  const recent = lastDays(today);
  // Events that were migrated are old.
  const shown = recent.days.length > 0 ? recent : lastDays(data.at(-1)?.day ?? today);
  const { from, to } = shown;
  const names = await api.countEventNames({ from, to, limit: NAMES_SHOWN_MAX, signal });
  return { ...shown, names };
}

function EventDays() {
  const stored = liveEvents.value?.stored ?? 0;
  const { value, error, reload } = useLoad(`days ${stored}`, readDays);
  return (
    <Section isPanel title="Events by day">
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value !== undefined && value.days.length === 0 && (
        <Empty title="No events are stored">
          <p>
            <code>switchyard send</code> sends an export here, and SDKs log exposures here.
          </p>
        </Empty>
      )}
      {value !== undefined && value.days.length > 0 && (
        <>
          <DayBars
            from={value.from}
            until={value.to}
            counts={new Map(value.days.map(({ day, count }) => [day, count]))}
            hrefOf={(day) => `/events?day=${day}`}
          />
          <ul class="ranking">
            {value.names.data.map(({ event, count }) => (
              <li key={event}>
                <a href={`/events?event=${encodeURIComponent(event)}`}>{shown(event)}</a>
                <span>{formatCount(count)}</span>
              </li>
            ))}
          </ul>
          {value.names.others.names > 0 && (
            <p class="soft">
              and {formatNumberOf(value.names.others.names, "more name")},{" "}
              {formatNumberOf(value.names.others.count, "event")}
            </p>
          )}
        </>
      )}
    </Section>
  );
}

function Arriving() {
  const live = liveEvents.value;
  return (
    <Section isPanel title="Arriving now">
      {live === undefined || live.latest.length === 0 ? (
        <Empty title="Waiting for events">
          <p>They appear here as they arrive.</p>
        </Empty>
      ) : (
        <>
          <p class="soft">{formatNumberOf(live.stored, "event")} stored</p>
          <ul class="feed">
            {live.latest.map(({ event, userID, time }, index) => (
              <li key={index}>
                <strong>{shown(event)}</strong> <span class="soft">{harmless(userID ?? "")}</span>{" "}
                <Time at={time} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

const RUNS_SHOWN_MAX = 3;

/** The newest migrations; nothing where there are none. */
function Runs() {
  const { value, reload } = useLoad("runs", (signal) =>
    api.listMigrations({ limit: RUNS_SHOWN_MAX, signal }),
  );
  usePolling(reload, value?.data.some(({ attempt }) => attempt.state === "running") === true);
  if (value === undefined || value.data.length === 0) return null;
  return (
    <Section title="Migrations">
      <ul class="cards">
        {value.data.map((migration) => (
          <MigrationCard key={migration.id} migration={migration} />
        ))}
      </ul>
    </Section>
  );
}

function LastChanges() {
  const { value, error, reload } = useLoad(`changes ${changes.value}`, (signal) =>
    api.listAuditLogs({ limit: 10, signal }),
  );
  return (
    <Section isPanel title="Last changes">
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value?.data.length === 0 && <Empty title="Nothing was changed yet" />}
      {value !== undefined && value.data.length > 0 && <AuditTable entries={value.data} />}
    </Section>
  );
}
