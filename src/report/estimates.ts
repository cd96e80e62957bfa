import type { ExportOptions } from "../pipeline/options.js";
import { jsonShareOf, type OutputFormat } from "../pipeline/output-formats.js";
import type { Report, ReportEstimates } from "../profile/report.js";

/** Options of an export and a send of the same inputs. */
interface DeliveryOptions {
  readonly format: OutputFormat;
  readonly compression: ExportOptions["compression"];
  /** Events per second, if the configuration limits them. */
  readonly rate: number | undefined;
}

/** Events per second that most services accept; used if the configuration has no rate. */
const USUAL_EVENTS_PER_SECOND = 1_000;

/**
 * Estimates size and time of an export and of a send from a dry run; a sample is scaled to all rows.
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
