import { omitUndefined } from "../base/omit-undefined.js";
import type { Decision, Experiment, experimentRoutes } from "../contract/experiment.js";
import type { ExperimentStatus } from "../contract/experiment-fields.js";
import type { Fault } from "../contract/faults.js";
import { experimentWarnings } from "../evaluation/entity-warnings.js";
import { keptBuckets } from "../evaluation/layer-buckets.js";
import { ruleReferences } from "../evaluation/references.js";
import type { Handlers } from "../http/handler.js";
import { invalid, refuseFaults } from "../http/service-error.js";
import type { EntityStore } from "../storage/store.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType } from "./entity-type.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";

/** The status of an experiment and its times, in ms since the epoch. */
export type ExperimentState = Pick<Experiment, "status" | "startTime" | "endTime" | "decisionTime">;

/** The state of a new experiment, and of one that leaves the archive. */
export const setupState: ExperimentState = {
  status: "setup",
  startTime: null,
  endTime: null,
  decisionTime: null,
};

/** The statuses that may follow each status. It may also stay the same. */
const nextStatuses: Readonly<Record<ExperimentStatus, readonly ExperimentStatus[]>> = {
  setup: ["active", "archived"],
  active: ["assignment_stopped", "experiment_stopped", "decision_made", "abandoned", "archived"],
  assignment_stopped: ["experiment_stopped", "decision_made", "abandoned", "archived"],
  experiment_stopped: ["decision_made", "abandoned", "archived"],
  decision_made: ["archived"],
  abandoned: ["archived"],
  archived: ["setup"],
};

export function statusFaults(from: ExperimentStatus, to: ExperimentStatus): readonly Fault[] {
  if (from === to || nextStatuses[from].includes(to)) return [];
  const errorMessage = `Cannot change from ${from} to ${to}; allowed after ${from}: ${nextStatuses[from].join(", ")}`;
  return [{ property: "status", errorMessage }];
}

/** Returns a fault if an experiment would start without groups. */
export function startFaults(
  from: ExperimentStatus,
  to: ExperimentStatus,
  { groups }: Pick<Experiment, "groups">,
): readonly Fault[] {
  if (to !== "active" || from === to || groups.length > 0) return [];
  return [{ property: "groups", errorMessage: "Required to start: add at least one group" }];
}

/**
 * Returns the state after a change that `statusFaults` allows. An experiment starts when it becomes
 * active. It ends when it is first stopped, decided, abandoned or archived; stopping assignment alone
 * does not end it.
 */
export function stateAfter(
  { status, startTime, endTime, decisionTime }: ExperimentState,
  to: ExperimentStatus,
  time: number,
): ExperimentState {
  if (status === to) return { status, startTime, endTime, decisionTime };
  // The clock may have been set back since the start.
  const end = endTime ?? Math.max(time, startTime ?? time);
  switch (to) {
    case "setup":
      return setupState;
    case "active":
      return { ...setupState, status: to, startTime: time };
    case "assignment_stopped":
      return { status: to, startTime, endTime, decisionTime };
    case "decision_made":
      return { status: to, startTime, endTime: end, decisionTime: Math.max(time, end) };
    case "experiment_stopped":
    case "abandoned":
      return { status: to, startTime, endTime: end, decisionTime };
    case "archived":
      // An experiment that never started has no end.
      return {
        status: to,
        startTime,
        endTime: startTime === null ? null : end,
        decisionTime,
      };
  }
}

export const experimentType: EntityType<Experiment> = {
  kind: "experiment",
  title: "Experiment",
  idOf: ({ id }) => id,
  // The targeting gate is a further condition besides those of the inline rules.
  referencesOf: ({ targetingGateID, inlineTargetingRules }) =>
    ruleReferences([
      { conditions: [{ type: "passes_gate", targetValue: targetingGateID }] },
      ...inlineTargetingRules,
    ]),
  completed: withBuckets,
  warningsOf: experimentWarnings,
  parts: ["experiment_override", "experiment_schedule"],
};

/** An experiment of a layer keeps the buckets that it starts with. */
function withBuckets(
  next: Experiment,
  before: Experiment | undefined,
  entities: Pick<EntityStore, "findAll">,
): Experiment {
  if (!next.layerID || next.status !== "active") return next;
  const stored = entities.findAll("experiment").map(({ body }) => body as unknown as Experiment);
  const members = stored.filter(({ id, layerID }) => layerID === next.layerID && id !== next.id);
  const userBuckets = keptBuckets(next, before, members);
  const isLeftOut = userBuckets.length === 0 && before?.status !== "active" && members.length > 0;
  if (isLeftOut && Number(next.allocation) > 0) {
    const errorMessage = `The layer ${next.layerID} has no free buckets: stop one of its experiments, or lower its allocation`;
    throw invalid([{ property: "allocation", errorMessage }]);
  }
  return { ...next, userBuckets };
}

const lifecycle = {
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

type StateStep =
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
): Pick<Handlers<typeof experimentRoutes>, StateStep> {
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
    ...lifecycleHandlers("Experiment", operations, experimentType, lifecycle),
  };
}

/** Throws a 400 that names both states if the step is not allowed. */
export function stepped(current: Experiment, to: ExperimentStatus, time: number): Experiment {
  refuseFaults([...statusFaults(current.status, to), ...startFaults(current.status, to, current)]);
  const left = to === "setup" && current.layerID ? { userBuckets: [] } : {};
  return { ...current, ...stateAfter(current, to, time), ...left };
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
    ...omitUndefined({ decisionReason }),
    ...(removeTargeting === true ? { targetingGateID: null } : {}),
  };
}

/** Returns to the setup. Every state allows that, by way of the archive. */
function reset(current: Experiment): Experiment {
  // Its buckets may be those of another experiment by now.
  const left = current.layerID ? { userBuckets: [] } : {};
  return { ...current, ...setupState, launchedGroupID: null, decisionReason: "", ...left };
}
