import { exitCodes, SwitchyardError } from "../base/errors.js";
import {
  type Configuration,
  type GivenFlags,
  loadConfiguration,
} from "../pipeline/configuration.js";
import type { StepName } from "../pipeline/configuration-options.js";
import { noProgress, showProgress } from "../report/progress.js";
import type { CommandContext, Engine } from "./context.js";
import { type CommandOutcome, type Output, printOutcome } from "./print-outcome.js";
import type { StepReport } from "./step.js";
import { steps } from "./steps.js";

/** A command line, before the file and the environment are looked at. */
export interface Invocation {
  readonly command: StepName | "migrate";
  readonly flags: GivenFlags;
  /** `--config`. */
  readonly configPath: string | undefined;
  /** As they were given, without the program's name. */
  readonly words?: readonly string[];
}

/**
 * Runs the step of a command, or the steps of a migration until one does not end well, and prints
 * what came of it. Gives the exit code; never throws.
 */
export async function runSteps(invocation: Invocation, context: CommandContext): Promise<number> {
  const { command, flags, words: commandLine = [command] } = invocation;
  let output: Output = { json: flags.json === true, quiet: flags.quiet === true };
  const reports: StepReport[] = [];
  let names: readonly StepName[] = [];
  let outcome: CommandOutcome;
  try {
    const engine = await context.loadEngine();
    const configuration = await load(invocation, engine, context);
    output = {
      json: configuration.values.json ?? false,
      quiet: configuration.values.quiet ?? false,
    };
    names = command === "migrate" ? configuration.steps : [command];
    for (const name of names) {
      const report = await runStep(name, configuration, engine, output, context, commandLine);
      reports.push(report);
      if (report.exitCode !== exitCodes.done) break;
    }
    const last = reports.at(-1);
    outcome = {
      ...{ command, exitCode: last?.exitCode ?? exitCodes.done },
      ...{ reports, notRun: names.slice(reports.length) },
      ...(last?.error === undefined ? {} : { error: last.error }),
    };
  } catch (error) {
    const exitCode = exitCodeOf(error, context.signal);
    outcome = { command, exitCode, reports, notRun: names.slice(reports.length + 1), error };
  }
  printOutcome(outcome, output, context);
  return outcome.exitCode;
}

function load(
  { flags, configPath }: Invocation,
  { mappingSchema }: Engine,
  { environment, currentDirectory }: CommandContext,
): Promise<Configuration> {
  return loadConfiguration({ flags, configPath, mappingSchema, environment, currentDirectory });
}

async function runStep(
  name: StepName,
  configuration: Configuration,
  engine: Engine,
  output: Output,
  { stderr, clock, signal }: CommandContext,
  commandLine: readonly string[],
): Promise<StepReport> {
  signal.throwIfAborted();
  const display = output.quiet ? noProgress : showProgress(stderr, clock);
  try {
    return await steps[name](configuration, {
      ...{ engine, signal, commandLine },
      observer: display.observer,
    });
  } finally {
    display.stop();
  }
}

function exitCodeOf(error: unknown, signal: AbortSignal): number {
  if (error instanceof SwitchyardError) return error.exitCode;
  return signal.aborted ? exitCodes.interrupted : exitCodes.failed;
}
