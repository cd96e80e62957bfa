import type { StreamResult } from "../run/stream/stream-events.js";
import { formatBytes, formatDuration, formatNumberOf } from "./quantities.js";
import { describeRows } from "./run-summary.js";
import {
  describeFailed,
  describeLimit,
  describeNotices,
  describeReasons,
  line,
  rowRate,
  secondsOf,
} from "./summary-parts.js";

/** Summarizes events that went to standard output. Control characters from data are escaped. */
export function summarizeStream(result: StreamResult): string {
  const { outcome, rows, limit, rejects, failures, bytesRead, durationMs } = result;
  const events = `${formatNumberOf(rows.delivered, "event")} to standard output`;
  const speed = `${rowRate(rows.read, durationMs)}, ${formatBytes(bytesRead / secondsOf(durationMs))}/s`;
  return [
    outcome === "failed" ? `Failed in part: ${events}` : `Wrote ${events}`,
    describeRows(result),
    ...describeLimit(limit),
    line("time", `${formatDuration(durationMs)}, ${speed}`),
    ...describeNotices(result),
    ...(rows.rejected === 0
      ? []
      : [
          "",
          `Rejected: ${formatNumberOf(rows.rejected, "row")}; an export to a directory keeps them`,
          ...describeReasons(rejects, "see --json"),
        ]),
    ...(failures.length === 0 ? [] : ["", ...describeFailed(failures, "see --json")]),
  ].join("\n");
}
