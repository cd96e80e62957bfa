import type { Command, Option } from "commander";
import { version } from "../base/package-files.js";
import { environmentNameOf, flagOf, optionNames } from "../options/option-names.js";

export const completionForms = ["bash", "zsh", "fish", "man"] as const;
export type CompletionForm = (typeof completionForms)[number];

const writers: Readonly<Record<CompletionForm, (program: Command) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  man: manualPage,
};

/** Returns the completion script of a shell, or the manual page, from the commands and their options. */
export function describeProgram(form: CompletionForm, program: Command): string {
  return writers[form](program);
}

/** A command with the options and words that can follow it. */
interface CommandFacts {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** Names of subcommands, or values of the argument. */
  readonly words: readonly string[];
  readonly takesFiles: boolean;
}

function factsOf(program: Command): readonly CommandFacts[] {
  return program.commands.map((command) => {
    const { commands, registeredArguments: given } = command;
    const options = [command, ...commands].flatMap((one) => one.options);
    const choices = given.flatMap(({ argChoices }) => argChoices ?? []);
    return {
      name: command.name(),
      description: command.description(),
      options: options.filter(
        ({ hidden, long }, index) =>
          !hidden && options.findIndex((one) => one.long === long) === index,
      ),
      words: [...commands.map((one) => one.name()), ...choices],
      takesFiles: given.length > 0 && choices.length === 0,
    };
  });
}

function flagsOf({ options }: CommandFacts): readonly string[] {
  return [...options.map(({ long }) => long ?? ""), "--help"];
}

function bashScript(program: Command): string {
  const commands = factsOf(program);
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ long, argChoices }) =>
      argChoices === undefined ? [] : [`    ${name}:${long}) words="${argChoices.join(" ")}" ;;`],
    ),
  );
  return `_switchyard() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} help" -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]}:\${COMP_WORDS[COMP_CWORD - 1]} in
${values.join("\n")}
  esac
  if [[ -z $words ]]; then
    case \${COMP_WORDS[1]}:$current in
${commands.flatMap((one) => [`      ${one.name}:-*) words="${flagsOf(one).join(" ")}" ;;`, ...(one.words.length === 0 ? [] : [`      ${one.name}:*) words="${one.words.join(" ")}" ;;`])]).join("\n")}
    esac
  fi
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _switchyard switchyard
`;
}

function zshScript(program: Command): string {
  const commands = factsOf(program);
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const plain = (text: string) => text.replaceAll(/[[\]\\:]/g, (character) => `\\${character}`);
  const optionSpec = ({ long, description, required, argChoices }: Option) => {
    const value = required ? `:value:${argChoices ? `(${argChoices.join(" ")})` : "_files"}` : "";
    return quoted(`*${long}[${plain(firstSentence(description))}]${value}`);
  };
  const cases = commands.map(({ name, options, words, takesFiles }) => {
    const rest = words.length > 0 ? [`'*:word:(${words.join(" ")})'`] : [];
    const specs = [...options.map(optionSpec), ...rest, ...(takesFiles ? ["'*:file:_files'"] : [])];
    return `    ${name}) _arguments ${specs.join(" \\\n      ")} ;;`;
  });
  const names = commands.map(({ name, description }) => quoted(`${name}:${plain(description)}`));
  return `#compdef switchyard
_switchyard() {
  if ((CURRENT == 2)); then
    local -a commands=(${names.join("\n      ")})
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _switchyard ]]; then _switchyard "$@"; else compdef _switchyard switchyard; fi
`;
}

function fishScript(program: Command): string {
  const quoted = (text: string) =>
    `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`;
  const lines = factsOf(program).flatMap(({ name, description, options, words, takesFiles }) => {
    const after = `complete -c switchyard -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c switchyard -n __fish_use_subcommand -fa ${name} -d ${quoted(description)}`,
      ...(takesFiles ? [] : [`${after} -f${words.length > 0 ? `a '${words.join(" ")}'` : ""}`]),
      ...options.map(({ long, required, argChoices, description: about }) => {
        const value = argChoices ? ` -xa '${argChoices.join(" ")}'` : required ? " -rF" : "";
        return `${after} -l ${long?.slice(2)}${value} -d ${quoted(firstSentence(about))}`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

/** Returns a description up to its first detail, to fit beside a flag. */
function firstSentence(description: string): string {
  return description.replace(/(;|: | \(default).*$/s, "");
}

/** Returns the manual page in the man macros of troff: each command with its options. */
function manualPage(program: Command): string {
  return [
    `.TH SWITCHYARD 1 "" "switchyard ${version}"`,
    ".SH NAME",
    `switchyard \\- ${troffText("moves product-analytics exports into an experimentation platform")}`,
    ".SH SYNOPSIS",
    ".B switchyard\n.I command\n[options]",
    ".SH COMMANDS",
    ...program.commands.flatMap((command) => [command, ...command.commands]).map(describeCommand),
    ".SH ENVIRONMENT",
    troffText(
      "Each option can also be a variable, or a line of pipeline.config.json. A flag wins over the " +
        "variable, which wins over the file.",
    ),
    ...optionNames.map((name) => `.TP\n.B ${environmentNameOf(name)}\n${troffText(flagOf(name))}`),
    ".SH EXIT STATUS",
    troffText(
      "0 done; 1 failed; 2 wrong usage or configuration; 3 more rows rejected than allowed; " +
        "4 another run is active here; 130 interrupted.",
    ),
    "",
  ].join("\n");
}

function describeCommand(command: Command): string {
  const { parent } = command;
  const names = parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `.SS switchyard ${troffText(`${names} ${command.usage()}`)}`,
    troffText(command.description()),
    ...options.map(
      ({ flags, description }) => `.TP\n.B ${troffText(flags)}\n${troffText(description)}`,
    ),
  ].join("\n");
}

/** Returns a text that troff prints as it is. */
function troffText(plain: string): string {
  const escaped = plain.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return escaped.replaceAll(/^[.']/gm, (character) => `\\&${character}`);
}
