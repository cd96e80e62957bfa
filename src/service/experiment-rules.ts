import { pathText } from "../base/schema.js";
import {
  type Experiment,
  type ExperimentCreate,
  type ExperimentPatch,
  type ExperimentReplace,
  experimentDefaults,
  unsetFields,
} from "../contract/experiment.js";
import { experimentFaults } from "../contract/experiment-faults.js";
import { RESERVED_EXPERIMENT_ID } from "../contract/experiment-setup.js";
import type { Fault } from "../contract/faults.js";
import type { Stamp } from "./entity-operations.js";
import { defaultGroups, enabledGroups, identifyGroups } from "./experiment-groups.js";
import { setupState, stateAfter, statusFaults } from "./experiment-states.js";
import { identifierOf, type NewIdentifier } from "./identifiers.js";
import { identityFirst, newProvenance } from "./provenance.js";
import { mergeQualityScores, qualityScoreFaults } from "./quality-scores.js";
import { invalid } from "./service-error.js";

/** What an experiment shows that no client writes, as long as nothing has been found out about it. */
const unwritten = {
  experimentType: "BASE",
  subtype: "conversion",
  healthCheckStatus: "PASSED",
  healthChecks: [],
  isStale: false,
  reviewSettings: { requiredReview: false, allowedReviewers: [] },
  holdoutIDs: [],
  externalExperimentName: "",
  inlineTargetingRules: [],
  inlineTargetingRulesJSON: "[]",
  summarySections: [],
} satisfies Partial<Experiment>;

/** An experiment at version 1, in `setup`. Throws a 400. */
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
  refuse([
    ...reservedFaults(made.id, body.id === undefined ? "name" : "id"),
    ...qualityScoreFaults(made.manualQualityScores),
  ]);
  return made;
}

/**
 * Full update: what is left out returns to its default, except the name and who made it. Quality
 * scores that are given are added to the existing ones here too. Throws a 400.
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

/** Partial update: only what is given changes. Throws a 400. */
export function patchExperiment(
  current: Experiment,
  body: ExperimentPatch,
  stamp: Stamp,
  newIdentifier: NewIdentifier,
): Experiment {
  return updated(current, current, body, stamp, newIdentifier);
}

/** What `body` makes of `base`, where groups, scores and the state go on from `current`. */
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
  refuse([
    ...statusFaults(current.status, status),
    ...qualityScoreFaults(next.manualQualityScores),
    ...experimentFaults(next).map(({ path, message }) => ({
      property: pathText(path),
      errorMessage: message,
    })),
  ]);
  return next;
}

/** Throws a 400 with the names that no group has. */
export function enableGroups(current: Experiment, names: readonly string[]): Experiment {
  return { ...current, groups: enabledGroups(current.groups, names) };
}

/**
 * A new experiment with the settings of another one, which stays as it is. Identifiers of groups are
 * copied: they are unique within an experiment, and `controlGroupID`, the SPRT settings and the code
 * of clients name groups by them. What came out of the other one (times, launched group, reason of
 * the decision) is not. Throws a 400.
 */
export function restartExperiment(original: Experiment, name: string, stamp: Stamp): Experiment {
  const id = identifierOf(name);
  refuse(reservedFaults(id, "name"));
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
  const errorMessage = `The id ${id} is reserved: give another ${property}`;
  return [{ property, errorMessage }];
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalid(faults);
}
