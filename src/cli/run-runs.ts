import { exitCodes } from "../base/errors.js";
import { loadConfiguration } from "../pipeline/configuration/configuration.js";
import { valuesOf } from "../pipeline/configuration/run-options.js";
import { listRuns } from "../pipeline/sent-runs.js";
import { describeRuns } from "../report/run-summary.js";
import type { CommandContext } from "./context.js";
import { printFailure } from "./print-outcome.js";
import type { ServiceInvocation } from "./service/service-options.js";

/** Prints the runs of `send` and returns the exit code; never throws. */
export async function runRuns(
  { flags, configPath }: ServiceInvocation,
  context: CommandContext,
): Promise<number> {
  let isJson = flags.json === true;
  try {
    const { environment, currentDirectory, stdout } = context;
    const configuration = await loadConfiguration({
      flags,
      configPath,
      environment,
      currentDirectory,
    });
    isJson = configuration.values.json ?? false;
    const { runs: directory } = valuesOf(configuration);
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
