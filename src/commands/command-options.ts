import { type Command, Option } from "commander";
import type { GivenFlags } from "../options/configuration.js";
import type { JsonValue } from "../options/json-value.js";
import {
  defaultText,
  describeOption,
  descriptionOf,
  flagOf,
  localNameOf,
  type OptionName,
  optionNames,
  placeholderOf,
} from "../options/option-names.js";
import type { Section } from "../options/option-types.js";

/** Heading of the options that every command has. */
export const GENERAL_GROUP = "General:";

const REQUIRED_GROUP = "Required, here or in the configuration:";

/** Options for the printed result of a command. */
export const outcomeOptions: readonly OptionName[] = ["json", "color"];

/** Options for the printed result of a command that shows progress. */
export const outputOptions: readonly OptionName[] = ["quiet", ...outcomeOptions];

/** Options of a store; its credentials come from the environment. */
export const storeAccess = [
  "s3Endpoint",
  "s3Region",
  "s3Checksums",
  "maxRequestsPerSecond",
] as const;

const runOptions: readonly OptionName[] = optionNames.filter((name) => {
  const { flag, section } = describeOption(name);
  return flag !== false && !["fetch", "serve", "send"].includes(section ?? "");
});

/** Options of `migrate`. */
export const migrateOptions = runOptions;

/** Options for reading inputs. `init` writes them to its file if they are given. */
export const readingOptions = ["inputFormat", "csvDialect", "maxRatio", "timeLimits"] as const;

/** Options of the section `export` that `send` shares. */
const sharedWithSend: readonly OptionName[] = ["splitSize", "memory"];

/** Options of the section `export` that `qualify` shares: it reads inputs on several threads. */
const sharedWithQualify: readonly OptionName[] = [...sharedWithSend, "threads"];

/** Options of `send`. */
export const sendOptions = optionsOf("send", [...sharedWithSend, "queue"]);

/** Options of `export`. */
export const exportOptions: readonly OptionName[] = runOptions.filter(
  (name) =>
    name !== "authHeader" &&
    !["qualify", "validate", "verify", "ready"].includes(describeOption(name).section ?? ""),
);

/** Options of `preview`: those that decide what a row becomes. */
export const previewOptions: readonly OptionName[] = runOptions.filter((name) => {
  const isOfRuns = ["dedupe", "maxRejects", "requireFields", "authHeader", "metrics", "notify"];
  return describeOption(name).section === undefined && ![...isOfRuns, "quiet"].includes(name);
});

/** Options of `fetch`. */
export const fetchOptions = [
  ...(["fetchFrom", "fetchUntil", "recheck", "fetchTo", "project", "region", "fetchHost"] as const),
  ...(["unsafeLock", ...storeAccess, ...outputOptions] as const),
] as const;

/** Options of `validate`. */
export const validateOptions = optionsOf("validate", [...sharedWithQualify, "dayZone"]);

/** Options of `verify`. */
export const verifyOptions = [...storeAccess, "read", ...outputOptions] as const;

/** Options of `ready`. */
export const readyOptions: readonly OptionName[] = [
  "target",
  ...(["announce", "maxReload", "dryRun", "serverSecretFile", "authHeader", "timeout"] as const),
  ...(["unsafeLock", ...storeAccess, ...outputOptions] as const),
];

/** Options of `worker`. */
export const workerOptions = [
  "queue",
  "threads",
  "memory",
  "hashSaltFile",
  "serverSecretFile",
  "transform",
  "identity",
  ...storeAccess,
  "unsafeLock",
  ...outputOptions,
] as const;

/** Options of `identities`. */
export const identitiesOptions = [
  ...readingOptions,
  ...storeAccess,
  "maxRowSize",
  "limit",
  "damaged",
  "preset",
  "maxRejects",
  "to",
  ...sharedWithQualify,
  ...outputOptions,
] as const;

/** Options of `doctor`: those of the commands whose runs it checks. Of options with one flag, the first. */
export const doctorOptions = optionNames
  .filter((name) => {
    const { flag, section } = describeOption(name);
    return flag !== false && section !== "serve" && section !== "fetch";
  })
  .filter((name, _, all) => all.find((one) => localNameOf(one) === localNameOf(name)) === name);

/** Options of `compact`. */
export const compactOptions = [...storeAccess, "unsafeLock", ...outputOptions] as const;

/** Options of `qualify`. */
export const qualifyOptions = optionsOf("qualify", sharedWithQualify);

/** Options of `serve`. */
export const serveOptions: readonly OptionName[] = optionNames.filter(
  (name) => describeOption(name).section === "serve" || name === "authHeader" || name === "target",
);

const general = ["json", "quiet"] as const;

/** Filters and limits that most runs need. */
const usualOfInputs = "preset fromTime toTime excludeEvent drop limit maxRejects".split(
  " ",
) as readonly OptionName[];

/** The options that -h of a command shows. Commands whose help is short show all. */
export const usualOptions: Readonly<Record<string, readonly OptionName[]>> = {
  validate: [...usualOfInputs, "quick", "report", "compare", "apply", ...general],
  export: [...usualOfInputs, "dedupe", "to", "format", "layout", "dayZone", ...general],
  send: [...usualOfInputs, "sendTo", "batchSize", "rate", "serverSecretFile", ...general],
  doctor: ["preset", "to", "format", "queue", "memory", "console", ...general],
  qualify: [
    ...(["includeEvent", "excludeEvent", "console", "consoleKeyFile", "table"] as const),
    ...(["nameTemplate", "tag", "yes", "dryRun", ...general] as const),
  ],
  migrate: ["preset", "maxRejects", "to", "console", "yes", "threads", "memory", ...general],
  worker: ["queue", "threads", "memory", "serverSecretFile", ...general],
};

/** The first option of each group in help, in the order of the table. */
const groupStarts: Readonly<Partial<Record<OptionName, string>>> = {
  inputs: "Inputs:",
  preset: "Mapping:",
  fromTime: "Filters:",
  drop: "Privacy:",
  vendor: "Fetching:",
  sample: "Report:",
  to: "Output:",
  splitSize: "Machine:",
  sendTo: "Sending:",
  console: "Qualifying events:",
  listen: "Service:",
  metrics: GENERAL_GROUP,
};

/** Returns the heading that an option is under in help. */
function groupOf(name: OptionName): string {
  const before = optionNames.slice(0, optionNames.indexOf(name) + 1);
  const start = before.findLast((one) => groupStarts[one] !== undefined);
  return (start && groupStarts[start]) ?? GENERAL_GROUP;
}

/** Returns the flags of a section, those outside of all sections, and the named ones of others. */
function optionsOf(command: Section, shared: readonly OptionName[]): readonly OptionName[] {
  return optionNames.filter((name) => {
    const { flag, section } = describeOption(name);
    const isGeneral = section === undefined && (name !== "authHeader" || sendsRequests(command));
    const isShared = isGeneral || shared.includes(name);
    return flag !== false && (isShared || section === command);
  });
}

export type OptionDescriptions = Readonly<Partial<Record<OptionName, string>>>;

/** The options of a command in its help. */
interface OptionPlacing {
  readonly readsFile?: boolean;
  readonly required?: OptionName;
  /** Descriptions of options that mean something else here than in other commands. */
  readonly descriptions?: OptionDescriptions;
  /** The only options that help shows, without their defaults; all if absent. */
  readonly shown?: readonly OptionName[];
}

/**
 * Adds `--config` if the command reads a file, then the named options of the table, the required one first.
 */
export function addOptions(
  command: Command,
  names: readonly OptionName[],
  { readsFile = true, required, descriptions = {}, shown }: OptionPlacing,
): Command {
  const sorted = optionNames.filter((name) => names.includes(name) && name !== required);
  for (const name of required === undefined ? sorted : [required, ...sorted]) {
    const group = name === required ? REQUIRED_GROUP : groupOf(name);
    const fallback = shown === undefined ? defaultText(name) : undefined;
    const options = optionsFor(name, fallback, descriptions[name]);
    for (const option of options)
      command.addOption(
        shown?.includes(name) === false ? option.hideHelp() : option.helpGroup(group),
      );
  }
  if (readsFile) {
    command.addOption(
      new Option(
        "--config <file>",
        `Configuration file${shown === undefined ? " (default: pipeline.config.json of the current directory)" : ""}`,
      ).helpGroup(GENERAL_GROUP),
    );
  }
  return command.addHelpOption(
    new Option("-h, --help", "Print this help").helpGroup(GENERAL_GROUP),
  );
}

/** Returns the flag of an option and, if it has one, the flag that turns it off. */
function optionsFor(
  name: OptionName,
  fallback: string | undefined,
  description = descriptionOf(name),
): readonly Option[] {
  const { type, negation, default: initial } = describeOption(name);
  const hasDefault = type.placeholder !== "" && fallback !== undefined;
  const words = hasDefault ? `${description} (default: ${fallback})` : description;
  const option = new Option(`${flagOf(name)} ${placeholderOf(name)}`.trim(), words);
  if (type.isRepeatable === true) option.argParser(collect);
  // Only for completion: values are checked with the whole configuration.
  if (type.choices !== undefined) option.argChoices = [...type.choices];
  if (negation === undefined) return [option];
  // A switch that is on by default needs only a flag to turn it off.
  if (initial === true) option.hideHelp();
  return [option, new Option(`--no-${flagOf(name).slice(2)}`, negation)];
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
    names.flatMap((name) => {
      const value = parsed[localNameOf(name)];
      return value === undefined ? [] : [[name, jsonValueOf(name, value)]];
    }),
  );
}

/** Returns the words of a command line that give the named flags. */
export function flagWords(flags: GivenFlags, names: readonly OptionName[]): readonly string[] {
  return names.flatMap((name) => {
    const [value, flag] = [flags[name], flagOf(name)];
    if (value === undefined || value === null) return [];
    if (value === true) return [flag];
    if (value === false) return [`--no-${flag.slice(2)}`];
    if (!Array.isArray(value)) return [flag, String(value)];
    const { isRepeatable, placeholder } = describeOption(name).type;
    if (isRepeatable) return value.flatMap((one) => [flag, String(one)]);
    const list = value.join(",");
    // A value that can be left out follows its flag in the same word.
    return placeholder.startsWith("[") ? [`${flag}=${list}`] : [flag, list];
  });
}

function jsonValueOf(name: OptionName, parsed: unknown): JsonValue {
  return typeof parsed === "string"
    ? describeOption(name).type.fromText(parsed)
    : (parsed as boolean | readonly string[]);
}

/** Returns true for the commands whose requests carry a key. */
function sendsRequests(command: Section): boolean {
  return command === "send" || command === "qualify";
}
