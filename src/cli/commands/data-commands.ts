import { Command, Option } from "commander";
import {
  addOptions,
  GENERAL_GROUP,
  givenFlags,
  type OptionDescriptions,
  outcomeOptions,
} from "../command-options.js";
import type { CommandContext } from "../context.js";
import * as help from "./data-help.js";

type Parsed = Readonly<Record<string, unknown>>;
type Ended = (exitCode: number) => void;

/** Only `serve` can do without stored data. */
export const storedData: OptionDescriptions = { data: "Directory with the service's databases" };

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
      const { runBackup } = await import("../service/run-backup.js");
      const force = parsed["force"] === true;
      ended(await runBackup({ ...line(parsed), file, force }, context));
    });
  const restore = new Command("restore")
    .description("restore a backup into an empty data directory")
    .argument("<file>", "file of `switchyard backup`")
    .addHelpText("after", help.restore)
    .action(async (file: string, parsed: Parsed) => {
      const { runRestore } = await import("../service/run-backup.js");
      ended(await runRestore({ ...line(parsed), file }, context));
    });
  const into = { data: "Directory to restore into: empty, or not there yet" };
  return [
    addOptions(backup, ["data", ...outcomeOptions], { descriptions: storedData }),
    addOptions(restore, ["data", ...outcomeOptions], { descriptions: into }),
  ];
}
