import { SwitchyardError } from "../base/errors.js";
import { flagOf, localNameOf, optionNames } from "../options/option-names.js";

/**
 * Runs `work`. An error of the engine names options as flags, such as `--dedupe-by`; the error that
 * a program gets names them as it does: `dedupeBy`.
 */
export async function withOptionWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw inOptionWords(error);
  }
}

/** Changes the message of an error of ours, and returns the error. */
export function inOptionWords(error: unknown): unknown {
  if (!(error instanceof SwitchyardError)) return error;
  const { message, stack } = error;
  error.message = optionWords(message);
  // The stack begins with the message, and is what Node prints.
  if (stack !== undefined) error.stack = stack.replace(message, () => error.message);
  return error;
}

/** Returns a message with the names of options instead of flags. */
export function optionWords(text: string): string {
  // A command in backquotes stays as it is.
  return text.replace(/`[^`]*`|(?<![\w./-])--(no-)?[a-z][a-z\d-]*/g, (flag, no?: string) => {
    const name = optionNames.find((one) => flagOf(one) === flag);
    if (name !== undefined) return localNameOf(name);
    const negated = no === undefined ? undefined : `--${flag.slice("--no-".length)}`;
    const negatedName = optionNames.find((one) => flagOf(one) === negated);
    return negatedName === undefined ? flag : `${localNameOf(negatedName)}: false`;
  });
}
