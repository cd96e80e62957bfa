import { logLevels } from "../../base/log-levels.js";
import { defaultPreset, presetNames } from "../../mapper/presets.js";
import { formatKinds } from "../../readers/source.js";
import { parquetCompressions } from "../../sinks/parquet/page-compression.js";
import { outputFormatNames, outputFormats } from "../output-formats.js";
import {
  characterType,
  choiceType,
  countType,
  dataType,
  listType,
  pathType,
  privacyPathsType,
  rejectLimitType,
  rowSizeType,
  sizeType,
  switchType,
  textType,
  timeType,
  zoneType,
} from "./configuration-types.js";
import { type OptionDescription, option } from "./option-description.js";
import { qualifyOptions } from "./qualify-options.js";
import { sendOptions } from "./send-options.js";
import { validateOptions } from "./validate-options.js";

export const stepNames = ["validate", "export", "send", "qualify", "verify"] as const;
const services = ["embedded"] as const;
export type StepName = (typeof stepNames)[number];

/** What a migration does where the file lists no steps. */
export const defaultSteps: readonly StepName[] = ["export", "verify"];

/** Every option once, in the order of help and documentation. */
const configurationOptions = {
  inputs: option({
    type: listType,
    flag: false,
    description:
      "Files, directories (searched through to the bottom) and globs to read; on the command line they stand without a flag",
  }),
  preset: option({
    type: choiceType(presetNames),
    description: "Mapping to start from, by the name of the tool that wrote the export",
    default: defaultPreset,
  }),
  inputFormat: option({
    type: choiceType(formatKinds),
    description: "Format of all inputs",
    default: "found by looking at each input",
  }),
  csvDelimiter: option({
    type: characterType("character"),
    description: "Character between the cells of CSV inputs; also by name: tab, comma, pipe",
    default: "found by looking at each input",
  }),
  csvQuote: option({
    type: characterType("character-or-none"),
    description: "Character around cells of CSV inputs; none where quotes mean nothing",
    default: "found by looking at each input",
  }),
  csvColumns: option({
    type: { ...listType, repeatable: false },
    placeholder: "<names>",
    description: "Names of the columns of CSV inputs in order, between commas",
    default: "the header",
  }),
  csvHeader: option({
    type: switchType,
    negation: "The first record of each CSV input is a row like the others",
    description: "The first record of each CSV input is its header",
    default: "found by looking at each input",
  }),
  maxRowSize: option({
    type: rowSizeType,
    description: "Rows that are longer, decompressed, are rejected; 64MiB at most",
    default: "16MiB",
  }),
  maxRatio: option({
    type: countType(1, 1_000_000),
    placeholder: "<factor>",
    description:
      "An input that decompresses to more than this many times its size is held to be a bomb and fails",
    default: "1000",
  }),
  transform: option({
    type: pathType,
    placeholder: "<module>",
    description:
      "Module whose default export takes an event and returns an event, several, or null",
  }),
  fromTime: option({
    type: timeType,
    description: "Leave out events before this time (ISO date, date-time or epoch milliseconds)",
  }),
  toTime: option({
    type: timeType,
    description: "Leave out events at or after this time",
  }),
  includeEvent: option({
    type: listType,
    placeholder: "<name>",
    description: "Take only events of this name; * and ? are wildcards",
    default: "all",
  }),
  excludeEvent: option({
    type: listType,
    placeholder: "<name>",
    description: "Leave out events of this name; * and ? are wildcards",
  }),
  minTime: option({
    type: timeType,
    description: "Reject events before this time as wrong",
    default: "1971-01-01",
  }),
  maxTime: option({
    type: timeType,
    description: "Reject events at or after this time as wrong",
    default: "the end of tomorrow, UTC",
  }),
  drop: option({
    type: privacyPathsType,
    description: "Leave out what stands at this path of the event: user.email, metadata.address",
  }),
  hash: option({
    type: privacyPathsType,
    description: "Replace what stands at this path of the event by its salted SHA-256",
  }),
  hashSaltFile: option({
    type: pathType,
    placeholder: "<file>",
    description:
      "File that holds the salt for hashed paths; SWITCHYARD_HASH_SALT can hold the salt itself",
  }),
  service: option({
    type: choiceType(services),
    flag: false,
    description:
      "Service that `migrate` sends to and qualifies at: embedded is one inside the process, with its data in the directory of serve.data",
    default: "those of send.to and qualify.console",
  }),
  ...validateOptions,
  to: option({
    section: "export",
    type: pathType,
    placeholder: "<dir>",
    description: "Directory to write to, made where it is missing",
  }),
  format: option({
    section: "export",
    type: choiceType(outputFormatNames),
    description: `Format of the written files: ${outputFormatNames
      .map((name) => `${name} (${outputFormats[name].title})`)
      .join(", ")}`,
    default: "parquet",
  }),
  compression: option({
    section: "export",
    type: choiceType(parquetCompressions),
    description: "Compression inside Parquet files; zstd needs Node 22.15 or newer",
    default: "snappy",
  }),
  dataset: option({
    section: "export",
    type: { ...textType, schema: { type: "string", format: "dataset" } },
    description: "Name of the directory that holds the days",
    default: "events",
  }),
  dayZone: option({
    section: "export",
    type: zoneType,
    description: "Time zone that decides which day an event belongs to",
    default: "UTC",
  }),
  partSize: option({
    section: "export",
    type: sizeType,
    description: "A file that has reached this size is closed and the next one is begun",
    default: "128MiB",
  }),
  splitSize: option({
    section: "export",
    type: sizeType,
    description:
      "Bytes of input that one thread reads and commits at a time; less is lost by a kill, and parts are smaller",
    default: "64MiB",
  }),
  csvSafe: option({
    section: "export",
    type: switchType,
    description: "Put ' before CSV cells that a spreadsheet would run as a formula",
    default: "off",
  }),
  threads: option({
    section: "export",
    type: countType(1, 256),
    description: "Worker threads",
    default: "as many as the machine can run at once",
  }),
  memory: option({
    section: "export",
    type: sizeType,
    description:
      "What the whole process may take; fewer threads are started where it is too little",
    default: "half of the memory of the machine or container",
  }),
  maxRejects: option({
    section: "export",
    type: rejectLimitType,
    description: "Rejected rows, or their share of all rows, up to which the exit code is still 0",
    default: "0",
  }),
  fresh: option({
    section: "export",
    type: switchType,
    description: "Throw away what an earlier run left in the directory and start over",
    default: "off",
  }),
  ...sendOptions,
  ...qualifyOptions,
  port: option({
    section: "serve",
    type: countType(0, 65_535),
    placeholder: "<port>",
    description: "Port to listen on; 0 takes any that is free, and the first line printed names it",
    default: "8080",
  }),
  host: option({
    section: "serve",
    type: textType,
    placeholder: "<host>",
    description: "Address to listen on; 0.0.0.0 is every IPv4 one that the machine has",
    default: "127.0.0.1",
  }),
  data: option({
    section: "serve",
    type: dataType,
    placeholder: "<dir>",
    description:
      "Directory that holds the service's databases, made where it is missing; :memory: keeps nothing",
    default: "./.switchyard",
  }),
  authHeader: option({
    section: "serve",
    type: { ...textType, schema: { type: "string", format: "header-name" } },
    placeholder: "<header>",
    description: "Header that carries the key of a request",
    default: "SERVICE-API-KEY",
  }),
  logLevel: option({
    section: "serve",
    type: choiceType(logLevels),
    description: "Least of what is logged; the log is one JSON object a line on standard error",
    default: "info",
  }),
  json: option({
    type: switchType,
    description: "Print the result as one JSON object on standard output",
    default: "off",
  }),
  quiet: option({
    type: switchType,
    description: "No progress and no summary; errors are still printed",
    default: "off",
  }),
} as const;

export type OptionName = keyof typeof configurationOptions;
export const optionNames = Object.keys(configurationOptions) as OptionName[];

type ValueOf<Description> = Description extends OptionDescription<infer T> ? T : never;

/** What was given, by whomever; options that nobody gave are absent. */
export type OptionValues = {
  readonly [Name in OptionName]?: ValueOf<(typeof configurationOptions)[Name]>;
};

export function describeOption(name: OptionName): OptionDescription<unknown> {
  return configurationOptions[name] as OptionDescription<unknown>;
}

/** What an option is called within its section. */
export function localNameOf(name: OptionName): string {
  return describeOption(name).key ?? name;
}

/** `--part-size` for `partSize`. */
export function flagOf(name: OptionName): string {
  return `--${localNameOf(name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `SWITCHYARD_PART_SIZE` for `partSize`. */
export function environmentNameOf(name: OptionName): string {
  return `SWITCHYARD_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** `export.partSize` for `partSize`: the path in the file. */
export function keyOf(name: OptionName): string {
  const { section } = describeOption(name);
  return section === undefined ? name : `${section}.${localNameOf(name)}`;
}
