import path from "node:path";
import type { LogLevel } from "../../base/log-levels.js";
import { type GivenFlags, loadConfiguration } from "../../pipeline/configuration/configuration.js";
import type { OptionValues } from "../../pipeline/configuration/configuration-options.js";
import type { CommandContext } from "../context.js";

const DEFAULT_DATA_DIRECTORY = ".switchyard";

/** A command line of `serve` or `keys`, before the file and the environment are looked at. */
export interface ServiceInvocation {
  readonly flags: GivenFlags;
  /** `--config`. */
  readonly configPath: string | undefined;
}

export interface ServiceOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Absolute, or `:memory:`. */
  readonly dataDirectory: string;
  readonly keyHeader: string;
  readonly logLevel: LogLevel;
  readonly json: boolean;
}

/** Flags before environment before file, then defaults. Throws `UsageError`. */
export async function loadServiceOptions(
  { flags, configPath }: ServiceInvocation,
  { environment, currentDirectory }: CommandContext,
): Promise<ServiceOptions> {
  const { values } = await loadConfiguration({
    ...{ flags, configPath, environment, currentDirectory },
    // What a mapping says is the business of the commands that map.
    mappingSchema: { type: "object" },
  });
  return serviceOptionsOf(values, currentDirectory);
}

/** With defaults. */
export function serviceOptionsOf(values: OptionValues, currentDirectory: string): ServiceOptions {
  return {
    host: values.host ?? "127.0.0.1",
    port: values.port ?? 8080,
    dataDirectory: values.data ?? path.resolve(currentDirectory, DEFAULT_DATA_DIRECTORY),
    keyHeader: values.authHeader ?? "SERVICE-API-KEY",
    logLevel: values.logLevel ?? "info",
    json: values.json ?? false,
  };
}
