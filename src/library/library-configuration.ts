import { omitUndefined } from "../base/omit-undefined.js";
import { type Configuration, loadConfiguration } from "../pipeline/configuration/configuration.js";
import type { JsonObject } from "../pipeline/configuration/configuration-file.js";
import {
  describeOption,
  localNameOf,
  optionNames,
} from "../pipeline/configuration/option-names.js";

/** Sections of the configuration with keys that a function takes in addition to those of the root. */
type LibrarySection = "export" | "validate" | "send";

/** Options of a function that are not in the configuration. */
const ownOptions: ReadonlySet<string> = new Set([
  "cwd",
  "signal",
  "onProgress",
  "onNote",
  "onReject",
  "onFailure",
  "hashSalt",
  "serverSecret",
]);

/**
 * Checks options like the configuration file and returns them as a configuration. An option belongs
 * to the first of `sections` that has a key of its name. Throws `UsageError` with all faults at
 * once.
 */
export async function configurationOf(
  options: object,
  sections: readonly LibrarySection[],
): Promise<Configuration> {
  const {
    cwd = process.cwd(),
    hashSalt,
    serverSecret,
    inputs,
    ...others
  } = options as Readonly<Record<string, unknown>> & {
    readonly cwd?: string;
    readonly hashSalt?: string;
    readonly serverSecret?: string;
  };
  const configuration = await loadConfiguration({
    content: treeOf(
      { ...others, inputs: typeof inputs === "string" ? [inputs] : inputs },
      sections,
    ),
    flags: {},
    environment: {},
    currentDirectory: cwd,
    configPath: null,
  });
  return { ...configuration, ...omitUndefined({ hashSalt, serverSecret }) };
}

/** Moves each option to its place in the configuration file. */
function treeOf(
  options: Readonly<Record<string, unknown>>,
  sections: readonly LibrarySection[],
): JsonObject {
  const root: Record<string, unknown> = {};
  const bySection: Partial<Record<LibrarySection, Record<string, unknown>>> = {};
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || ownOptions.has(key)) continue;
    const section = isKeyOf(key, undefined)
      ? undefined
      : (sections.find((name) => isKeyOf(key, name)) ?? sections[0]);
    if (section === undefined) root[key] = value;
    else bySection[section] = { ...bySection[section], [key]: value };
  }
  return { ...root, ...bySection } as JsonObject;
}

function isKeyOf(key: string, section: LibrarySection | undefined): boolean {
  if (section === undefined && key === "mapping") return true;
  return optionNames.some(
    (name) => localNameOf(name) === key && describeOption(name).section === section,
  );
}
