import path from "node:path";
import type { SendResult } from "../pipeline/send-result.js";
import { formatCount, formatDuration, formatNumberOf } from "./quantities.js";
import {
  describeFailures,
  describeNotices,
  describeRejects,
  describeRows,
  line,
} from "./run-summary.js";
import { harmless } from "./terminal-text.js";

/** The end of sending on one screen. Text from data is made harmless. */
export function summarizeSend(result: SendResult): string {
  const { manifest, manifestPath, failures } = result;
  const directory = path.dirname(manifestPath);
  return [
    headline(result),
    describeRows(manifest),
    ...deliveries(result),
    ...describeNotices(manifest),
    ...describeRejects(manifest, path.join(directory, "rejects")),
    ...describeFailures(failures),
    "",
    line("manifest", harmless(manifestPath)),
  ].join("\n");
}

function headline({ outcome, alreadyDone, manifest, deliveredBeyond }: SendResult): string {
  const delivered = manifest.delivery.delivered + deliveredBeyond;
  const what = `${formatNumberOf(delivered, "event")} to ${harmless(manifest.destination)}`;
  if (outcome === "interrupted") return `Interrupted: ${what} so far`;
  if (outcome === "failed") return `Failed in part: ${what}`;
  return alreadyDone ? `Already done, nothing to do: ${what}` : `Sent ${what}`;
}

function deliveries({ manifest, alreadyDone, durationMs, rowsRead }: SendResult): string[] {
  const { retried, possiblyTwice, waitedMs } = manifest.delivery;
  const perSecond = formatCount(rowsRead / (Math.max(durationMs, 1) / 1000));
  return [
    line("retried", formatNumberOf(retried, "request")),
    line(
      "twice",
      `${formatNumberOf(possiblyTwice, "event")} possibly sent twice, under the same Idempotency-Key`,
    ),
    line("waited", `${formatDuration(waitedMs)} for the service`),
    ...(alreadyDone ? [] : [line("time", `${formatDuration(durationMs)}, ${perSecond} rows/s`)]),
  ];
}
