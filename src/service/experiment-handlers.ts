import type { Experiment } from "../contract/experiment.js";
import type { experimentRoutes } from "../contract/experiment-routes.js";
import type { EntityOperations, EntityType } from "./entity-operations.js";
import {
  createExperiment,
  enableGroups,
  patchExperiment,
  replaceExperiment,
  restartExperiment,
} from "./experiment-rules.js";
import type { Handlers } from "./handler.js";
import type { NewIdentifier } from "./identifiers.js";
import { ruleReferences } from "./rule-references.js";

export const experimentType: EntityType<Experiment> = {
  kind: "experiment",
  title: "Experiment",
  idOf: ({ id }) => id,
  // Passing the targeting gate is one more condition, beside those of the inline rules.
  referencesOf: ({ targetingGateID, inlineTargetingRules }) =>
    ruleReferences([
      { conditions: [{ type: "passes_gate", targetValue: targetingGateID }] },
      ...inlineTargetingRules,
    ]),
};

export function experimentHandlers(
  operations: EntityOperations,
  newIdentifier: NewIdentifier,
): Handlers<typeof experimentRoutes> {
  return {
    createExperiment: (call) =>
      operations.create(experimentType, call, (stamp) =>
        createExperiment(call.body, stamp, newIdentifier),
      ),
    replaceExperiment: (call) =>
      operations.change(experimentType, call.params.id, call, (current, stamp) =>
        replaceExperiment(current, call.body, stamp, newIdentifier),
      ),
    patchExperiment: (call) =>
      operations.change(experimentType, call.params.id, call, (current, stamp) =>
        patchExperiment(current, call.body, stamp, newIdentifier),
      ),
    enableExperimentGroups: (call) =>
      operations.change(experimentType, call.params.id, call, (current) =>
        enableGroups(current, call.body.group_names),
      ),
    restartExperimentAsNew: (call) =>
      operations.copy(experimentType, call.params.id, call, (original, stamp) =>
        restartExperiment(original, call.body.name, stamp),
      ),
    listExperimentVersions: (call) => operations.versions(experimentType, call.params.id, call),
    listExperiments: (call) => operations.list(experimentType, call),
    readExperiment: (call) => operations.read(experimentType, call.params.id),
    deleteExperiment: (call) => operations.remove(experimentType, call.params.id, call),
  };
}
