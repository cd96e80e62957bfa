import path from "node:path";
import type { SendResult, SendStanding } from "../pipeline/send-result.js";
import { formatCount, formatDuration, formatNumberOf } from "./quantities.js";
import {
  describeFailures,
  describeNotices,
  describeRejects,
  describeRows,
  line,
} from "./run-summary.js";
import { commandLine, harmless } from "./terminal-text.js";

/** The end of sending on one screen. Text from data is made harmless. */
export function summarizeSend(result: SendResult): string {
  const { outcome, manifest, manifestPath, failures } = result;
  const directory = path.dirname(manifestPath);
  return [
    headline(result),
    // Rows are those of finished splits only, which of a run that was interrupted says little.
    ...(outcome === "interrupted" ? standingOf(result) : [describeRows(manifest)]),
    ...deliveries(result),
    ...(result.alreadyDone ? [] : [timeOf(result)]),
    ...describeNotices(manifest),
    ...describeRejects(manifest, path.join(directory, "rejects")),
    ...describeFailures(failures),
    "",
    line("manifest", harmless(manifestPath)),
    ...(outcome === "interrupted" ? [goOn(result)] : []),
  ].join("\n");
}

/** What there is of a run that cannot go on; the reason is printed below it. */
export function summarizeStoppedSend(standing: SendStanding): string {
  return [
    `Stopped: ${eventsTo(standing)} so far`,
    ...standingOf(standing),
    ...deliveries(standing),
    goOn(standing),
  ].join("\n");
}

function headline(result: SendResult): string {
  const { outcome, alreadyDone } = result;
  const what = eventsTo(result);
  if (outcome === "interrupted") return `Interrupted: ${what} so far`;
  if (outcome === "failed") return `Failed in part: ${what}`;
  return alreadyDone ? `Already done, nothing to do: ${what}` : `Sent ${what}`;
}

function eventsTo({ sent, destination }: SendStanding): string {
  return `${formatNumberOf(sent.delivered, "event")} to ${harmless(destination)}`;
}

function standingOf({ sent }: SendStanding): string[] {
  const { rejected, splitsDone, splitsTotal } = sent;
  return [
    line("rejected", `${formatNumberOf(rejected, "row")} so far`),
    line("splits", `${formatCount(splitsDone)} of ${formatCount(splitsTotal)} done`),
  ];
}

function deliveries({ sent }: SendStanding): string[] {
  const { retried, possiblyTwice, waitedMs } = sent;
  return [
    line("retried", formatNumberOf(retried, "request")),
    line(
      "twice",
      `${formatNumberOf(possiblyTwice, "event")} possibly sent twice, under the same Idempotency-Key`,
    ),
    line("waited", `${formatDuration(waitedMs)} for the service`),
  ];
}

function timeOf({ durationMs, rowsRead }: SendResult): string {
  const perSecond = formatCount(rowsRead / (Math.max(durationMs, 1) / 1000));
  return line("time", `${formatDuration(durationMs)}, ${perSecond} rows/s`);
}

function goOn({ directory, command }: SendStanding): string {
  return line("go on", commandLine(directory, command));
}
