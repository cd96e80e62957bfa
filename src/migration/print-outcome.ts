import { exitCodes } from "../base/errors.js";
import type { CommandContext, OutputForm } from "../commands/context.js";
import { isDebug, paint, printResult } from "../commands/print-result.js";
import { describeError, factsOf } from "../report/error-text.js";
import { logLine } from "../report/progress.js";
import { summarizeMigration } from "./migration-summary.js";
import { type CommandOutcome, notRunOf, type StepReport } from "./step.js";

/** Prints the summary of a step of a migration when it ends. */
export function printStep(report: StepReport, output: OutputForm, context: CommandContext): void {
  if (!output.json && isWanted(report, output)) printResult(`${report.summary}\n`, output, context);
}

/** Printed with every exit code 3, also with --quiet. */
const tooManyRejects =
  "More rows were rejected than --max-rejects allows. Fix the cause, or raise --max-rejects: " +
  "a number of rows, or a share such as 1%.";

/**
 * Prints the end of a command: the result on standard output, as a summary or as one JSON object,
 * and the reason of an early end on standard error.
 */
export function printOutcome(
  outcome: CommandOutcome,
  output: OutputForm,
  context: CommandContext,
): void {
  if (output.json) context.stdout.write(`${JSON.stringify(jsonOf(outcome))}\n`);
  if (output.log) {
    logReason(outcome, context);
    return;
  }
  const summaries = output.json ? [] : summariesOf(outcome, output, context);
  if (summaries.length > 0) printResult(summaries.join("\n\n"), output, context);
  const reason = reasonOf(outcome, context);
  if (reason === undefined) return;
  const blank = summaries.length > 0 && context.stdout.isTTY === true ? "\n" : "";
  context.stderr.write(`${blank}${paint(reason, "stderr", output, context)}\n`);
}

function logReason(outcome: CommandOutcome, context: CommandContext): void {
  const reason = reasonOf(outcome, context);
  if (reason === undefined) return;
  const { command, exitCode, error } = outcome;
  const isInterrupted = exitCode === exitCodes.interrupted;
  const facts = error === undefined || isInterrupted ? { message: reason } : factsOf(error);
  context.stderr.write(logLine("error", "ended", { command, exitCode, ...facts }));
}

/** Returns why a command failed; undefined if its summary explains it. */
function reasonOf(outcome: CommandOutcome, context: CommandContext): string | undefined {
  if (outcome.exitCode === exitCodes.interrupted) {
    if (outcome.keepsNothing === true) return "Interrupted.";
    return "Interrupted. Run the same command again to resume.";
  }
  if ("error" in outcome) return describeError(outcome.error, isDebug(context));
  return outcome.exitCode === exitCodes.tooManyRejects ? tooManyRejects : undefined;
}

function summariesOf(
  outcome: CommandOutcome,
  output: OutputForm,
  { program }: CommandContext,
): readonly string[] {
  const { command, reports, names } = outcome;
  if (command !== "migrate") {
    const wanted = reports.filter((one) => one.summary !== "" && isWanted(one, output));
    return wanted.map(({ summary }) => summary);
  }
  if (outcome.nothingNew !== undefined) return output.quiet ? [] : [outcome.nothingNew];
  // The steps were printed as they ended.
  return output.quiet || names.length === 0 ? [] : [summarizeMigration(outcome, program)];
}

/** A failure is explained even with --quiet. */
function isWanted({ exitCode }: StepReport, { quiet }: OutputForm): boolean {
  return !quiet || exitCode === exitCodes.failed;
}

/** Returns the result of a command as `--json` prints it. */
export function jsonOf(outcome: CommandOutcome): unknown {
  const { command, exitCode, reports } = outcome;
  const error = "error" in outcome ? { error: factsOf(outcome.error) } : {};
  if (command !== "migrate") return reports[0]?.json ?? { command, exitCode, ...error };
  const notRun = notRunOf(outcome);
  const nothingNew = outcome.nothingNew === undefined ? {} : { nothingNew: true };
  return {
    command,
    exitCode,
    ...nothingNew,
    steps: reports.map((one) => one.json),
    notRun,
    ...error,
  };
}
