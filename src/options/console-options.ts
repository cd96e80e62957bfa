import { UsageError } from "../base/errors.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { option } from "../base/option-text.js";
import { defaultTarget, loadTarget } from "../target/targets.js";
import type { Configuration } from "./configuration.js";
import { CONSOLE_KEY_VARIABLE } from "./secrets.js";

/** The address of a console and the key for it. */
export interface ConsoleAccess {
  readonly baseUrl: string;
  /** A secret: never printed, never written. */
  readonly key: string;
  readonly keyHeader?: string;
  /** The most writes that the console takes in each of these times; absent if there is no limit. */
  readonly writes?: readonly { readonly requests: number; readonly seconds: number }[];
}

/** Returns the access to the console. Throws `UsageError` if its address or its key is missing. */
export function resolveConsole({ values, consoleKey, destination }: Configuration): ConsoleAccess {
  if (values.console === undefined) {
    throw new UsageError(
      "console_missing",
      `The console is missing; pass its address with ${option("console")}, such as https://console.example.com.`,
    );
  }
  if (consoleKey === undefined) {
    throw new UsageError(
      "key_missing",
      `The console key is missing; set ${CONSOLE_KEY_VARIABLE} in the environment, or pass a file with ${option("consoleKeyFile")}.`,
    );
  }
  // A service inside of the process is not that of the target.
  const target = destination === undefined ? loadTarget(values.target ?? defaultTarget) : undefined;
  const { authHeader, writes } = target?.console ?? {};
  return {
    baseUrl: values.console,
    key: consoleKey,
    ...omitUndefined({ keyHeader: values.authHeader ?? authHeader, writes }),
  };
}
