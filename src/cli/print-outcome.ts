import { exitCodes, SwitchyardError } from "../base/errors.js";
import { describeError, factsOf } from "../report/error-text.js";
import { type CommandOutcome, notRunOf } from "./command-outcome.js";
import type { CommandContext } from "./context.js";
import { summarizeMigration } from "./steps/migration-summary.js";
import type { StepReport } from "./steps/step.js";

/** How the result is wanted. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Prints how a step of a migration ended, as soon as it has. */
export function printStep(report: StepReport, output: Output, { stderr }: CommandContext): void {
  if (!output.json && isWanted(report, output)) stderr.write(`${report.summary}\n\n`);
}

/** Said with every exit code 3, also to those who want nothing else said. */
const tooManyRejects =
  "More rows are rejected than --max-rejects allows. Mend what rejects them, or allow them: " +
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
    paragraphs.push("Interrupted. Run the same command again: it does what is left.");
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
  // Its steps have been printed one by one.
  return output.quiet || names.length === 0 ? [] : [summarizeMigration(outcome)];
}

/** Who asks for quiet does not ask to be left alone with an exit code. */
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

/** Prints what was thrown, as a command that gives no report does, and gives its exit code. */
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
