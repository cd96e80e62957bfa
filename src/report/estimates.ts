import type { Report, ReportEstimates } from "../profile/report.js";

/** What an export and a send of the same inputs are to be like. */
export interface DeliveryOptions {
  /** As `export.format`. */
  readonly format: string;
  /** As `export.compression`; of Parquet alone. */
  readonly compression: string;
  /** Events per second, where the configuration limits them. */
  readonly rate: number | undefined;
}

/** Events per second that most services take, where nobody says how many. */
const USUAL_EVENTS_PER_SECOND = 1_000;

/**
 * Bytes of files for a byte of JSON lines, as measured on Amplitude events of 280 bytes: they are
 * right within a factor of two, as properties that repeat compress better than those that do not.
 */
const shares: Readonly<Record<string, number>> = {
  jsonl: 1,
  "jsonl.gz": 0.13,
  csv: 1.08,
  "parquet none": 0.85,
  "parquet snappy": 0.18,
  "parquet gzip": 0.13,
  "parquet zstd": 0.13,
};

/**
 * Size and time of an export and of sending, from what a dry run has seen; of a sample, for all rows.
 * Reading and mapping take most of an export's time, and a dry run does both.
 */
export function estimateDelivery(
  { rows, run, sample, sizes }: Pick<Report, "rows" | "run" | "sample" | "sizes">,
  { format, compression, rate }: DeliveryOptions,
): Omit<ReportEstimates, "qualifyingEvents"> {
  const whole = (part: number) => Math.round(part / sample.share);
  const kind = format === "parquet" ? `parquet ${compression}` : format;
  const eventsPerSecond = rate ?? USUAL_EVENTS_PER_SECOND;
  return {
    export: {
      bytes: whole(sizes.total * (shares[kind] ?? 1)),
      durationMs: whole(run.durationMs),
    },
    send: {
      eventsPerSecond,
      durationMs: Math.round((whole(rows.mapped) / eventsPerSecond) * 1000),
    },
  };
}
