import path from "node:path";
import type { LogLevel } from "../../base/log-levels.js";
import { type GivenFlags, loadConfiguration } from "../../pipeline/configuration/configuration.js";
import { type OptionValues, withDefaults } from "../../pipeline/configuration/options.js";
import type { CommandContext } from "../context.js";
import { type Output, outputOf } from "../output.js";

const DEFAULT_DATA_DIRECTORY = ".switchyard";

/** A command line of `serve` or `keys`, before file and environment are read. */
export interface ServiceInvocation {
  readonly flags: GivenFlags;
  /** `--config`. */
  readonly configPath: string | undefined;
}

export interface ServiceOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Absolute, or `:memory:`. */
  readonly dataDirectory: string;
  readonly keyHeader: string;
  readonly logLevel: LogLevel;
  readonly output: Output;
}

/** Reads flags, environment and file, in this order of precedence, then defaults. Throws `UsageError`. */
export async function loadServiceOptions(
  { flags, configPath }: ServiceInvocation,
  { environment, currentDirectory }: CommandContext,
): Promise<ServiceOptions> {
  const { values } = await loadConfiguration({
    flags,
    configPath,
    environment,
    currentDirectory,
  });
  return serviceOptionsOf(values, currentDirectory);
}

/** Returns the options with defaults. */
export function serviceOptionsOf(values: OptionValues, currentDirectory: string): ServiceOptions {
  const { host, port, data, authHeader, logLevel } = withDefaults(values, currentDirectory);
  return {
    host,
    port,
    logLevel,
    output: outputOf(values),
    dataDirectory: data ?? path.resolve(currentDirectory, DEFAULT_DATA_DIRECTORY),
    keyHeader: authHeader,
  };
}
