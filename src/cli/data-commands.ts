import { Command, Option } from "commander";
import {
  addOptions,
  GENERAL_GROUP,
  givenFlags,
  type OptionDescriptions,
  outcomeOptions,
  outputOptions,
} from "../commands/command-options.js";
import type { CommandContext } from "../commands/context.js";
import * as help from "./data-help.js";

type Parsed = Readonly<Record<string, unknown>>;
type Ended = (exitCode: number) => void;

/** Only `serve` can do without stored data. */
export const storedData: OptionDescriptions = { data: "Directory with the service's databases" };

const consoleOptions = [
  "console",
  "consoleKeyFile",
  "authHeader",
  "target",
  ...outputOptions,
] as const;

/** The entities that `serve` gives an empty data directory. */
export const entitiesOption = new Option(
  "--entities <dir>",
  "Entities for an empty data directory: a directory of `console export`, or one file",
).helpGroup("Service:");

/** The commands for the entities of any console. */
function consoleCommand(context: CommandContext, ended: Ended): Command {
  const line = (place: string, parsed: Parsed) => ({
    place,
    flags: givenFlags(parsed, consoleOptions),
    configPath: parsed["config"] as string | undefined,
  });
  const exported = new Command("export")
    .description("write every entity of a console into a file of its own")
    .argument("<dir>", "directory for the files")
    .addHelpText("after", help.consoleExport)
    .action(async (place: string, parsed: Parsed) => {
      const { runConsoleExport } = await import("../commands/entities/run-console.js");
      ended(await runConsoleExport(line(place, parsed), context));
    });
  const imported = new Command("import")
    .description("create and change entities of a console as files say")
    .argument("<dir>", "directory of an export, or one JSON file with entities")
    .addOption(
      new Option("--prune", "Archive or remove entities without a file").helpGroup(GENERAL_GROUP),
    )
    .addOption(new Option("--dry-run", "Show the plan, and send nothing").helpGroup(GENERAL_GROUP))
    .addHelpText("after", help.consoleImport)
    .action(async (place: string, parsed: Parsed) => {
      const { runConsoleImport } = await import("../commands/entities/run-console.js");
      const modes = { prune: parsed["prune"] === true, dryRun: parsed["dryRun"] === true };
      ended(await runConsoleImport({ ...line(place, parsed), ...modes }, context));
    });
  const audited = new Command("audit")
    .description("print who changed what, newest first, one JSON object a line")
    .addOption(new Option("--from <time>", "Only changes from this day or time on"))
    .addOption(new Option("--to <time>", "Only changes before this day or time"))
    .addOption(new Option("--csv", "Print CSV"))
    .addHelpText("after", help.consoleAudit)
    .action(async (parsed: Parsed) => {
      const { runAudit } = await import("../commands/entities/run-audit.js");
      const { flags, configPath } = line("", parsed);
      const own = { from: parsed["from"], to: parsed["to"] } as { from?: string; to?: string };
      ended(await runAudit({ flags, configPath, ...own, csv: parsed["csv"] === true }, context));
    });
  const command = new Command("console")
    .description("keep the entities of a console in files, and print their changes")
    .helpOption("-h, --help", "Print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", help.console);
  const required = "console";
  for (const one of [exported, imported])
    command.addCommand(
      addOptions(one, consoleOptions, { required }).usage("<dir> --console <url> [options]"),
    );
  command.addCommand(
    addOptions(audited, consoleOptions, { required }).usage("--console <url> [options]"),
  );
  return command;
}

/** The commands for the data of a service as a whole. */
export function dataCommands(context: CommandContext, ended: Ended): readonly Command[] {
  const line = (parsed: Parsed) => ({
    flags: givenFlags(parsed),
    configPath: parsed["config"] as string | undefined,
  });
  const backup = new Command("backup")
    .description("write the data of a service, running or not, into one file")
    .argument("<file>", "file to write, such as backup.tar.gz")
    .addOption(new Option("--force", "Replace the file if it exists").helpGroup(GENERAL_GROUP))
    .addHelpText("after", help.backup)
    .action(async (file: string, parsed: Parsed) => {
      const { runBackup } = await import("../commands/service/run-backup.js");
      const force = parsed["force"] === true;
      ended(await runBackup({ ...line(parsed), file, force }, context));
    });
  const restore = new Command("restore")
    .description("restore a backup into an empty data directory")
    .argument("<file>", "file of `switchyard backup`")
    .addHelpText("after", help.restore)
    .action(async (file: string, parsed: Parsed) => {
      const { runRestore } = await import("../commands/service/run-backup.js");
      ended(await runRestore({ ...line(parsed), file }, context));
    });
  const into = { data: "Directory to restore into: empty, or not there yet" };
  return [
    addOptions(backup, ["data", ...outcomeOptions], { descriptions: storedData }),
    addOptions(restore, ["data", ...outcomeOptions], { descriptions: into }),
    consoleCommand(context, ended),
  ];
}
