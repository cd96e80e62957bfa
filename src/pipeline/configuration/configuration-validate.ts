import type { ValidateRequest } from "../options.js";
import type { Configuration } from "./configuration.js";
import {
  type Machine,
  reportDirectoryOf,
  resolveRunOptions,
  thisMachine,
} from "./configuration-export.js";

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
