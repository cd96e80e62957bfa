import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { DAY_MS } from "../../base/day.js";
import type { MigrationStep } from "../../contract/migration.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Calendar } from "../../ui/calendar.js";
import type { CalendarDay } from "../../ui/calendar-days.js";
import { Section } from "../../ui/section.js";

/** The events by day of the last step that counted them. A day leads to its events in this service. */
export function DaysOfSteps({ steps }: { steps: readonly MigrationStep[] }) {
  const { route } = useLocation();
  const step = [...steps].reverse().find(({ days }) => days.length > 0);
  const days = useMemo(() => everyDay(step?.days ?? []), [step]);
  if (step === undefined) return null;
  return (
    <Section title="Days">
      <p class="soft">
        {formatNumberOf(step.days.length + step.daysLeftOut, "day")} with events, as {step.name}{" "}
        counted them{step.daysLeftOut > 0 && `; the first ${step.days.length} are shown`}
      </p>
      <Calendar
        days={days}
        noun="events"
        range={null}
        onChoose={(range) => {
          const day = range === null ? undefined : days[range.start]?.day;
          if (day !== undefined) route(`/events?day=${day}`);
        }}
      />
    </Section>
  );
}

/** Returns each day from the first to the last one, also those without events. */
function everyDay(days: MigrationStep["days"]): readonly CalendarDay[] {
  const counts = new Map(days.map(({ day, events }) => [day, events]));
  const [first, last] = [days[0], days.at(-1)].map((one) => Date.parse(one?.day ?? ""));
  const all: CalendarDay[] = [];
  for (let time = first ?? 0; time <= (last ?? -1); time += DAY_MS) {
    const day = new Date(time).toISOString().slice(0, 10);
    all.push({ day, count: counts.get(day) ?? 0 });
  }
  return all;
}
