import type { ValidateRequest } from "../options.js";
import type { Configuration } from "./configuration.js";
import { reportDirectoryOf, resolveRunOptions } from "./configuration-export.js";
import { type Machine, thisMachine } from "./machine.js";

/** Everything that a dry run needs, with defaults. Throws like `resolveExportOptions`. */
export function resolveValidateRequest(
  configuration: Configuration,
  mapping: unknown,
  machine: Machine = thisMachine(),
): ValidateRequest {
  const { values } = configuration;
  const options = resolveRunOptions(configuration, mapping, machine);
  const reportDirectory = reportDirectoryOf(configuration);
  return {
    ...options,
    notInputs: [...options.notInputs, reportDirectory],
    dayZone: values.dayZone ?? "UTC",
    sampleShare: values.sample ?? 1,
    reportDirectory,
  };
}
