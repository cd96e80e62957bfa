import { readFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../base/errors.js";
import type { JsonText } from "./configuration-text.js";

export const CONFIGURATION_NAME = "pipeline.config.json";

export interface ConfigurationFile {
  /** Absolute; paths inside are relative to its directory. */
  readonly path: string;
  /** The path as given, for messages. */
  readonly name: string;
  readonly text: JsonText;
}

/**
 * Reads the named file, or `pipeline.config.json` of the current directory if there is one. Throws
 * `UsageError` for a file that is missing or malformed.
 */
export async function readConfigurationFile(
  name: string | undefined,
  currentDirectory: string,
): Promise<ConfigurationFile | undefined> {
  const given = name ?? CONFIGURATION_NAME;
  const absolute = path.resolve(currentDirectory, given);
  const text = await readText(absolute, given, name === undefined);
  if (text === undefined) return undefined;
  const { parseJsonText } = await import("./configuration-text.js");
  return { path: absolute, name: given, text: parseJsonText(text, given) };
}

async function readText(
  absolute: string,
  given: string,
  isOptional: boolean,
): Promise<string | undefined> {
  try {
    const text = await readFile(absolute, "utf8");
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" && isOptional) return undefined;
    const what = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    const full = given === absolute ? "" : ` The path is ${absolute}.`;
    throw new UsageError(
      "configuration_unreadable",
      `The configuration file ${given} ${what}.${full}`,
      { cause: error },
    );
  }
}
