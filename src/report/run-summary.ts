import path from "node:path";
import { formatCount } from "../base/format-count.js";
import type { ShardResult } from "../distributed/run-shard.js";
import type { Manifest, RunAccounts } from "../ledger/manifest.js";
import { pathInOutput } from "../output/output-place.js";
import { formatShard } from "../plan/shard.js";
import type { ExportResult } from "../run/export-spec.js";
import type { RunResult } from "../run/run.js";
import type { SendManifest, SendResult, SendStanding } from "../run/send-result.js";
import { formatBytes, formatDuration, formatNumberOf } from "./quantities.js";
import {
  describeFailures,
  describeLimit,
  describeNotices,
  describeRejects,
  line,
  rowRate,
  rowsLine,
  secondsOf,
} from "./summary-parts.js";
import { commandLine, harmless, shellWord } from "./terminal-text.js";

/** The program in commands to type, if it is installed globally. */
const NAME = "switchyard";

/** Summarizes an export on one screen. Control characters from data are escaped. */
export function summarizeExport(result: ExportResult, program = NAME): string {
  const { manifest, manifestPath, outcome } = result;
  const directory = path.dirname(manifestPath);
  const { rows, days } = manifest.totals;
  const target = harmless(pathInOutput(directory, manifest.dataset));
  const events = `${formatNumberOf(rows, "event")} of ${formatNumberOf(days, "day")} in ${target}`;
  const head = headline(result, "Exported", events);
  if (isUnchanged(result)) return [head, ...describeLimit(manifest.limit)].join("\n");
  return [
    head,
    ...addedLines(result),
    ...exportNumbers(result),
    ...describeRejects(manifest, pathInOutput(directory, "rejects")),
    ...describeFailures(result.failures),
    "",
    line("manifest", harmless(manifestPath)),
    ...(outcome === "interrupted"
      ? []
      : [line("next", `${program} verify ${shellWord(directory)}`)]),
  ].join("\n");
}

/** Summarizes sending on one screen. Control characters from data are escaped. */
export function summarizeSend(result: SendResult, program = NAME): string {
  const { outcome, manifest, manifestPath, durationMs, rowsRead } = result;
  const isInterrupted = outcome === "interrupted";
  const time = line("time", `${formatDuration(durationMs)}, ${rowRate(rowsRead, durationMs)}`);
  const head = headline(result, "Sent", eventsTo(result));
  if (isUnchanged(result)) return [head, ...describeLimit(manifest.limit)].join("\n");
  return [
    head,
    ...addedLines(result),
    // The manifest counts the rows of finished splits only; an interrupted run has other splits too.
    ...(isInterrupted ? splitLines(result) : [describeRows(manifest)]),
    ...describeLimit(manifest.limit),
    ...deliveryLines(result),
    ...(result.alreadyDone ? [] : [time]),
    ...describeNotices(manifest),
    ...describeRejects(manifest, path.join(path.dirname(manifestPath), "rejects")),
    ...describeFailures(result.failures),
    "",
    line("manifest", harmless(manifestPath)),
    ...(isInterrupted ? [resumeLine(result, program)] : []),
  ].join("\n");
}

/** Summarizes a send that cannot continue; the caller prints the reason below. */
export function summarizeStoppedSend(standing: SendStanding, program = NAME): string {
  return [
    `Stopped: ${eventsTo(standing)} so far`,
    ...splitLines(standing),
    ...deliveryLines(standing),
    resumeLine(standing, program),
  ].join("\n");
}

function headline(
  { outcome, alreadyDone }: Pick<SendResult, "outcome" | "alreadyDone">,
  verb: string,
  what: string,
): string {
  if (outcome === "interrupted") return `Interrupted: ${what} so far`;
  if (outcome === "failed") return `Failed in part: ${what}`;
  return alreadyDone ? `Already done, nothing to do: ${what}` : `${verb} ${what}`;
}

/** Returns true if no input is new and there is nothing else to report: one line is enough. */
function isUnchanged({
  alreadyDone,
  tooManyRejects,
}: Pick<SendResult, "alreadyDone" | "tooManyRejects">): boolean {
  return alreadyDone && !tooManyRejects;
}

/** Most days of an epoch that a summary names; the others are in the manifest. */
const DAYS_SHOWN_MAX = 7;

/** Describes the result of each epoch that this run worked on, if there are several. */
function addedLines({ epochs, manifest }: RunResult<Manifest> | RunResult<SendManifest>): string[] {
  if (manifest.epochs.length < 2) return [];
  return epochs.map(({ number, sources, rows, ...more }) => {
    const days = "days" in more ? more.days : [];
    const hidden = days.length - DAYS_SHOWN_MAX;
    const names = days.slice(0, DAYS_SHOWN_MAX).join(", ");
    const listed = hidden > 0 ? `${names} and ${formatNumberOf(hidden, "day")} more` : names;
    return line(
      "added",
      `${formatNumberOf(rows.delivered, "event")} from ${formatNumberOf(sources, "input")} (epoch ${number})` +
        (days.length === 0 ? "" : ` to ${listed}`),
    );
  });
}

export function describeRows({ rows }: Pick<RunAccounts, "rows">): string {
  return rowsLine(rows, [
    `${formatCount(rows.delivered)} delivered`,
    [rows.rejected, "rejected"],
    [rows.filtered, "filtered"],
    [rows.duplicates ?? 0, "removed as duplicates"],
  ]);
}

function exportNumbers(result: ExportResult): string[] {
  const { manifest, durationMs, rowsRead, bytesRead } = result;
  const { totals, pending } = manifest;
  // A run that finishes the work of a queue reports the rows that its workers have read.
  const isPart = manifest.run.resumes > 0 && rowsRead < manifest.rows.read;
  const resumed = isPart ? " (this run only; it was resumed)" : "";
  const time =
    `${formatDuration(durationMs)}, ${rowRate(rowsRead, durationMs)}, ` +
    `${formatBytes(bytesRead / secondsOf(durationMs))}/s${resumed}`;
  return [
    describeRows(manifest),
    ...describeLimit(manifest.limit),
    line("days", `${formatCount(totals.days)}: ${periodOf(manifest)} (${manifest.dayZone})`),
    line("files", `${formatCount(totals.files)} ${manifest.format}, ${formatBytes(totals.bytes)}`),
    ...(pending === undefined
      ? []
      : [line("pending", `${formatNumberOf(pending, "event")} not yet merged into day files`)]),
    ...(result.alreadyDone ? [] : [line("time", time)]),
    ...describeNotices(manifest),
  ];
}

function periodOf({ days }: Manifest): string {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  if (first === undefined) return "none";
  return first === last ? first : `${first} to ${last}`;
}

function eventsTo({ sent, destination }: SendStanding): string {
  return `${formatNumberOf(sent.delivered, "event")} to ${harmless(destination)}`;
}

function splitLines({ sent }: SendStanding): string[] {
  const { rejected, splitsDone, splitsTotal } = sent;
  return [
    ...(rejected === 0 ? [] : [line("rejected", `${formatNumberOf(rejected, "row")} so far`)]),
    line("splits", `${formatCount(splitsDone)} of ${formatCount(splitsTotal)} done`),
  ];
}

/** Shorter waits print as 0.0 s. */
const WAITED_MS_MIN = 50;

function deliveryLines({ sent }: SendStanding): string[] {
  const { retried, possiblyDuplicated, waitedMs } = sent;
  const resent = formatNumberOf(possiblyDuplicated, "event");
  return [
    ...(retried === 0 ? [] : [line("retried", formatNumberOf(retried, "request"))]),
    ...(possiblyDuplicated === 0
      ? []
      : [line("resent", `${resent} possibly duplicated, with the same Idempotency-Key`)]),
    ...(waitedMs < WAITED_MS_MIN
      ? []
      : [line("waited", `${formatDuration(waitedMs)} for the service`)]),
  ];
}

function resumeLine({ directory, command }: SendStanding, program: string): string {
  return line("resume", commandLine(program, directory, command));
}

/** Summarizes the work of a shard on one screen. */
export function summarizeShard(result: ShardResult, program: string): string {
  const { shard, outputDirectory, splits, splitsDone, splitsOfAll, rows, failures } = result;
  const { outcome, durationMs, rowsRead, bytesRead } = result;
  const head = {
    done: `Shard ${formatShard(shard)} is done`,
    failed: `Failed in part: shard ${formatShard(shard)}`,
    interrupted: `Interrupted: shard ${formatShard(shard)}`,
  }[outcome];
  const done = splitsDone === splits ? "all done" : `${formatCount(splitsDone)} done`;
  const isIdle = rowsRead === 0 && outcome === "done";
  const speed = `${rowRate(rowsRead, durationMs)}, ${formatBytes(bytesRead / secondsOf(durationMs))}/s`;
  return [
    `${head}: its rows are in ${harmless(outputDirectory)}`,
    line("splits", `${formatNumberOf(splits, "split")} of ${formatCount(splitsOfAll)}, ${done}`),
    rowsLine(rows, [
      `${formatCount(rows.delivered)} delivered`,
      [rows.rejected, "rejected"],
      [rows.filtered, "filtered"],
    ]),
    line("time", isIdle ? formatDuration(durationMs) : `${formatDuration(durationMs)}, ${speed}`),
    ...describeFailures(failures),
    ...(outcome === "interrupted"
      ? []
      : ["", line("next", `when all shards are done: ${program} export … --shard finish`)]),
  ].join("\n");
}
