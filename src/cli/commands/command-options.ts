import { type Command, Option } from "commander";
import type { GivenFlags } from "../../pipeline/configuration/configuration.js";
import type { JsonValue } from "../../pipeline/configuration/configuration-file.js";
import {
  defaultText,
  describeOption,
  flagOf,
  localNameOf,
  type OptionName,
  optionNames,
} from "../../pipeline/configuration/options.js";

/** Options of every command: how the result is printed. */
export const outputOptions: readonly OptionName[] = ["json", "quiet"];

/** Options of a migration that a flag can set, in the order of the table. */
export const migrateOptions: readonly OptionName[] = optionNames.filter((name) => {
  const { flag, section } = describeOption(name);
  return flag !== false && section !== "serve" && section !== "send";
});

/** Options of the section `export` that `send` has as well: how inputs are read. */
const readingOptions: readonly OptionName[] = ["splitSize", "memory"];

/** Those that `qualify` has as well, which reads them on several threads. */
const countingOptions: readonly OptionName[] = [...readingOptions, "threads", "maxRejects"];

/** Options of `send`. */
export const sendOptions: readonly OptionName[] = optionNames.filter((name) => {
  const { flag, section } = describeOption(name);
  const isShared = section === undefined || readingOptions.includes(name);
  return flag !== false && (isShared || section === "send");
});

/** Options of `export`. */
export const exportOptions: readonly OptionName[] = migrateOptions.filter(
  (name) => !["qualify", "validate"].includes(describeOption(name).section ?? ""),
);

/** Options of the section `export` that `validate` has as well. */
const validatingOptions: readonly OptionName[] = [...countingOptions, "dayZone"];

/** Options of `validate`. */
export const validateOptions: readonly OptionName[] = optionNames.filter((name) => {
  const { flag, section } = describeOption(name);
  const isShared = section === undefined || validatingOptions.includes(name);
  return flag !== false && (isShared || section === "validate");
});

/** Options of `qualify`. */
export const qualifyOptions: readonly OptionName[] = optionNames.filter((name) => {
  const { flag, section } = describeOption(name);
  const isShared = section === undefined || countingOptions.includes(name);
  return flag !== false && (isShared || section === "qualify");
});

/** Options of `serve`. */
export const serveOptions: readonly OptionName[] = optionNames.filter(
  (name) => describeOption(name).section === "serve",
);

/** Adds `--config`, for a file to be read, and the named options of the table. */
export function addOptions(
  command: Command,
  names: readonly OptionName[],
  readsFile = true,
): Command {
  if (readsFile) {
    command.option(
      "--config <file>",
      "Configuration file (default: pipeline.config.json in the current directory, if there is one)",
    );
  }
  for (const name of names) {
    const { type, description, placeholder, negation } = describeOption(name);
    const fallback = defaultText(name);
    const words = fallback === undefined ? description : `${description} (default: ${fallback})`;
    const value = type.placeholder === "" ? "" : ` ${placeholder ?? type.placeholder}`;
    const option = new Option(`${flagOf(name)}${value}`, words);
    if (type.isRepeatable === true) option.argParser(collect);
    command.addOption(option);
    if (negation !== undefined) {
      command.addOption(new Option(`--no-${flagOf(name).slice(2)}`, negation));
    }
  }
  return command;
}

function collect(word: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), word];
}

/** Options that are called the same in every section. */
const plainNames = optionNames.filter((name) => describeOption(name).key === undefined);

/** What commander parsed of the named options, as the values that would stand in the file. */
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
