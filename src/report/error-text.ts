import { SwitchyardError } from "../base/errors.js";
import { openFilesError } from "../base/open-files.js";
import { harmless } from "./terminal-text.js";

/** Code of an unexpected error, in any thread. */
const DEFECT = "defect";

/** The part of an error that `--json` prints. */
interface PrintedError {
  readonly code: string;
  readonly message: string;
}

export function factsOf(thrown: unknown): PrintedError {
  const error = openFilesError(thrown) ?? thrown;
  if (error instanceof SwitchyardError) return { code: error.code, message: error.message };
  return { code: DEFECT, message: error instanceof Error ? error.message : String(error) };
}

/** Describes an error for people: message and code, and the stack if `debug` is set. */
export function describeError(error: unknown, debug: boolean): string {
  const { code, message } = factsOf(error);
  const lines = message.split("\n").map(harmless);
  const stack = debug && error instanceof Error ? `\n${error.stack ?? ""}` : "";
  if (code !== DEFECT) return `error: ${lines.join("\n")} [${code}]${stack}`;
  // The message of a defect in a worker ends with its stack, so print its first line only.
  return (
    `error: ${lines[0]} [${code}]\n` +
    "This is a defect of Switchyard. Nothing that was committed is lost: the same command resumes.\n" +
    `Report it with the output of the same command under SWITCHYARD_DEBUG=1.${stack}`
  );
}
