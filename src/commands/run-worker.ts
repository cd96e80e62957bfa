import { exitCodes } from "../base/errors.js";
import { formatCount } from "../base/format-count.js";
import { runs } from "../engine/runs.js";
import { resolveWorkerOptions } from "../options/run-options.js";
import { formatDuration, formatNumberOf } from "../report/quantities.js";
import type { CommandContext } from "./context.js";
import { displayOf, printJsonOrText } from "./print-result.js";
import { type CommandLine, runConfigured } from "./run-configured.js";

/** Reads the splits of a queue until it is stopped, and returns the exit code; never throws. */
export function runWorker(line: CommandLine, context: CommandContext): Promise<number> {
  return runConfigured("worker", line, context, async (configuration, output) => {
    const { signal } = context;
    const options = resolveWorkerOptions(configuration);
    const display = displayOf("worker", output, context);
    const { observer } = display;
    const result = await runs.worker(options, { signal, observer }).finally(() => display.stop());
    const exitCode = exitCodes.done;
    const { splits, rows, durationMs } = result;
    const done = `${formatNumberOf(splits, "split")}, ${formatCount(rows.read)} rows`;
    const text = `Stopped: read ${done} in ${formatDuration(durationMs)}`;
    printJsonOrText({ command: "worker", exitCode, ...result }, text, output, context);
    return exitCode;
  });
}
