import { setTimeout as sleep } from "node:timers/promises";
import { exitCodes, SwitchyardError } from "../base/errors.js";
import type { Environment } from "../options/secrets.js";
import { describeError, factsOf } from "../report/error-text.js";
import {
  logLine,
  logProgress,
  noProgress,
  type ProgressDisplay,
  showProgress,
} from "../report/progress.js";
import { wrapLine } from "../report/terminal-text.js";
import type { CommandContext, OutputForm } from "./context.js";
import { summarizeMigration } from "./steps/migration-summary.js";
import { type CommandOutcome, notRunOf, type StepReport } from "./steps/step.js";

/** Prints the summary of a step of a migration when it ends. */
export function printStep(report: StepReport, output: OutputForm, context: CommandContext): void {
  if (!output.json && isWanted(report, output)) printResult(`${report.summary}\n`, output, context);
}

/** Prints a result for people on standard output. */
export function printResult(text: string, output: OutputForm, context: CommandContext): void {
  context.stdout.write(`${paint(text, "stdout", output, context)}\n`);
}

/** Shows the progress of a step or of a worker in the form that was asked for. */
export function displayOf(
  name: string,
  { quiet, log }: OutputForm,
  { stderr, clock, environment }: CommandContext,
): ProgressDisplay {
  if (quiet) return noProgress;
  if (log) return logProgress(stderr, clock, name);
  return showProgress(stderr, clock, environment["TERM"]);
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
function jsonOf(outcome: CommandOutcome): unknown {
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

/** Prints an error that a command threw instead of a report; returns its exit code. */
export function printFailure(
  command: string,
  error: unknown,
  output: OutputForm,
  context: CommandContext,
): number {
  const exitCode = error instanceof SwitchyardError ? error.exitCode : exitCodes.failed;
  if (output.json) {
    context.stdout.write(`${JSON.stringify({ command, exitCode, error: factsOf(error) })}\n`);
  }
  if (output.log) {
    context.stderr.write(logLine("error", "ended", { command, exitCode, ...factsOf(error) }));
    return exitCode;
  }
  const text = describeError(error, isDebug(context));
  context.stderr.write(`${paint(text, "stderr", output, context)}\n`);
  return exitCode;
}

function isDebug({ environment }: CommandContext): boolean {
  return (environment["SWITCHYARD_DEBUG"] ?? "") !== "";
}

type Colour = "bold" | "red" | "yellow" | "cyan";

const codes: Readonly<Record<Colour, number>> = { bold: 1, red: 31, yellow: 33, cyan: 36 };

/** First words of paragraphs and errors about a failure. */
const faults = /^(error:|Failed|Interrupted|Migration stopped|Not verified)/;

const warnings = /^(Rejected|Uncertain|More rows were rejected|Stopped)/;

/** `  label     text`, like `line` of the report module. */
const label = /^( {2})([a-z]+(?: [a-z]+)?)(?= {2,}\S)/;

/** Returns a text as a terminal shows it, wrapped and in colour; for other streams unchanged. */
function paint(
  text: string,
  stream: "stdout" | "stderr",
  { color }: Pick<OutputForm, "color">,
  context: CommandContext,
): string {
  const { isTTY = false, columns = 80 } = context[stream];
  const hasColour = color && showsColour(context.environment, isTTY);
  const lines = text.split("\n");
  const wrapped = isTTY ? lines.map((line) => wrapLine(line, columns, context.program)) : lines;
  return (hasColour ? wrapped.map(paintLine) : wrapped).join("\n");
}

/** `NO_COLOR` wins over `FORCE_COLOR`, which wins over what the stream is. Empty variables do not count. */
function showsColour({ NO_COLOR = "", FORCE_COLOR = "", TERM }: Environment, isTTY: boolean) {
  if (NO_COLOR !== "") return false;
  if (FORCE_COLOR !== "") return !["0", "false"].includes(FORCE_COLOR);
  return isTTY && TERM !== "dumb";
}

function paintLine(line: string): string {
  if (line === "") return line;
  if (!line.startsWith(" ")) {
    const colour = faults.test(line) ? "red" : warnings.test(line) ? "yellow" : "bold";
    return inColour(line, colour);
  }
  return line.replace(label, (_, indent: string, word: string) => indent + inColour(word, "cyan"));
}

function inColour(text: string, colour: Colour): string {
  return `\u001b[${codes[colour]}m${text}\u001b[0m`;
}

const TIMEOUT_MS = 10_000;
/** Pauses before further attempts. */
const PAUSES_MS = [1_000, 5_000];

/**
 * POSTs the result of a command as JSON. Prints a failure on standard error without the address,
 * which may be a secret. A failure does not change the exit code, because the run is over.
 */
export async function notify(
  address: string,
  outcome: CommandOutcome,
  output: OutputForm,
  { stderr }: CommandContext,
): Promise<void> {
  const body = JSON.stringify(jsonOf(outcome));
  let reason = await post(address, body);
  for (const pauseMs of PAUSES_MS) {
    if (reason === undefined) return;
    await sleep(pauseMs);
    reason = await post(address, body);
  }
  if (reason === undefined) return;
  const message = `the result could not be posted to ${new URL(address).origin}: ${reason}`;
  stderr.write(
    output.log ? logLine("warn", "notify_failed", { message }) : `warning: ${message}\n`,
  );
}

/** Returns why the address did not accept the result; undefined if it did. */
async function post(address: string, body: string): Promise<string | undefined> {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `it answered ${response.status}`;
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === "TimeoutError") return `no answer within ${TIMEOUT_MS / 1000} s`;
    return cause instanceof Error ? cause.message : message;
  }
}
