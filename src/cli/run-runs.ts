import { exitCodes } from "../base/errors.js";
import { loadConfiguration } from "../pipeline/configuration/configuration.js";
import { valuesOf } from "../pipeline/configuration/run-options.js";
import { listRuns } from "../pipeline/sent-runs.js";
import { describeRuns } from "../report/run-summary.js";
import type { CommandContext } from "./context.js";
import { outputOf } from "./output.js";
import { printFailure, printResult } from "./print-outcome.js";
import type { ServiceInvocation } from "./service/service-options.js";

/** Prints the runs of `send` and returns the exit code; never throws. */
export async function runRuns(
  { flags, configPath }: ServiceInvocation,
  context: CommandContext,
): Promise<number> {
  let output = outputOf(flags);
  try {
    const { environment, currentDirectory } = context;
    const configuration = await loadConfiguration({
      flags,
      configPath,
      environment,
      currentDirectory,
    });
    output = outputOf(configuration.values);
    const { runs: directory } = valuesOf(configuration);
    const runs = await listRuns(directory);
    if (output.json) {
      const result = { command: "runs", exitCode: exitCodes.done, directory, runs };
      context.stdout.write(`${JSON.stringify(result)}\n`);
    } else {
      printResult(describeRuns(runs, directory, context.program).trimEnd(), output, context);
    }
    return exitCodes.done;
  } catch (error) {
    return printFailure("runs", error, output, context);
  }
}
