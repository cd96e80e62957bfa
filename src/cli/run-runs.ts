import { exitCodes } from "../base/errors.js";
import { loadConfiguration } from "../pipeline/configuration/configuration.js";
import { runsDirectoryOf } from "../pipeline/configuration/configuration-send.js";
import { listRuns } from "../pipeline/sent-runs.js";
import { describeRuns } from "../report/run-table.js";
import type { CommandContext } from "./context.js";
import { printFailure } from "./print-outcome.js";
import type { ServiceInvocation } from "./service/service-options.js";

/** Prints the runs that sent something, and gives the exit code; never throws. */
export async function runRuns(
  { flags, configPath }: ServiceInvocation,
  context: CommandContext,
): Promise<number> {
  let isJson = flags.json === true;
  try {
    const { environment, currentDirectory, stdout } = context;
    const configuration = await loadConfiguration({
      ...{ flags, configPath, environment, currentDirectory },
      // What a mapping says is the business of the commands that map.
      mappingSchema: { type: "object" },
    });
    isJson = configuration.values.json ?? false;
    const directory = runsDirectoryOf(configuration);
    const runs = await listRuns(directory);
    const text = isJson
      ? `${JSON.stringify({ command: "runs", exitCode: exitCodes.done, directory, runs })}\n`
      : describeRuns(runs, directory);
    stdout.write(text);
    return exitCodes.done;
  } catch (error) {
    return printFailure("runs", error, isJson, context);
  }
}
