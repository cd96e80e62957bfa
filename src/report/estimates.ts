import type { ExportOptions } from "../pipeline/options.js";
import { jsonShareOf, type OutputFormat } from "../pipeline/output-formats.js";
import type { Report, ReportEstimates } from "../profile/report.js";

/** What an export and a send of the same inputs are to be like. */
export interface DeliveryOptions {
  readonly format: OutputFormat;
  readonly compression: ExportOptions["compression"];
  /** Events per second, where the configuration limits them. */
  readonly rate: number | undefined;
}

/** Events per second that most services take, where nobody says how many. */
const USUAL_EVENTS_PER_SECOND = 1_000;

/**
 * Size and time of an export and of sending, from what a dry run has seen; of a sample, for all rows.
 * Reading and mapping take most of an export's time, and a dry run does both.
 */
export function estimateDelivery(
  { rows, run, sample, sizes }: Pick<Report, "rows" | "run" | "sample" | "sizes">,
  { format, compression, rate }: DeliveryOptions,
): Omit<ReportEstimates, "qualifyingEvents"> {
  const whole = (part: number) => Math.round(part / sample.share);
  const eventsPerSecond = rate ?? USUAL_EVENTS_PER_SECOND;
  return {
    export: {
      bytes: whole(sizes.total * jsonShareOf(format, compression)),
      durationMs: whole(run.durationMs),
    },
    send: {
      eventsPerSecond,
      durationMs: Math.round((whole(rows.mapped) / eventsPerSecond) * 1000),
    },
  };
}
