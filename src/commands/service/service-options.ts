import path from "node:path";
import type { LogLevel } from "../../base/log-levels.js";
import type { Address } from "../../options/listen-error.js";
import { type OptionValues, withDefaults } from "../../options/option-names.js";
import type { Target } from "../../target/target.js";
import { loadTarget } from "../../target/targets.js";
import { type OutputForm, outputOf } from "../context.js";

const DEFAULT_DATA_DIRECTORY = ".switchyard";

export interface ServiceOptions {
  /** The port 0 selects a free one. */
  readonly listen: Address;
  /** Absolute, or `:memory:`. */
  readonly dataDirectory: string;
  readonly keyHeader: string;
  /** The platform that is rehearsed. */
  readonly target: Target;
  /** Origins of pages that may call the routes of client keys. */
  readonly origins: readonly string[];
  /** Days that events are kept; undefined: for ever. */
  readonly keptDays: number | undefined;
  /** URLs that are told of every change. */
  readonly webhooks: readonly string[];
  readonly logLevel: LogLevel;
  readonly output: OutputForm;
}

/** Returns the data directory of the service: absolute, or `:memory:`. */
export function dataDirectoryOf(values: OptionValues, currentDirectory: string): string {
  return values.data ?? path.resolve(currentDirectory, DEFAULT_DATA_DIRECTORY);
}

/** Returns the options with defaults. */
export function serviceOptionsOf(values: OptionValues, currentDirectory: string): ServiceOptions {
  const {
    listen,
    authHeader,
    corsOrigin = [],
    keepEvents,
    webhook = [],
    logLevel,
    target,
  } = withDefaults(values, currentDirectory);
  return {
    listen,
    logLevel,
    output: outputOf(values),
    dataDirectory: dataDirectoryOf(values, currentDirectory),
    keyHeader: authHeader,
    target: loadTarget(target),
    origins: corsOrigin,
    keptDays: keepEvents,
    webhooks: webhook,
  };
}
