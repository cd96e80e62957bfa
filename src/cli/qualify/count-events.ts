import { exitCodes, SwitchyardError } from "../../base/errors.js";
import type { Configuration } from "../../pipeline/configuration/configuration.js";
import { presetOf, resolveRunOptions } from "../../pipeline/configuration/configuration-export.js";
import type { StepContext } from "../steps/step.js";
import type { KnownEvents } from "./known-events.js";

/**
 * Prepares to count the events that an export of the configuration's inputs would deliver. Throws
 * `UsageError` at once where that cannot begin; the result reads the inputs, and throws `interrupted`.
 */
export function prepareCount(
  configuration: Configuration,
  { engine, signal, observer }: StepContext,
): () => Promise<KnownEvents> {
  const mapping = engine.resolveMapping(presetOf(configuration.values), configuration.mapping);
  const request = resolveRunOptions(configuration, mapping);
  return async () => {
    const { outcome, manifest, tooManyRejects } = await engine.runCount(request, {
      ...{ signal, observer },
    });
    if (outcome === "interrupted") {
      throw new SwitchyardError("interrupted", "Interrupted while the inputs were read.", {
        exitCode: exitCodes.interrupted,
      });
    }
    const { events, otherEvents, complete, rows, rejects, failures } = manifest;
    return {
      ...{ events, otherRows: otherEvents?.rows ?? 0, isComplete: complete },
      origin: { inputs: request.inputs, rows, rejects, failures, tooManyRejects },
    };
  };
}
