import { exitCodes } from "../base/errors.js";
import { loadConfiguration } from "../pipeline/configuration/configuration.js";
import { resolveWorkerOptions } from "../pipeline/configuration/run-options.js";
import { logProgress, noProgress, showProgress } from "../report/progress.js";
import { formatCount, formatDuration, formatNumberOf } from "../report/quantities.js";
import type { CommandContext } from "./context.js";
import { outputOf } from "./output.js";
import { printFailure, printResult } from "./print-outcome.js";
import type { ServiceInvocation } from "./service/service-options.js";

/** Reads the splits of a queue until it is told to stop, and returns the exit code; never throws. */
export async function runWorker(
  { flags, configPath }: ServiceInvocation,
  context: CommandContext,
): Promise<number> {
  let output = outputOf(flags);
  const { environment, currentDirectory, stderr, clock, signal, stdout } = context;
  let display = noProgress;
  try {
    const from = { flags, configPath, environment, currentDirectory };
    const configuration = await loadConfiguration(from);
    output = outputOf(configuration.values);
    const options = resolveWorkerOptions(configuration);
    if (!output.quiet)
      display = output.log ? logProgress(stderr, clock, "worker") : showProgress(stderr, clock);
    const engine = await context.loadEngine();
    const { observer } = display;
    const result = await engine.runWorker(options, { signal, observer });
    display.stop();
    const exitCode = exitCodes.done;
    const { splits, rows, durationMs } = result;
    if (output.json)
      stdout.write(`${JSON.stringify({ command: "worker", exitCode, ...result })}\n`);
    else if (!output.quiet) {
      const done = `${formatNumberOf(splits, "split")}, ${formatCount(rows.read)} rows`;
      printResult(`Stopped: read ${done} in ${formatDuration(durationMs)}`, output, context);
    }
    return exitCode;
  } catch (error) {
    display.stop();
    return printFailure("worker", error, output, context);
  }
}
