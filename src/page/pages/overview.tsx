import { formatCount, formatNumberOf } from "../../report/quantities.js";
import { DayBars } from "../../ui/day-bars.js";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { Section } from "../../ui/section.js";
import { Time } from "../../ui/time.js";
import { useLoad } from "../../ui/use-load.js";
import { usePolling } from "../../ui/use-polling.js";
import { api } from "../api/client.js";
import { AuditTable } from "../entities/audit-table.js";
import { changes, liveEvents } from "../live.js";
import { MigrationCard } from "../migrations/migration-card.js";

const DAYS = 30;
const DAY_MS = 86_400_000;

/** Events by day, those that arrive now, migrations, and the last changes. */
export function Overview() {
  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
      </header>
      <div class="columns">
        <EventDays />
        <Arriving />
      </div>
      <Runs />
      <LastChanges />
    </>
  );
}

/** Returns the day that is `days` after another one, `YYYY-MM-DD`. */
function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Reads the counts of the last days; if they have no events, of those before the newest event. */
async function readDays(signal: AbortSignal) {
  const today = new Date().toISOString().slice(0, 10);
  const [from, until] = [dayAfter(today, 1 - DAYS), dayAfter(today, 1)];
  const { data: recent } = await api.summarizeEvents({ from, to: until, signal });
  if (recent.length > 0) return { from, until, data: recent };
  // Events that were migrated are old.
  const { data: all } = await api.summarizeEvents({ signal });
  const last = all.at(-1)?.day ?? today;
  const first = dayAfter(last, 1 - DAYS);
  return { from: first, until: dayAfter(last, 1), data: all.filter(({ day }) => day >= first) };
}

function EventDays() {
  const stored = liveEvents.value?.stored ?? 0;
  const { value, error, reload } = useLoad(`days ${stored}`, readDays);
  const counts = new Map<string, number>();
  const names = new Map<string, number>();
  for (const { day, event, count } of value?.data ?? []) {
    counts.set(day, (counts.get(day) ?? 0) + count);
    names.set(event, (names.get(event) ?? 0) + count);
  }
  const top = [...names].sort(([, left], [, right]) => right - left).slice(0, 8);
  return (
    <Section isPanel title="Events by day">
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value !== undefined && counts.size === 0 && (
        <Empty title="No events are stored">
          <p>
            <code>switchyard send</code> sends an export here, and SDKs log exposures here.
          </p>
        </Empty>
      )}
      {value !== undefined && counts.size > 0 && (
        <>
          <DayBars
            from={value.from}
            until={value.until}
            counts={counts}
            hrefOf={(day) => `/events?day=${day}`}
          />
          <ul class="ranking">
            {top.map(([name, count]) => (
              <li key={name}>
                <a href={`/events?event=${encodeURIComponent(name)}`}>{name}</a>
                <span>{formatCount(count)}</span>
              </li>
            ))}
          </ul>
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
                <strong>{event}</strong> <span class="soft">{userID ?? ""}</span> <Time at={time} />
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
