import type { ReportDay } from "../profile/report.js";

const BARS = "▁▂▃▄▅▆▇█";

/** Stands for a stretch of days without any event. */
const EMPTY = "·";

/** One character for each day, or for each stretch of days where there are more than `columns`. */
export function drawDays(days: readonly ReportDay[], columns: number): string {
  const length = Math.max(1, Math.ceil(days.length / columns));
  const stretches = Array.from({ length: Math.ceil(days.length / length) }, (_, place) => {
    const stretch = days.slice(place * length, (place + 1) * length);
    return stretch.reduce((sum, { events }) => sum + events, 0) / stretch.length;
  });
  const most = Math.max(...stretches, 1);
  return stretches
    .map((events) => {
      if (events === 0) return EMPTY;
      return BARS[Math.min(BARS.length - 1, Math.floor((events / most) * BARS.length))] ?? EMPTY;
    })
    .join("");
}
