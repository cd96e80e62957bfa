import { readFile } from "node:fs/promises";
import path from "node:path";
import JSON5 from "json5";
import { UsageError } from "../../base/errors.js";
import { ConfigurationPlaces } from "./configuration-places.js";
import type { JsonValue } from "./configuration-types.js";

export const CONFIGURATION_NAME = "pipeline.config.json";

export interface ConfigurationFile {
  /** Absolute; paths inside are relative to its directory. */
  readonly path: string;
  /** As messages call it: the path as given. */
  readonly name: string;
  readonly content: JsonValue;
  readonly places: ConfigurationPlaces;
}

/**
 * Reads the named file, or `pipeline.config.json` of the current directory where there is one.
 * JSON with comments and trailing commas. Throws `UsageError` for one that is missing or malformed.
 */
export async function readConfigurationFile(
  name: string | undefined,
  currentDirectory: string,
): Promise<ConfigurationFile | undefined> {
  const given = name ?? CONFIGURATION_NAME;
  const absolute = path.resolve(currentDirectory, given);
  const text = await readText(absolute, given, name === undefined);
  if (text === undefined) return undefined;
  try {
    const content = JSON5.parse<JsonValue>(text);
    return { path: absolute, name: given, content, places: new ConfigurationPlaces(text) };
  } catch (error) {
    throw new UsageError(
      "configuration_malformed",
      `${given} is no JSON: ${reasonOf(error)}. Comments and trailing commas are allowed.`,
      { cause: error },
    );
  }
}

async function readText(
  absolute: string,
  given: string,
  optional: boolean,
): Promise<string | undefined> {
  try {
    const text = await readFile(absolute, "utf8");
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" && optional) return undefined;
    const what = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new UsageError(
      "configuration_unreadable",
      `The configuration file ${given} ${what}; looked at ${absolute}.`,
      { cause: error },
    );
  }
}

/** The parser's words with the place in front. */
function reasonOf(error: unknown): string {
  const { message, lineNumber, columnNumber } = error as SyntaxError & {
    readonly lineNumber?: number;
    readonly columnNumber?: number;
  };
  const words = message.replace(/^JSON5: /, "").replace(/ at \d+:\d+$/, "");
  return lineNumber === undefined ? words : `line ${lineNumber}, column ${columnNumber}: ${words}`;
}
