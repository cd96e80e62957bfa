import type { CountedReport } from "../pipeline/report/fold-report.js";
import type { ReportEstimates } from "../profile/report.js";

/** Events per second that most services accept; used if the configuration has no rate. */
const USUAL_EVENTS_PER_SECOND = 1_000;

/**
 * Estimates size and time of an export and of a send from a dry run; a sample is scaled to all rows.
 * Reading and mapping take most of an export's time, and a dry run does both. `eventsPerSecond` is the
 * rate of sending.
 */
export function estimateDelivery(
  {
    rows,
    run,
    sample,
    sizes,
    days,
    partSizes,
  }: Pick<CountedReport, "rows" | "run" | "sample" | "sizes" | "days" | "partSizes">,
  eventsPerSecond = USUAL_EVENTS_PER_SECOND,
): Omit<ReportEstimates, "qualifyingEvents"> {
  const whole = (part: number) => Math.round(part / sample.share);
  const daysWithEvents = days.filter(({ events }) => events > 0).length;
  return {
    export: {
      bytes: Math.round(partSizes.estimate(sizes.total / sample.share, daysWithEvents)),
      durationMs: whole(run.durationMs),
    },
    send: {
      eventsPerSecond,
      durationMs: Math.round((whole(rows.mapped) / eventsPerSecond) * 1000),
    },
  };
}
