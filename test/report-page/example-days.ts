import type { ReportDay } from "../../src/profile/report.js";
import { noneEmpty } from "../report/example-report.js";

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse("2026-01-01T00:00:00Z");
/** A gap, and a spike. */
const gapDays = new Set([37, 38]);
const SPIKE_DAY = 61;

/**
 * Days with weekends, a gap, a spike, a name that vanishes (4) and one that appears (7); rarer names
 * come on some days only.
 */
export function exampleDays(count: number, names: number, random: () => number): ReportDay[] {
  return Array.from({ length: count }, (_, place) => {
    const time = FIRST_DAY + place * DAY_MS;
    const weekday = new Date(time).getUTCDay();
    const strength =
      (weekday === 0 || weekday === 6 ? 0.55 : 1) *
      (1 + place / (2 * count)) *
      (place === SPIKE_DAY ? 3.1 : 1);
    const byEvent: (readonly [number, number])[] = [];
    for (let event = 0; event < names && !gapDays.has(place); event++) {
      if ((event === 4 && place > 0.7 * count) || (event === 7 && place < 0.4 * count)) continue;
      if (event > 12 && random() > 12 / event) continue;
      const rows = Math.round((9_000 / (event + 1.5)) * strength * (0.85 + 0.3 * random()));
      if (rows > 0) byEvent.push([event, rows]);
    }
    const events = byEvent.reduce((sum, [, rows]) => sum + rows, 0);
    return {
      day: new Date(time).toISOString().slice(0, 10),
      events,
      hours: hoursOf(events),
      byEvent,
      rejected: gapDays.has(place) ? 0 : Math.round(random() * 9),
      empty: noneEmpty,
    };
  });
}

function hoursOf(events: number): number[] {
  const weights = Array.from(
    { length: 24 },
    (_, hour) => 1.15 + Math.sin(((hour - 1) / 12) * Math.PI),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const hours = weights.map((weight) => Math.floor((weight / total) * events));
  const rest = events - hours.reduce((sum, count) => sum + count, 0);
  return hours.map((count, hour) => (hour === 12 ? count + rest : count));
}
