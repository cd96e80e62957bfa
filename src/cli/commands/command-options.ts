import { type Command, Option } from "commander";
import type { GivenFlags } from "../../pipeline/configuration/configuration.js";
import type { JsonValue } from "../../pipeline/configuration/configuration-file.js";
import type { Section } from "../../pipeline/configuration/option-types.js";
import {
  defaultText,
  describeOption,
  flagOf,
  localNameOf,
  type OptionName,
  optionNames,
} from "../../pipeline/configuration/options.js";

/** Options that tell how the result of a command is printed. */
export const outcomeOptions: readonly OptionName[] = ["json", "color"];

/** The same for a command that shows progress. */
export const outputOptions: readonly OptionName[] = ["quiet", ...outcomeOptions];

/** Options of `migrate`. */
export const migrateOptions: readonly OptionName[] = optionNames.filter((name) => {
  const { flag, section } = describeOption(name);
  return flag !== false && section !== "serve" && section !== "send";
});

/** Options that tell how inputs are read. `init` writes them to its file if they are given. */
export const readingOptions = `inputFormat csvDialect csvDelimiter csvQuote csvNull csvComment
  csvSkipLines csvColumns csvHeader maxRatio maxTime`.split(/\s+/) as readonly OptionName[];

/** Options of the section `export` that `send` shares. */
const sharedWithSend: readonly OptionName[] = ["splitSize", "memory"];

/** Options of the section `export` that `qualify` shares: it reads inputs on several threads. */
const sharedWithQualify: readonly OptionName[] = [...sharedWithSend, "threads"];

/** Options of `send`. */
export const sendOptions = optionsOf("send", sharedWithSend);

/** Options of `export`. */
export const exportOptions: readonly OptionName[] = migrateOptions.filter(
  (name) => !["qualify", "validate"].includes(describeOption(name).section ?? ""),
);

/** Options of `validate`. */
export const validateOptions = optionsOf("validate", [...sharedWithQualify, "dayZone"]);

/** Options of `qualify`. */
export const qualifyOptions = optionsOf("qualify", sharedWithQualify);

/** Options of `serve`. */
export const serveOptions: readonly OptionName[] = optionNames.filter(
  (name) => describeOption(name).section === "serve",
);

/** Returns the flags of a section, those outside of all sections, and the named ones of others. */
function optionsOf(command: Section, shared: readonly OptionName[]): readonly OptionName[] {
  return optionNames.filter((name) => {
    const { flag, section } = describeOption(name);
    const isShared = section === undefined || shared.includes(name);
    return flag !== false && (isShared || section === command);
  });
}

/** Adds `--config` if the command reads a file, and the named options of the table. */
export function addOptions(
  command: Command,
  names: readonly OptionName[],
  readsFile = true,
): Command {
  if (readsFile) {
    command.option(
      "--config <file>",
      "Configuration file (default: pipeline.config.json in the current directory, if it exists)",
    );
  }
  for (const name of names) {
    const { type, description, placeholder, negation, default: initial } = describeOption(name);
    const fallback = defaultText(name);
    const words = fallback === undefined ? description : `${description} (default: ${fallback})`;
    const value = type.placeholder === "" ? "" : ` ${placeholder ?? type.placeholder}`;
    const option = new Option(`${flagOf(name)}${value}`, words);
    if (type.isRepeatable === true) option.argParser(collect);
    // A switch that is on needs no flag to turn it on.
    command.addOption(initial === true ? option.hideHelp() : option);
    if (negation !== undefined) {
      command.addOption(new Option(`--no-${flagOf(name).slice(2)}`, negation));
    }
  }
  return command;
}

function collect(word: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), word];
}

/** Options with the same name in every section. */
const plainNames = optionNames.filter((name) => describeOption(name).key === undefined);

/** Returns the named options that commander parsed, as values of the configuration file. */
export function givenFlags(
  parsed: Readonly<Record<string, unknown>>,
  names: readonly OptionName[] = plainNames,
): GivenFlags {
  return Object.fromEntries(
    names
      .filter((name) => parsed[localNameOf(name)] !== undefined)
      .map((name) => [name, jsonValueOf(name, parsed[localNameOf(name)])]),
  );
}

function jsonValueOf(name: OptionName, parsed: unknown): JsonValue {
  return typeof parsed === "string"
    ? describeOption(name).type.fromText(parsed)
    : (parsed as boolean | readonly string[]);
}
