import { exitCodes } from "../base/errors.js";
import type { StepName } from "../pipeline/configuration-options.js";
import { describeError, factsOf } from "../report/error-text.js";
import type { CommandContext } from "./context.js";
import type { StepReport } from "./step.js";

/** How the result is wanted. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface CommandOutcome {
  readonly command: StepName | "migrate";
  readonly exitCode: number;
  /** Of the steps that ended, whether well or not. */
  readonly reports: readonly StepReport[];
  /** Steps that were not begun, because one before them did not end well. */
  readonly notRun: readonly StepName[];
  /** What was thrown instead of a result. */
  readonly error?: unknown;
}

/** Prints the end of a command: one JSON object on standard output, or a summary on standard error. */
export function printOutcome(
  outcome: CommandOutcome,
  output: Output,
  { stdout, stderr, environment }: CommandContext,
): void {
  if (output.json) stdout.write(`${JSON.stringify(jsonOf(outcome))}\n`);
  const paragraphs = output.json
    ? []
    : outcome.reports.filter((one) => isWanted(one, output)).map((one) => one.summary);
  if (outcome.exitCode === exitCodes.interrupted) {
    paragraphs.push("Interrupted. Run the same command again: it does what is left.");
  } else if ("error" in outcome) {
    const debug = (environment["SWITCHYARD_DEBUG"] ?? "") !== "";
    paragraphs.push(describeError(outcome.error, debug));
  }
  if (outcome.notRun.length > 0 && !output.quiet) {
    paragraphs.push(`Not run: ${outcome.notRun.join(", ")}.`);
  }
  if (paragraphs.length > 0) stderr.write(`${paragraphs.join("\n\n")}\n`);
}

/** Who asks for quiet does not ask to be left alone with an exit code. */
function isWanted({ exitCode }: StepReport, { quiet }: Output): boolean {
  return !quiet || exitCode === exitCodes.failed;
}

function jsonOf(outcome: CommandOutcome): unknown {
  const { command, exitCode, reports, notRun } = outcome;
  const error = "error" in outcome ? { error: factsOf(outcome.error) } : {};
  if (command !== "migrate") return reports[0]?.json ?? { command, exitCode, ...error };
  return { command, exitCode, steps: reports.map((one) => one.json), notRun, ...error };
}
