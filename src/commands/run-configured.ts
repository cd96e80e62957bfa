import {
  type Configuration,
  type GivenFlags,
  loadConfiguration,
} from "../options/configuration.js";
import { type CommandContext, type OutputForm, outputOf } from "./context.js";
import { printFailure } from "./print-result.js";

/** A command line before file and environment are read. */
export interface CommandLine {
  readonly flags: GivenFlags;
  /** `--config`. */
  readonly configPath: string | undefined;
}

/**
 * Runs a command that is not a step with its configuration: flags, environment, file. Returns the
 * exit code; prints errors and never throws.
 */
export async function runConfigured(
  command: string,
  { flags, configPath }: CommandLine,
  context: CommandContext,
  run: (configuration: Configuration, output: OutputForm) => Promise<number>,
): Promise<number> {
  let output = outputOf(flags);
  try {
    const { environment, currentDirectory } = context;
    const from = { flags, configPath, environment, currentDirectory };
    const configuration = await loadConfiguration(from);
    output = outputOf(configuration.values);
    return await run(configuration, output);
  } catch (error) {
    return printFailure(command, error, output, context);
  }
}
