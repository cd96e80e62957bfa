import { formatCount } from "../base/format-count.js";
import type { ListedEpoch, ListedExport, RunHistory } from "../check/run-history.js";
import type { ListedRun } from "../run/sent-runs.js";
import { formatDuration, formatNumberOf } from "./quantities.js";
import { limitText } from "./summary-parts.js";
import { commandLine, harmless } from "./terminal-text.js";

const stateWords: Readonly<Record<ListedRun["state"] | ListedExport["state"], string>> = {
  done: "done",
  failed: "failed in part",
  at_work: "running",
  interrupted: "interrupted",
  unreadable: "not readable by this version",
};

/** Lists exports and runs of `send` with their state, progress and epochs, and how to resume them. */
export function describeRuns(
  exports: readonly ListedExport[],
  runs: readonly ListedRun[],
  runsDirectory: string | undefined,
  program: string,
): string {
  const listed = [...exports.map(describeExport), ...runs.map((run) => describeRun(run, program))];
  if (runs.length === 0 && runsDirectory !== undefined)
    listed.push(`Nothing sent: no runs in ${harmless(runsDirectory)}.`);
  return listed.join("\n\n");
}

function describeExport(listed: ListedExport): string {
  const { directory, state, startedAt, delivered, rejected, failures } = listed;
  const { splitsDone, splitsTotal } = listed;
  const splits = splitsDone === splitsTotal ? "" : `, ${splitsDone} of ${splitsTotal} splits done`;
  const rejects = rejected === 0 ? "" : `, ${formatCount(rejected)} rejected`;
  const failed = failures === 0 ? "" : `, ${formatNumberOf(failures, "source")} failed`;
  return [
    `${harmless(directory)}  ${stateWords[state]}${startedAt === null ? "" : `  started ${shortTime(startedAt)}`}`,
    `  ${formatNumberOf(delivered, "event")}${rejects}${failed}${splits}`,
    ...courseOf(listed),
    ...(state === "interrupted" || state === "failed"
      ? ["  resume: run the command of this export again"]
      : []),
  ].join("\n");
}

function describeRun(run: ListedRun, program: string): string {
  const { runId, state, startedAt, delivered, rejected, splitsDone, splitsTotal } = run;
  return [
    `${runId}  ${stateWords[state]}  started ${shortTime(startedAt)}`,
    `  to ${harmless(run.destination)}`,
    `  ${formatCount(delivered)} delivered, ${rejected === 0 ? "" : `${formatCount(rejected)} rejected, `}` +
      `${splitsDone} of ${splitsTotal} splits done`,
    ...courseOf(run),
    ...(state === "interrupted"
      ? [`  resume: ${commandLine(program, run.directory, run.command)}`]
      : []),
  ].join("\n");
}

/** Most epochs that are listed one by one; the others are in `--json`. */
const EPOCHS_SHOWN_MAX = 5;

function courseOf({ epochs, endedAt, durationMs, limit }: RunHistory): readonly string[] {
  const shown = epochs.slice(-EPOCHS_SHOWN_MAX);
  const hidden = epochs.length - shown.length;
  return [
    ...(limit === undefined ? [] : [`  ${limitText(limit)}`]),
    ...(endedAt === null || durationMs === null
      ? []
      : [`  last ended ${shortTime(endedAt)}, after ${formatDuration(durationMs)}`]),
    ...(hidden > 0 ? [`  ${formatNumberOf(hidden, "earlier epoch")}, see --json`] : []),
    ...shown.map(describeEpoch),
  ];
}

function describeEpoch(epoch: ListedEpoch): string {
  const { number, startedAt, sources, delivered, firstDay, lastDay } = epoch;
  const days = firstDay === lastDay ? firstDay : `${firstDay} to ${lastDay}`;
  return (
    `  epoch ${number}  ${shortTime(startedAt)}  ${formatNumberOf(sources, "input")}, ` +
    `${formatNumberOf(delivered, "event")}${days === null ? "" : `, ${days}`}`
  );
}

/** Removes the fraction of the seconds from a time. */
function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}
