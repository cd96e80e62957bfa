import type { MigrationStep } from "../../contract/migration.js";
import { formatNumberOf } from "../../report/quantities.js";
import { DayBars } from "../../ui/day-bars.js";
import { Section } from "../../ui/section.js";

const DAY_MS = 86_400_000;

/** The events by day of the last step that counted them. */
export function DaysOfSteps({ steps }: { steps: readonly MigrationStep[] }) {
  const step = [...steps].reverse().find(({ days }) => days.length > 0);
  const first = step?.days[0];
  const last = step?.days.at(-1);
  if (step === undefined || first === undefined || last === undefined) return null;
  return (
    <Section title="Days">
      <p class="soft">
        {formatNumberOf(step.days.length + step.daysLeftOut, "day")} with events, as {step.name}{" "}
        counted them{step.daysLeftOut > 0 && `; the first ${step.days.length} are shown`}
      </p>
      <DayBars
        from={first.day}
        until={new Date(Date.parse(last.day) + DAY_MS).toISOString().slice(0, 10)}
        counts={new Map(step.days.map(({ day, events }) => [day, events]))}
        hrefOf={(day) => `/events?day=${day}`}
      />
    </Section>
  );
}
