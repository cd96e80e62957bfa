import { exitCodes, SwitchyardError } from "../base/errors.js";
import { describeError, factsOf } from "../report/error-text.js";
import type { CommandContext } from "./context.js";

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
