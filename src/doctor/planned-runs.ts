import { omitUndefined } from "../base/omit-undefined.js";
import type { Configuration } from "../options/configuration.js";
import { type ConsoleAccess, resolveConsole } from "../options/console-options.js";
import type { Machine } from "../options/machine.js";
import {
  type ExportOptions,
  type RunOptions,
  type SendRequest,
  STANDARD_OUTPUT,
} from "../options/options.js";
import { resolveExportOptions, resolveRunOptions, valuesOf } from "../options/run-options.js";
import { resolveSendRequest } from "../options/send-options.js";
import { resolveStreamOptions } from "../options/stream-options.js";
import { type Check, failed } from "./check.js";

/** The runs that a configuration asks for, and why others cannot begin. */
export interface PlannedRuns {
  /** The options that all runs over the inputs share; absent if no inputs are needed. */
  readonly run?: RunOptions;
  readonly export?: ExportOptions;
  readonly send?: SendRequest;
  readonly console?: ConsoleAccess;
  readonly faults: readonly Check[];
}

/** Resolves the options of the runs that have a destination, as their commands do. */
export function planRuns(configuration: Configuration, machine: Machine): PlannedRuns {
  const { to, sendTo, console, inputs = [], queue } = configuration.values;
  const faults = new Map<string, Check>();
  const resolve = <Options>(make: () => Options): Options | undefined => {
    try {
      return make();
    } catch (error) {
      const fault = failed("options", error);
      faults.set(fault.message, fault);
      return undefined;
    }
  };
  const isAlone = to === undefined && sendTo === undefined;
  const needsInputs = inputs.length > 0 || !isAlone || (console ?? queue) === undefined;
  // Files there are not inputs; a run without an output writes nothing else.
  const { runs: outputDirectory } = valuesOf(configuration);
  const run = needsInputs ? resolve(() => resolveRunOptions(configuration, machine)) : undefined;
  const isStream = to === STANDARD_OUTPUT;
  if (isStream) resolve(() => resolveStreamOptions(configuration));
  const exported =
    to === undefined || isStream
      ? undefined
      : resolve(() => resolveExportOptions(configuration, machine));
  const send =
    sendTo === undefined ? undefined : resolve(() => resolveSendRequest(configuration, []));
  const access = console === undefined ? undefined : resolve(() => resolveConsole(configuration));
  const shared = send ?? run;
  const read = exported ?? (shared && { ...shared, outputDirectory });
  return {
    ...omitUndefined({ run: read, export: exported, send, console: access }),
    faults: [...faults.values()],
  };
}
