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

/** Prints a result for people on standard output. */
export function printResult(text: string, output: OutputForm, context: CommandContext): void {
  context.stdout.write(`${paint(text, "stdout", output, context)}\n`);
}

/** Prints a result as JSON if that was asked for, else for people unless they want it quiet. */
export function printJsonOrText(
  json: object,
  text: string,
  output: OutputForm,
  context: CommandContext,
): void {
  if (output.json) context.stdout.write(`${JSON.stringify(json)}\n`);
  else if (!output.quiet) printResult(text, output, context);
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

/** Errors are shown with their stack. */
export function isDebug({ environment }: CommandContext): boolean {
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
export function paint(
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
