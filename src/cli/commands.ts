import { Argument, Command, Option } from "commander";
import { omitUndefined } from "../base/omit-undefined.js";
import {
  addOptions,
  compactOptions,
  doctorOptions,
  exportOptions,
  fetchOptions,
  GENERAL_GROUP,
  givenFlags,
  identitiesOptions,
  migrateOptions,
  type OptionDescriptions,
  outcomeOptions,
  outputOptions,
  previewOptions,
  qualifyOptions,
  readingOptions,
  readyOptions,
  sendOptions,
  serveOptions,
  storeAccess,
  usualOptions,
  validateOptions,
  verifyOptions,
  workerOptions,
} from "../commands/command-options.js";
import type { CommandContext } from "../commands/context.js";
import type { Invocation } from "../migration/run-steps.js";
import type { GivenFlags } from "../options/configuration.js";
import { fetchVendors } from "../options/fetch-rows.js";
import { flagOf, type OptionName, placeholderOf } from "../options/option-names.js";
import { type Warehouse, warehouses } from "../options/options.js";
import * as help from "./command-help.js";
import { type CompletionForm, completionForms, describeProgram } from "./completion.js";
import { dataCommands, entitiesOption, storedData } from "./data-commands.js";
import { keysCommand } from "./keys-command.js";

type Parsed = Readonly<Record<string, unknown>>;

/** A command line after parsing, before the configuration file and the environment are read. */
interface ParsedLine {
  readonly flags: GivenFlags;
  /** `--config`. */
  readonly configPath: string | undefined;
  /** Arguments as given, without the program's name. */
  readonly words: readonly string[];
  /** All values that commander parsed. */
  readonly parsed: Parsed;
}

/** One command. Implementations are imported when they run, so that help loads none of them. */
interface CommandRow {
  readonly name: string;
  readonly description: string;
  readonly help: string;
  /** The positional argument in commander's syntax, its description, and the option that it sets. */
  readonly argument?: readonly [
    syntax: string,
    description: string,
    option: "inputs" | "to" | "vendor",
  ];
  readonly options: readonly OptionName[];
  /** The required option of a command; first in help. */
  readonly required?: OptionName;
  readonly descriptions?: OptionDescriptions;
  /** Options that are not in the option table. A `--config` here replaces the common one. */
  readonly ownOptions?: readonly Option[];
  /** Returns the exit code; never throws. */
  run(line: ParsedLine, context: CommandContext): Promise<number>;
}

const inputs = ["[inputs...]", "files, directories or globs to read", "inputs"] as const;
const exported = [
  "[dir]",
  "directory of the export (default: the one of the configuration)",
  "to",
] as const;

const commandRows: readonly CommandRow[] = [
  {
    name: "fetch",
    description: "download an export from a vendor's API, whole and resumable",
    help: help.fetch,
    argument: ["[vendor]", `vendor to ask: ${fetchVendors.join(", ")}`, "vendor"],
    options: fetchOptions,
    required: "fetchTo",
    ownOptions: [
      new Option("--dry-run", "Show what would be asked for, and ask nothing").helpGroup(
        GENERAL_GROUP,
      ),
    ],
    async run({ flags, configPath, parsed }, context) {
      const { runFetchCommand } = await import("../commands/run-fetch.js");
      return runFetchCommand({ flags, configPath, dryRun: parsed["dryRun"] === true }, context);
    },
  },
  {
    name: "init",
    description: "inspect inputs and write a pipeline.config.json for them",
    help: help.init,
    argument: ["<inputs...>", "files, directories or globs to inspect", "inputs"],
    options: ["preset", ...readingOptions, "to", ...outputOptions],
    ownOptions: [
      new Option("--config <file>", "File to write (default: pipeline.config.json)").helpGroup(
        GENERAL_GROUP,
      ),
      new Option("--force", "Replace the file if it exists").helpGroup(GENERAL_GROUP),
    ],
    async run({ flags, configPath, parsed }, context) {
      const { runInit } = await import("../commands/init/run-init.js");
      return runInit({ flags, configPath, force: parsed["force"] === true }, context);
    },
  },
  {
    name: "preview",
    description: "show the first rows as they become events, and as the target takes them",
    help: help.preview,
    argument: inputs,
    options: previewOptions,
    run: async (...call) => (await import("../commands/run-preview.js")).runPreview(...call),
  },
  {
    name: "validate",
    description: "report what an export would do, without writing events",
    help: help.validate,
    argument: inputs,
    options: validateOptions,
    run: stepsOf("validate"),
  },
  {
    name: "export",
    description: "write the events of an analytics export, one directory per day",
    help: help.exportEvents,
    argument: inputs,
    options: exportOptions,
    required: "to",
    run: stepsOf("export"),
  },
  {
    name: "send",
    description: "send the events of an analytics export to an event webhook",
    help: help.send,
    argument: inputs,
    options: sendOptions,
    required: "sendTo",
    run: stepsOf("send"),
  },
  {
    name: "doctor",
    description: "check rights, keys, disk and memory before a long run",
    help: help.doctor,
    argument: inputs,
    options: doctorOptions,
    descriptions: {
      to: "Output to check: a directory, an address in a store, or the base URL of a service",
    },
    run: async (...call) => (await import("../commands/run-doctor.js")).runDoctor(...call),
  },
  {
    name: "runs",
    description: "list exports and what was sent: when, how much, how to resume",
    help: help.runs,
    argument: ["[dir]", "an export elsewhere (those in this directory are found)", "to"],
    options: ["runs", ...storeAccess, ...outcomeOptions],
    ownOptions: [
      new Option("--watch", "Print changes until everything has ended").helpGroup(GENERAL_GROUP),
    ],
    async run({ flags, configPath, parsed }, context) {
      const { runRuns } = await import("../commands/run-runs.js");
      return runRuns({ flags, configPath, watch: parsed["watch"] === true }, context);
    },
  },
  {
    name: "verify",
    description: "read an export back and compare it with its manifest",
    help: help.verify,
    argument: exported,
    options: verifyOptions,
    run: stepsOf("verify"),
  },
  {
    name: "ready",
    description: "tell the target which days of an export are complete",
    help: help.ready,
    argument: exported,
    options: readyOptions,
    descriptions: {
      dryRun: "Show what would be announced, and announce nothing",
      serverSecretFile: "File with the server secret, for calls",
    },
    run: stepsOf("ready"),
  },
  {
    name: "names",
    description: "list the names that an export has repaired for its target",
    help: help.names,
    argument: exported,
    options: [...storeAccess, ...outcomeOptions],
    ownOptions: [new Option("--csv", "Print CSV").helpGroup(GENERAL_GROUP)],
    async run({ flags, configPath, parsed }, context) {
      const { runNames } = await import("../commands/run-names.js");
      return runNames({ flags, configPath, csv: parsed["csv"] === true }, context);
    },
  },
  {
    name: "compact",
    description: "join the small files of each day of a finished export",
    help: help.compact,
    argument: exported,
    options: compactOptions,
    run: async (...call) => (await import("../commands/run-compact.js")).runCompact(...call),
  },
  {
    name: "identities",
    description: "make the table anonymous id to user id from an export",
    help: help.identities,
    argument: inputs,
    options: identitiesOptions,
    required: "to",
    descriptions: { to: "File to write: .parquet, .csv or .jsonl" },
    run: async (...call) => (await import("../commands/run-identities.js")).runIdentities(...call),
  },
  {
    name: "qualify",
    description: "create qualifying events for the events of an export or of inputs",
    help: help.qualify,
    argument: ["[inputs...]", "an export, or files, directories or globs to read", "inputs"],
    options: qualifyOptions,
    required: "console",
    run: stepsOf("qualify"),
  },
  {
    name: "migrate",
    description: "run all steps of pipeline.config.json",
    help: help.migrate,
    options: migrateOptions,
    ownOptions: [
      new Option("--open", "Watch it in a browser, and look at the result until Ctrl-C").helpGroup(
        GENERAL_GROUP,
      ),
    ],
    run: stepsOf("migrate"),
  },
  {
    name: "worker",
    description: "read the splits that exports put into a queue",
    help: help.worker,
    options: workerOptions,
    required: "queue",
    descriptions: {
      queue: "Redis that exports and sends with --queue put their splits into",
    },
    run: async (...call) => (await import("../commands/run-worker.js")).runWorker(...call),
  },
  {
    name: "serve",
    description: "serve the console API and the event route",
    help: help.serve,
    options: [...serveOptions, ...outcomeOptions],
    ownOptions: [entitiesOption],
    async run({ flags, configPath, parsed }, context) {
      const { runServe } = await import("../commands/service/run-serve.js");
      const entities = parsed["entities"] as string | undefined;
      return runServe({ flags, configPath, entities }, context);
    },
  },
  {
    name: "check-data",
    description: "check the databases of a service for damage",
    help: help.checkData,
    options: ["data", ...outcomeOptions],
    descriptions: storedData,
    run: async (...call) =>
      (await import("../commands/service/run-check-data.js")).runCheckData(...call),
  },
];

/** Returns all commands in the order of help. `ended` gets the exit code; `words` is the command line. */
export function createCommands(
  context: CommandContext,
  words: readonly string[],
  ended: (exitCode: number) => void,
): readonly Command[] {
  const create = (row: CommandRow): Command => {
    const { name, description, argument, options, required, descriptions, ownOptions } = row;
    const shown = words.includes("-h") ? usualOptions[name] : undefined;
    const about = shown === undefined ? row.help : shortHelp(row.help, options.length);
    const command = new Command(name).description(description).addHelpText("after", about);
    if (argument !== undefined) command.argument(argument[0], argument[1]);
    // The options of a command that is not run are only for completion.
    if (words.includes(name) || words.includes("completion"))
      addOptions(command, options, {
        readsFile: ownOptions?.some(({ long }) => long === "--config") !== true,
        ...omitUndefined({ required, descriptions, shown }),
      });
    for (const option of ownOptions ?? []) command.addOption(option);
    command.usage(usageOf(row));
    return command.action(async () => {
      const parsed = command.opts<Parsed>();
      const flags = { ...givenFlags(parsed, options), ...argumentOf(command, argument) };
      const configPath = parsed["config"] as string | undefined;
      ended(await row.run({ flags, configPath, words, parsed }, context));
    });
  };
  return [
    ...commandRows.map(create),
    ...dataCommands(context, ended),
    loadSqlCommand(context, ended),
    keysCommand(context, ended),
    completionCommand(context),
  ];
}

/** Returns the first example of a help text, and where the rest is. */
function shortHelp(text: string, options: number): string {
  const [, example = ""] = /^Examples:\n((?: .*\\\n)* .*)$/m.exec(text) ?? [];
  return `\nExample:\n${example}\n\n--help has all ${options} options, with details and exit codes.`;
}

function usageOf({ argument, required }: CommandRow): string {
  const option = required && `${flagOf(required)} ${placeholderOf(required)}`;
  return [argument?.[0], option, "[options]"].filter((word) => word !== undefined).join(" ");
}

/** Returns the value of the positional argument as a flag; empty if it was not given. */
function argumentOf(command: Command, argument: CommandRow["argument"]): GivenFlags {
  const [value] = command.processedArgs as readonly (string | readonly string[] | undefined)[];
  if (argument === undefined || value === undefined || value.length === 0) return {};
  return { [argument[2]]: value };
}

function stepsOf(command: Invocation["command"]): CommandRow["run"] {
  return async ({ flags, configPath, words, parsed }, context) => {
    const { runSteps } = await import("../migration/run-steps.js");
    const opens = parsed["open"] === true;
    return runSteps({ command, flags, configPath, words, opens }, context);
  };
}

function loadSqlCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const command = new Command("load-sql")
    .description("print the statements that load an export into a warehouse")
    .addArgument(new Argument("<warehouse>", "kind of warehouse").choices(warehouses))
    .argument("<dir>", "directory of the export")
    .addHelpText("after", help.loadSql)
    .action(async (warehouse: Warehouse, directory: string, parsed: Parsed) => {
      const { runLoadSql } = await import("../commands/run-load-sql.js");
      const flags = { ...givenFlags(parsed, storeAccess), to: directory };
      const configPath = parsed["config"] as string | undefined;
      ended(await runLoadSql(warehouse, { flags, configPath }, context));
    });
  return addOptions(command, storeAccess, { readsFile: true });
}

function completionCommand({ stdout }: CommandContext): Command {
  const command: Command = new Command("completion")
    .description("print the completion of a shell, or the manual page")
    .addArgument(new Argument("<form>", "what to print").choices(completionForms))
    .addHelpText("after", help.completion)
    .action((form: CompletionForm) => {
      stdout.write(describeProgram(form, command.parent ?? command));
    });
  return addOptions(command, [], { readsFile: false });
}
