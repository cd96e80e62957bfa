import { Command, CommanderError } from "commander";
import { exitCodes } from "../base/errors.js";
import { version } from "../base/package-files.js";
import { createCommands } from "./commands/commands.js";
import type { CommandContext } from "./context.js";

const examples = `
Examples:
  $ switchyard init export.zip                inspect it, write pipeline.config.json
  $ switchyard validate export.zip            what an export would do, as a report
  $ switchyard export export.zip --to out     one directory per day in out/events
  $ switchyard send export.zip --to <url>     to an event webhook, one by one
  $ switchyard runs                           what was sent, and how to resume it
  $ switchyard verify out                     compare it with its manifest
  $ switchyard qualify out --console https://console.example.com
                                              qualifying events for what was exported
  $ switchyard migrate                        all steps of pipeline.config.json
  $ switchyard serve                          the console API on http://127.0.0.1:8080
  $ switchyard help export                    all options of a command`;

/** Runs a command line (without the program's name) and returns its exit code; never throws. */
export async function runCommandLine(
  words: readonly string[],
  context: CommandContext,
): Promise<number> {
  let exitCode: number = exitCodes.done;
  const ended = (code: number) => {
    exitCode = code;
  };
  const program = new Command("switchyard")
    .description("Moves product-analytics exports into an experimentation platform.")
    .version(version, "-V, --version", "print the version")
    .addHelpText("after", examples);
  for (const command of createCommands(context, words, ended)) program.addCommand(command);
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError("(--help lists commands and options)");
    command.configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    });
  }
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version also throw, with exit code 0.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  return exitCode;
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
