import { exitCodes, SwitchyardError } from "../base/errors.js";
import { describeError, factsOf } from "../report/error-text.js";
import { type CommandOutcome, notRunOf } from "./command-outcome.js";
import type { CommandContext } from "./context.js";
import { summarizeMigration } from "./steps/migration-summary.js";
import type { StepReport } from "./steps/step.js";

/** The form in which results are printed. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Prints the summary of a step of a migration when it ends. */
export function printStep(report: StepReport, output: Output, { stderr }: CommandContext): void {
  if (!output.json && isWanted(report, output)) stderr.write(`${report.summary}\n\n`);
}

/** Printed with every exit code 3, also with --quiet. */
const tooManyRejects =
  "More rows were rejected than --max-rejects allows. Fix the cause, or raise --max-rejects: " +
  "a number of rows, or a share such as 1%.";

/** Prints the end of a command: one JSON object on standard output, or a summary on standard error. */
export function printOutcome(
  outcome: CommandOutcome,
  output: Output,
  { stdout, stderr, environment }: CommandContext,
): void {
  if (output.json) stdout.write(`${JSON.stringify(jsonOf(outcome))}\n`);
  const paragraphs = output.json ? [] : summariesOf(outcome, output);
  if (outcome.exitCode === exitCodes.interrupted) {
    paragraphs.push("Interrupted. Run the same command again to resume.");
  } else if ("error" in outcome) {
    const debug = (environment["SWITCHYARD_DEBUG"] ?? "") !== "";
    paragraphs.push(describeError(outcome.error, debug));
  } else if (outcome.exitCode === exitCodes.tooManyRejects) {
    paragraphs.push(tooManyRejects);
  }
  if (paragraphs.length > 0) stderr.write(`${paragraphs.join("\n\n")}\n`);
}

function summariesOf(outcome: CommandOutcome, output: Output): string[] {
  const { command, reports, names } = outcome;
  if (command !== "migrate") {
    return reports.filter((one) => isWanted(one, output)).map(({ summary }) => summary);
  }
  // The steps have been printed one by one.
  return output.quiet || names.length === 0 ? [] : [summarizeMigration(outcome)];
}

/** With --quiet a failure is still explained. */
function isWanted({ exitCode }: StepReport, { quiet }: Output): boolean {
  return !quiet || exitCode === exitCodes.failed;
}

function jsonOf(outcome: CommandOutcome): unknown {
  const { command, exitCode, reports } = outcome;
  const error = "error" in outcome ? { error: factsOf(outcome.error) } : {};
  if (command !== "migrate") return reports[0]?.json ?? { command, exitCode, ...error };
  const notRun = notRunOf(outcome);
  return { command, exitCode, steps: reports.map((one) => one.json), notRun, ...error };
}

/** Prints an error that a command threw instead of a report; returns its exit code. */
export function printFailure(
  command: string,
  error: unknown,
  isJson: boolean,
  { stdout, stderr, environment }: CommandContext,
): number {
  const exitCode = error instanceof SwitchyardError ? error.exitCode : exitCodes.failed;
  if (isJson) {
    stdout.write(`${JSON.stringify({ command, exitCode, error: factsOf(error) })}\n`);
  }
  const debug = (environment["SWITCHYARD_DEBUG"] ?? "") !== "";
  stderr.write(`${describeError(error, debug)}\n`);
  return exitCode;
}
