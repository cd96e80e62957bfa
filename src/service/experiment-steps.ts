import type { Decision, Experiment, experimentRoutes } from "../contract/experiment.js";
import type { ExperimentStatus } from "../contract/experiment-setup.js";
import type { EntityOperations, EntityType } from "./entity-operations.js";
import { setupState, stateAfter, statusFaults } from "./experiment-states.js";
import type { Handlers } from "./handler.js";
import { lifeHandlers, namedLife } from "./lives.js";
import { ruleReferences } from "./rules.js";
import { invalid } from "./service-error.js";

export const experimentType: EntityType<Experiment> = {
  kind: "experiment",
  title: "Experiment",
  idOf: ({ id }) => id,
  // The targeting gate is one more condition beside those of the inline rules.
  referencesOf: ({ targetingGateID, inlineTargetingRules }) =>
    ruleReferences([
      { conditions: [{ type: "passes_gate", targetValue: targetingGateID }] },
      ...inlineTargetingRules,
    ]),
};

const life = {
  archive: (current: Experiment, time: number) => stepped(current, "archived", time),
  // An experiment that is not archived keeps its state, so the call can be repeated.
  unarchive: (current: Experiment, time: number) =>
    current.status === "archived" ? stepped(current, "setup", time) : current,
  kept: ({ status, startTime, endTime, decisionTime, launchedGroupID }: Experiment) => ({
    status,
    startTime,
    endTime,
    decisionTime,
    launchedGroupID,
  }),
};

type StepName =
  | "startExperiment"
  | "decideExperiment"
  | "abandonExperiment"
  | "resetExperiment"
  | "archiveExperiment"
  | "unarchiveExperiment"
  | "restoreExperiment"
  | "listExperiments"
  | "listExperimentVersions"
  | "readExperiment"
  | "deleteExperiment";

/** Returns the handlers of an experiment's steps through its states. */
export function experimentStepHandlers(
  operations: EntityOperations,
): Pick<Handlers<typeof experimentRoutes>, StepName> {
  return {
    startExperiment: (call) =>
      operations.change(experimentType, call.params.id, call, (current, { time }) =>
        stepped(current, "active", time),
      ),
    decideExperiment: (call) =>
      operations.change(experimentType, call.params.id, call, (current, { time }) =>
        decided(current, call.body, time),
      ),
    abandonExperiment: (call) =>
      operations.change(experimentType, call.params.id, call, (current, { time }) => ({
        ...stepped(current, "abandoned", time),
        ...call.body,
      })),
    resetExperiment: (call) => operations.change(experimentType, call.params.id, call, reset),
    ...namedLife("Experiment", lifeHandlers(operations, experimentType, life)),
  };
}

/** Throws a 400 that names both states if the step is not allowed. */
function stepped(current: Experiment, to: ExperimentStatus, time: number): Experiment {
  const faults = statusFaults(current.status, to);
  if (faults.length > 0) throw invalid(faults);
  return { ...current, ...stateAfter(current, to, time) };
}

/** Launches a group. Throws a 400 if there is no such group. */
function decided(
  current: Experiment,
  { id, decisionReason, removeTargeting }: Decision,
  time: number,
): Experiment {
  const isKnown = current.groups.some((group) => group.id === id);
  if (!isKnown) {
    const ids = current.groups.map((group) => group.id).join(", ");
    throw invalid([{ property: "id", errorMessage: `There is no group ${id}; known: ${ids}` }]);
  }
  return {
    ...stepped(current, "decision_made", time),
    launchedGroupID: id,
    ...(decisionReason === undefined ? {} : { decisionReason }),
    ...(removeTargeting === true ? { targetingGateID: null } : {}),
  };
}

/** Goes through the archive to the setup, as the states allow from everywhere. */
export function reset(current: Experiment): Experiment {
  return { ...current, ...setupState, launchedGroupID: null, decisionReason: "" };
}
