import { SwitchyardError } from "../base/errors.js";
import { harmless } from "./terminal-text.js";

/** Code of what Switchyard did not raise on purpose, in whatever thread. */
const DEFECT = "defect";

/** What `--json` says about an error. */
export interface ErrorFacts {
  readonly code: string;
  readonly message: string;
}

export function factsOf(error: unknown): ErrorFacts {
  if (error instanceof SwitchyardError) return { code: error.code, message: error.message };
  return { code: DEFECT, message: error instanceof Error ? error.message : String(error) };
}

/** An error for people: what happened and its code; a stack only where `debug` asks for it. */
export function describeError(error: unknown, debug: boolean): string {
  const { code, message } = factsOf(error);
  const lines = message.split("\n").map(harmless);
  const stack = debug && error instanceof Error ? `\n${error.stack ?? ""}` : "";
  if (code !== DEFECT) return `error: ${lines.join("\n")} [${code}]${stack}`;
  // Of a defect in a worker the message goes on with its stack.
  return (
    `error: ${lines[0]} [${code}]\n` +
    "This is a defect of Switchyard. Nothing that was committed is lost: the same command goes on.\n" +
    `Please report it with the output of the same command under SWITCHYARD_DEBUG=1.${stack}`
  );
}
