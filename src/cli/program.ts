import { Command, CommanderError } from "commander";
import { exitCodes } from "../base/errors.js";
import { version } from "../base/package-files.js";
import { exportCommand } from "./commands/export-command.js";
import { initCommand } from "./commands/init-command.js";
import { keysCommand } from "./commands/keys-command.js";
import { migrateCommand } from "./commands/migrate-command.js";
import { qualifyCommand } from "./commands/qualify-command.js";
import { runsCommand } from "./commands/runs-command.js";
import { sendCommand } from "./commands/send-command.js";
import { serveCommand } from "./commands/serve-command.js";
import { validateCommand } from "./commands/validate-command.js";
import { verifyCommand } from "./commands/verify-command.js";
import type { CommandContext } from "./context.js";

const examples = `
Examples:
  $ switchyard init export.zip                look at it, write pipeline.config.json
  $ switchyard validate export.zip            what an export would do, as a report
  $ switchyard export export.zip --to out     one directory per day in out/events
  $ switchyard send export.zip --to <url>     to an event webhook, one by one
  $ switchyard runs                           what was sent, and how to go on with it
  $ switchyard verify out                     prove it against its manifest
  $ switchyard qualify out --console https://console.example.com
                                              qualifying events for what was exported
  $ switchyard migrate                        all steps of pipeline.config.json
  $ switchyard serve                          the console API on http://127.0.0.1:8080
  $ switchyard help export                    all options of a command`;

/** Runs one command line (without the program's own name) and gives its exit code; never throws. */
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
  program
    .addCommand(initCommand(context, ended))
    .addCommand(validateCommand(context, ended))
    .addCommand(exportCommand(context, ended))
    .addCommand(sendCommand(context, ended, words))
    .addCommand(runsCommand(context, ended))
    .addCommand(verifyCommand(context, ended))
    .addCommand(qualifyCommand(context, ended))
    .addCommand(migrateCommand(context, ended, words))
    .addCommand(serveCommand(context, ended))
    .addCommand(keysCommand(context, ended));
  for (const command of withSubcommands(program)) {
    command.exitOverride().showHelpAfterError("(--help lists what there is)");
    command.configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    });
  }
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version leave by an error too, one with exit code 0.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  return exitCode;
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
