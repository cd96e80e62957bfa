import type { ListedRun } from "../pipeline/sent-runs.js";
import { formatCount } from "./quantities.js";
import { commandLine, harmless } from "./terminal-text.js";

const stateWords = {
  done: "done",
  at_work: "at work",
  interrupted: "interrupted",
} as const satisfies Record<ListedRun["state"], string>;

/** Runs for people: what each is, how far it came, and how it goes on. */
export function describeRuns(runs: readonly ListedRun[], runsDirectory: string): string {
  if (runs.length === 0) return `No runs in ${harmless(runsDirectory)}.\n`;
  return `${runs.map(describeRun).join("\n\n")}\n`;
}

function describeRun(run: ListedRun): string {
  const { runId, state, startedAt, destination, delivered, rejected, splitsDone, splitsTotal } =
    run;
  const lines = [
    `${runId}  ${stateWords[state]}  started ${startedAt.replace(/\.\d+Z$/, "Z")}`,
    `  to ${harmless(destination)}`,
    `  ${formatCount(delivered)} delivered, ${formatCount(rejected)} rejected, ` +
      `${splitsDone} of ${splitsTotal} splits done`,
  ];
  if (state !== "interrupted") return lines.join("\n");
  return [...lines, `  goes on with: ${commandLine(run.directory, run.command)}`].join("\n");
}
