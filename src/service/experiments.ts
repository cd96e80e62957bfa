import type {
  Experiment,
  ExperimentCreate,
  ExperimentPatch,
  ExperimentReplace,
  experimentRoutes,
} from "../contract/experiment.js";
import { experimentFaults } from "../contract/experiment-faults.js";
import {
  experimentDefaults,
  type Group,
  type GroupRequest,
  RESERVED_EXPERIMENT_ID,
  unsetFields,
} from "../contract/experiment-fields.js";
import { bodyFaultsOf, type Fault } from "../contract/faults.js";
import type { Handlers } from "../http/handler.js";
import { refuseFaults } from "../http/service-error.js";
import type { EntityOperations } from "./entity-operations.js";
import type { Stamp } from "./entity-type.js";
import {
  experimentStepHandlers,
  experimentType,
  setupState,
  startFaults,
  stateAfter,
  statusFaults,
} from "./experiment-states.js";
import { gateType } from "./gates.js";
import { identifierOf, identityFirst, type NewIdentifier, newProvenance } from "./new-entity.js";
import { mergeQualityScores, qualityScoreFaults } from "./quality-scores.js";

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
    listExperimentReferences: (call) =>
      operations.referrers(gateType, call.params.id, call, ({ body }) => body, "experiment"),
    disableExperimentGroups: (call) =>
      operations.change(experimentType, call.params.id, call, (current) => ({
        ...current,
        groups: switchedGroups(current.groups, call.body.group_names, true),
      })),
    restartExperimentAsNew: (call) =>
      operations.copy(experimentType, call.params.id, call, (original, stamp) =>
        restartExperiment(original, call.body.name, stamp),
      ),
    ...experimentStepHandlers(operations),
  };
}

/** Initial values of the fields that no client writes. */
const unwritten = {
  experimentType: "BASE",
  subtype: "conversion",
  healthChecks: [],
  reviewSettings: { requiredReview: false, allowedReviewers: [] },
  holdoutIDs: [],
  externalExperimentName: "",
  inlineTargetingRules: [],
  inlineTargetingRulesJSON: "[]",
  summarySections: [],
} satisfies Partial<Experiment>;

/** Returns a new experiment at version 1, in `setup`. Throws a 400. */
export function createExperiment(
  body: ExperimentCreate,
  stamp: Stamp,
  newIdentifier: NewIdentifier,
): Experiment {
  const { groups, manualQualityScores = [] } = body;
  const made = {
    ...identityFirst,
    ...structuredClone({ ...unwritten, ...experimentDefaults }),
    ...newProvenance(stamp),
    layerID: null,
    ...body,
    ...setupState,
    id: body.id ?? identifierOf(body.name),
    groups:
      groups === undefined
        ? defaultGroups(newIdentifier)
        : identifyGroups(groups, [], newIdentifier),
    manualQualityScores: mergeQualityScores([], manualQualityScores),
  };
  refuseFaults([
    ...reservedFaults(made.id, body.id === undefined ? "name" : "id"),
    ...qualityScoreFaults(made.manualQualityScores),
  ]);
  return made;
}

/**
 * Makes a full update: omitted fields get their defaults, except the name and the creator. Given quality
 * scores are merged into the existing ones, as in a partial update. Throws a 400.
 */
export function replaceExperiment(
  current: Experiment,
  body: ExperimentReplace,
  stamp: Stamp,
  newIdentifier: NewIdentifier,
): Experiment {
  const base = { ...current, ...structuredClone(experimentDefaults) };
  for (const field of unsetFields) delete base[field];
  return updated(current, base, body, stamp, newIdentifier);
}

/** Makes a partial update: only given fields change. Throws a 400. */
export function patchExperiment(
  current: Experiment,
  body: ExperimentPatch,
  stamp: Stamp,
  newIdentifier: NewIdentifier,
): Experiment {
  return updated(current, current, body, stamp, newIdentifier);
}

/** Applies `body` to `base`. Groups, scores and state are derived from those of `current`. */
function updated(
  current: Experiment,
  base: Experiment,
  body: ExperimentPatch,
  { time }: Stamp,
  newIdentifier: NewIdentifier,
): Experiment {
  const { groups, manualQualityScores, status = current.status } = body;
  const next = {
    ...base,
    ...body,
    ...stateAfter(current, status, time),
    groups:
      groups === undefined ? base.groups : identifyGroups(groups, current.groups, newIdentifier),
    manualQualityScores:
      manualQualityScores === undefined
        ? base.manualQualityScores
        : mergeQualityScores(current.manualQualityScores, manualQualityScores),
  };
  refuseFaults([
    ...statusFaults(current.status, status),
    ...startFaults(current.status, status, next),
    ...qualityScoreFaults(next.manualQualityScores),
    ...bodyFaultsOf(experimentFaults(next)),
  ]);
  return next;
}

/** Enables the named groups. Throws a 400 with all unknown names. */
export function enableGroups(current: Experiment, names: readonly string[]): Experiment {
  return { ...current, groups: switchedGroups(current.groups, names, false) };
}

/**
 * Returns a new experiment with the settings of another one. Identifiers of groups are copied: they are
 * unique within an experiment, and `controlGroupID`, the SPRT settings and clients refer to them.
 * Results (times, launched group, decision reason) are not copied. Throws a 400.
 */
export function restartExperiment(original: Experiment, name: string, stamp: Stamp): Experiment {
  const id = identifierOf(name);
  refuseFaults(reservedFaults(id, "name"));
  return {
    ...original,
    ...structuredClone(unwritten),
    ...newProvenance(stamp),
    ...setupState,
    id,
    name,
    launchedGroupID: null,
    decisionReason: "",
  };
}

function reservedFaults(id: string, property: "id" | "name"): Fault[] {
  if (id !== RESERVED_EXPERIMENT_ID) return [];
  const errorMessage = `The id ${id} is reserved: choose another ${property}`;
  return [{ property, errorMessage }];
}

/** Returns the default groups of a new experiment: half of the units each. */
function defaultGroups(newIdentifier: NewIdentifier): Group[] {
  return ["Control", "Test"].map((name) => ({
    name,
    size: 50,
    parameterValues: {},
    id: newIdentifier(),
    disabled: false,
    description: "",
  }));
}

/**
 * Returns groups as they are stored, each with its identifier. A group without an identifier keeps the
 * one of the `existing` group with its name.
 */
function identifyGroups(
  groups: readonly GroupRequest[],
  existing: readonly Group[],
  newIdentifier: NewIdentifier,
): Group[] {
  const taken = new Set(groups.map(({ id }) => id));
  const known = new Map(existing.map(({ name, id }) => [name, id]));
  return groups.map((group) => {
    if (group.id !== undefined && group.id !== "") return { ...group, id: group.id };
    const before = known.get(group.name);
    return { ...group, id: before === undefined || taken.has(before) ? newIdentifier() : before };
  });
}

/**
 * Returns the groups with the named ones enabled or disabled. Doing it again is not an error, so a call can
 * be repeated. Throws a 400 with all unknown names.
 */
function switchedGroups(
  groups: readonly Group[],
  names: readonly string[],
  disabled: boolean,
): Group[] {
  const known = new Set(groups.map(({ name }) => name));
  const faults = names.flatMap((name, index) =>
    known.has(name)
      ? []
      : [{ property: `group_names[${index}]`, errorMessage: `There is no group ${name}` }],
  );
  refuseFaults(faults);
  const named = new Set(names);
  return groups.map((group) => (named.has(group.name) ? { ...group, disabled } : group));
}
