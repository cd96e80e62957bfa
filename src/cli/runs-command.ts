import { Command } from "commander";
import { exitCodes } from "../base/errors.js";
import { loadConfiguration } from "../pipeline/configuration/configuration.js";
import type { OptionName } from "../pipeline/configuration/configuration-options.js";
import { runsDirectoryOf } from "../pipeline/configuration/configuration-send.js";
import { addOptions, givenFlags } from "./command-options.js";
import type { CommandContext } from "./context.js";
import { printFailure } from "./print-failure.js";

const runsOptions: readonly OptionName[] = ["runs", "json"];

export function runsCommand(context: CommandContext, ended: (exitCode: number) => void): Command {
  const command = new Command("runs").description(
    "list what was sent, how far it came, and how to go on with it",
  );
  return addOptions(command, runsOptions).action(async (parsed: Record<string, unknown>) => {
    const flags = givenFlags(parsed, runsOptions);
    let isJson = flags.json === true;
    try {
      const { environment, currentDirectory, stdout } = context;
      const configuration = await loadConfiguration({
        ...{ flags, environment, currentDirectory },
        configPath: parsed["config"] as string | undefined,
        // What a mapping says is the business of the commands that map.
        mappingSchema: { type: "object" },
      });
      isJson = configuration.values.json ?? false;
      const directory = runsDirectoryOf(configuration);
      const { listRuns } = await import("../pipeline/ledger/list-runs.js");
      const { describeRuns } = await import("../report/run-table.js");
      const runs = await listRuns(directory);
      const text = isJson
        ? `${JSON.stringify({ command: "runs", exitCode: exitCodes.done, directory, runs })}\n`
        : describeRuns(runs, directory);
      stdout.write(text);
      ended(exitCodes.done);
    } catch (error) {
      ended(printFailure("runs", error, isJson, context));
    }
  });
}
