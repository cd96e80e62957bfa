import type { Command } from "commander";
import { version } from "../../base/package-files.js";
import { environmentNameOf, flagOf, optionNames } from "../../pipeline/configuration/options.js";

/** Returns the manual page in the man macros of troff: each command with its options. */
export function manualPage(program: Command): string {
  return [
    `.TH SWITCHYARD 1 "" "switchyard ${version}"`,
    ".SH NAME",
    `switchyard \\- ${text("moves product-analytics exports into an experimentation platform")}`,
    ".SH SYNOPSIS",
    ".B switchyard\n.I command\n[options]",
    ".SH COMMANDS",
    ...program.commands.flatMap((command) => [command, ...command.commands]).map(describeCommand),
    ".SH ENVIRONMENT",
    text(
      "Each option can also be a variable, or a line of pipeline.config.json. A flag wins over the " +
        "variable, which wins over the file.",
    ),
    ...optionNames.map((name) => `.TP\n.B ${environmentNameOf(name)}\n${text(flagOf(name))}`),
    ".SH EXIT STATUS",
    text(
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
    `.SS switchyard ${text(`${names} ${command.usage()}`)}`,
    text(command.description()),
    ...options.map(({ flags, description }) => `.TP\n.B ${text(flags)}\n${text(description)}`),
  ].join("\n");
}

/** Returns a text that troff prints as it is. */
function text(plain: string): string {
  const escaped = plain.replaceAll("\\", "\\e").replaceAll("-", "\\-");
  return escaped.replaceAll(/^[.']/gm, (character) => `\\&${character}`);
}
