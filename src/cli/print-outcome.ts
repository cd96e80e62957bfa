import { exitCodes, SwitchyardError } from "../base/errors.js";
import { describeError, factsOf } from "../report/error-text.js";
import { type CommandOutcome, notRunOf } from "./command-outcome.js";
import type { CommandContext } from "./context.js";
import type { Output } from "./output.js";
import { paint } from "./paint.js";
import { summarizeMigration } from "./steps/migration-summary.js";
import type { StepReport } from "./steps/step.js";

/** Prints the summary of a step of a migration when it ends. */
export function printStep(report: StepReport, output: Output, context: CommandContext): void {
  if (!output.json && isWanted(report, output)) printResult(`${report.summary}\n`, output, context);
}

/** Prints a result for people on standard output. */
export function printResult(text: string, output: Output, context: CommandContext): void {
  context.stdout.write(`${paint(text, "stdout", output, context)}\n`);
}

/** Printed with every exit code 3, also with --quiet. */
const tooManyRejects =
  "More rows were rejected than --max-rejects allows. Fix the cause, or raise --max-rejects: " +
  "a number of rows, or a share such as 1%.";

/**
 * Prints the end of a command: the result on standard output, as a summary or as one JSON object, and why
 * it ended early on standard error.
 */
export function printOutcome(
  outcome: CommandOutcome,
  output: Output,
  context: CommandContext,
): void {
  if (output.json) context.stdout.write(`${JSON.stringify(jsonOf(outcome))}\n`);
  const summaries = output.json ? [] : summariesOf(outcome, output, context);
  if (summaries.length > 0) printResult(summaries.join("\n\n"), output, context);
  const reason = reasonOf(outcome, context);
  if (reason === undefined) return;
  const blank = summaries.length > 0 && context.stdout.isTTY === true ? "\n" : "";
  context.stderr.write(`${blank}${paint(reason, "stderr", output, context)}\n`);
}

/** Returns why a command did not end well; undefined if its summary says all. */
function reasonOf(outcome: CommandOutcome, context: CommandContext): string | undefined {
  if (outcome.exitCode === exitCodes.interrupted) {
    return "Interrupted. Run the same command again to resume.";
  }
  if ("error" in outcome) return describeError(outcome.error, isDebug(context));
  return outcome.exitCode === exitCodes.tooManyRejects ? tooManyRejects : undefined;
}

function summariesOf(
  outcome: CommandOutcome,
  output: Output,
  { program }: CommandContext,
): readonly string[] {
  const { command, reports, names } = outcome;
  if (command !== "migrate") {
    return reports.filter((one) => isWanted(one, output)).map(({ summary }) => summary);
  }
  // The steps have been printed one by one.
  return output.quiet || names.length === 0 ? [] : [summarizeMigration(outcome, program)];
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
  output: Output,
  context: CommandContext,
): number {
  const exitCode = error instanceof SwitchyardError ? error.exitCode : exitCodes.failed;
  if (output.json) {
    context.stdout.write(`${JSON.stringify({ command, exitCode, error: factsOf(error) })}\n`);
  }
  const text = describeError(error, isDebug(context));
  context.stderr.write(`${paint(text, "stderr", output, context)}\n`);
  return exitCode;
}

function isDebug({ environment }: CommandContext): boolean {
  return (environment["SWITCHYARD_DEBUG"] ?? "") !== "";
}
