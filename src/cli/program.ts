import { Command, CommanderError } from "commander";
import { exitCodes, UsageError } from "../base/errors.js";
import { version } from "../base/package-files.js";
import { suggestion } from "../base/schema.js";
import { type CommandContext, outputOf } from "../commands/context.js";
import { printFailure } from "../commands/print-result.js";
import {
  describeOption,
  environmentNameOf,
  flagOf,
  type OptionName,
  optionNames,
  placeholderOf,
  replacementOf,
} from "../options/option-names.js";
import { jsonOutputs } from "../options/options.js";
import { outputRows } from "../options/output-rows.js";
import {
  CLIENT_KEY_VARIABLE,
  CONSOLE_KEY_VARIABLE,
  type Environment,
  HASH_SALT_VARIABLE,
  SERVER_SECRET_VARIABLE,
  WEBHOOK_SECRET_VARIABLE,
} from "../options/secrets.js";
import { examples } from "./command-help.js";
import { createCommands } from "./commands.js";

/** Columns of help, on every terminal. */
const HELP_COLUMNS = 80;

/** Runs a command line (without the program's name) and returns its exit code; never throws. */
export async function runCommandLine(
  words: readonly string[],
  context: CommandContext,
): Promise<number> {
  let exitCode: number = exitCodes.done;
  const ended = (code: number) => {
    exitCode = code;
  };
  const sorted = withCommandFirst(words);
  const program = createProgram(context, sorted, ended);
  const line = sorted[0] === "help" ? [...sorted.slice(1), "--help"] : sorted;
  for (const note of unknownVariables(context.environment)) context.stderr.write(`${note}\n`);
  try {
    await program.parseAsync(upToUnknown(program, withForm(line)), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version also throw, with exit code 0. Without a command the help has been printed.
    if (error.exitCode === 0) return exitCodes.done;
    return error.code === "commander.help"
      ? exitCodes.usage
      : printFailure(sorted[0] ?? "", usageError(error), outputOfWords(withForm(sorted)), context);
  }
  return exitCode;
}

const JSON_FLAG = flagOf("json");

/** The values of flags that can be without one. */
const bareValues: ReadonlyMap<string, string> = new Map([
  [JSON_FLAG, jsonOutputs[0]],
  [flagOf("repair"), "true"],
]);

/** Gives `--json` and `--repair` their values, so that the words after them are not taken for one. */
function withForm(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return words.map((word, index) =>
    bareValues.has(word) && (end < 0 || index < end) ? `${word}=${bareValues.get(word)}` : word,
  );
}

/** Options that may come before the command, with the number of words of each. */
const leadingOptions: ReadonlyMap<string, number> = new Map([
  ["--config", 2],
  ...optionNames
    .filter((name) => name in outputRows)
    .flatMap((name): readonly (readonly [string, number])[] => [
      [flagOf(name), placeholderOf(name).startsWith("<") ? 2 : 1],
      ...(describeOption(name).negation === undefined
        ? []
        : ([[`--no-${flagOf(name).slice(2)}`, 1]] as const)),
    ]),
]);

/** Moves options before the command behind its first word, or behind both of `keys list`. */
function withCommandFirst(words: readonly string[]): readonly string[] {
  let start = 0;
  for (let word = words[0]; word !== undefined; word = words[start]) {
    const [name = ""] = word.split("=");
    const count = leadingOptions.get(name);
    if (count === undefined) break;
    start += word === name ? count : 1;
  }
  if (start === 0 || start >= words.length) return words;
  if (words[start] === "help") return words.slice(start);
  const end = start + (["keys", "console"].includes(words[start] ?? "") ? 2 : 1);
  return [...words.slice(start, end), ...words.slice(0, start), ...words.slice(end)];
}

function createProgram(
  context: CommandContext,
  words: readonly string[],
  ended: (exitCode: number) => void,
): Command {
  const program = new Command("switchyard")
    .description("Moves product-analytics exports into an experimentation platform.")
    .version(version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", examples);
  for (const command of createCommands(context, words, ended)) program.addCommand(command);
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureHelp({
      helpWidth: HELP_COLUMNS,
      optionDescription: ({ description }) => description,
      subcommandTerm: (one) => one.name(),
    });
    command.configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      // Printed with its code, and as JSON if that is requested.
      outputError: () => undefined,
    });
  }
  return program;
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** Returns the words up to the first unknown command, for which commander would print help. */
function upToUnknown(program: Command, words: readonly string[]): readonly string[] {
  let command = program;
  for (const [index, word] of words.entries()) {
    if (command.commands.length === 0 || word.startsWith("-")) break;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return words.slice(0, index + 1);
    command = next;
  }
  return words;
}

function usageError({ message }: CommanderError): UsageError {
  const [first = "", ...hints] = message.replace(/^error: /, "").split("\n");
  const [, word = "", choices] =
    /'([^']*)' is invalid.* Allowed choices are (.*)\.$/.exec(first) ?? [];
  const near = suggestion(word, choices?.split(", ") ?? []);
  const [, flag = ""] = /^unknown option '--(?:no-)?([^'=]*)/.exec(first) ?? [];
  const replaced = replacementOf(camelCase(flag, "-"));
  const meant = replaced === undefined ? hints : [`(${useInstead(replaced)})`];
  const text = `${[first.replace(/\.$/, ""), ...meant].join(" ")}${near}; --help lists commands and options.`;
  return new UsageError("command_line_invalid", text);
}

function useInstead(name: OptionName): string {
  const hasFlag = describeOption(name).flag !== false;
  return hasFlag ? `Did you mean ${flagOf(name)}?` : `Pass ${name} without a flag.`;
}

/** Reads the output options from a command line that could not be parsed. */
function outputOfWords(words: readonly string[]) {
  const json = words.find((word) => word.startsWith(`${JSON_FLAG}=`));
  return outputOf({
    json: json === undefined ? false : json.slice(JSON_FLAG.length + 1),
    color: !words.includes("--no-color"),
  });
}

const PREFIX = "SWITCHYARD_";

const known: readonly string[] = [
  ...optionNames.map(environmentNameOf),
  HASH_SALT_VARIABLE,
  SERVER_SECRET_VARIABLE,
  CONSOLE_KEY_VARIABLE,
  CLIENT_KEY_VARIABLE,
  WEBHOOK_SECRET_VARIABLE,
  "SWITCHYARD_DEBUG",
];

/** Returns a note for each unknown variable with the program's prefix. */
function unknownVariables(environment: Environment): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => `unknown environment variable ${name}, ignored${meantVariable(name)}`);
}

function meantVariable(variable: string): string {
  const words = variable.slice(PREFIX.length).toLowerCase();
  const replaced = replacementOf(camelCase(words, "_"));
  return replaced === undefined
    ? suggestion(variable, known)
    : `; did you mean ${environmentNameOf(replaced)}?`;
}

/** Returns `csvNull` for `csv-null`. */
function camelCase(words: string, separator: string): string {
  return words
    .split(separator)
    .map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join("");
}
