import type { Experiment } from "../contract/experiment.js";
import type { AnyObject } from "../contract/fields.js";
import { environmentCondition } from "./condition-spec.js";
import { isBelow } from "./config-spec.js";
import { isHeldOut, specRule } from "./gate-spec.js";
import { type AssignedUnits, assignedUnits, type ExperimentOverrides } from "./overrides.js";
import {
  PUBLIC,
  plainRule,
  type Spec,
  type SpecCondition,
  type SpecRule,
  segmentName,
} from "./spec.js";

/** The part of a layer that evaluation reads. */
export interface Layer {
  readonly id: string;
  readonly idType: string;
  /** Values of its parameters. */
  readonly defaultValue: AnyObject;
  readonly holdoutIDs: readonly string[];
  readonly targetApps: string | readonly string[];
  readonly version: number;
}

/** An experiment with what others say about it. */
export interface ExperimentFacts {
  readonly experiment: Experiment;
  readonly overrides: ExperimentOverrides;
  /** Undefined outside layers. */
  readonly layer: Layer | undefined;
  /** Buckets of the units that take part; undefined for all units. */
  readonly buckets: readonly number[] | undefined;
}

/** Returns the values of units that no group of an experiment has: the layer's. */
function baseValue({ layer }: Pick<ExperimentFacts, "layer">): AnyObject {
  return layer?.defaultValue ?? {};
}

/** Returns the specification of an experiment. Only an active one assigns units to its groups. */
export function experimentSpec(facts: ExperimentFacts): Spec {
  const { experiment, layer } = facts;
  const { id, idType, status } = experiment;
  const enabled = status !== "archived";
  const parameters = experiment.groups.flatMap((group) => Object.keys(group.parameterValues ?? {}));
  return {
    name: id,
    type: "dynamic_config",
    entity: "experiment",
    salt: id,
    enabled,
    defaultValue: baseValue(facts),
    idType,
    rules: enabled ? experimentRules(facts) : [],
    version: experiment.version,
    targetAppIDs: [experiment.targetApps].flat(),
    isActive: status === "active",
    hasSharedParams: layer !== undefined,
    ...(layer !== undefined && { explicitParameters: [...new Set(parameters)] }),
  };
}

function experimentRules(facts: ExperimentFacts): readonly SpecRule[] {
  const { experiment, overrides } = facts;
  const { idType, status, groups, launchedGroupID } = experiment;
  const base = { returnValue: baseValue(facts), idType };
  const first = [
    ...assignedUnits(overrides, idType).flatMap((units) => overrideRule(units, facts)),
    ...experiment.holdoutIDs.map((id) =>
      plainRule(id, { ...base, conditions: [isHeldOut(id, idType)] }),
    ),
  ];
  switch (status) {
    case "setup":
      return [...first, ...setupRules(facts)];
    case "active":
      return [...first, ...assignmentRules(facts)];
    case "decision_made": {
      const group = groups.find(({ id }) => id === launchedGroupID);
      const returnValue = { ...base.returnValue, ...group?.parameterValues };
      const groupName = group?.name ?? null;
      return [...first, plainRule("launchedGroup", { ...base, returnValue, groupName })];
    }
    default:
      return [...first, plainRule(status, base)];
  }
}

/** Returns no rule if the group is gone. */
function overrideRule(
  { groupID, kind, conditions }: AssignedUnits,
  facts: ExperimentFacts,
): readonly SpecRule[] {
  const { groups, idType } = facts.experiment;
  const group = groups.find(({ id }) => id === groupID);
  if (group === undefined) return [];
  const rule = plainRule(`${group.id}:${kind}`, {
    returnValue: { ...baseValue(facts), ...group.parameterValues },
    conditions,
    idType,
    groupName: group.name,
  });
  return [rule];
}

/** Before its start, an experiment may assign units in other environments than production. */
function setupRules(facts: ExperimentFacts): readonly SpecRule[] {
  const { idType, enabledNonProdEnvironments: environments } = facts.experiment;
  const base = { returnValue: baseValue(facts), idType };
  if (environments.length === 0) return [plainRule("prestart", base)];
  const conditions = [environmentCondition("none", environments, idType)];
  return [plainRule("prestart", { ...base, conditions }), ...assignmentRules(facts)];
}

function assignmentRules(facts: ExperimentFacts): readonly SpecRule[] {
  const { experiment } = facts;
  const { idType, targetingGateID, inlineTargetingRules } = experiment;
  const base = { returnValue: baseValue(facts), idType };
  const fails = (gate: string): SpecCondition => ({
    ...PUBLIC,
    type: "fail_gate",
    targetValue: gate,
    idType,
  });
  const rules: SpecRule[] = [];
  const outside = isOutside(facts);
  if (outside !== undefined) {
    rules.push(plainRule("layerAssignment", { ...base, conditions: [outside] }));
  }
  if (targetingGateID !== null && targetingGateID !== "") {
    rules.push(plainRule("targetingGate", { ...base, conditions: [fails(targetingGateID)] }));
  }
  if (inlineTargetingRules.length > 0) {
    const gate = targetingSegmentName(experiment.id);
    rules.push(plainRule("inlineTargetingRules", { ...base, conditions: [fails(gate)] }));
  }
  return [...rules, ...groupRules(facts)];
}

/** Returns the condition that a unit does not take part; undefined if all units do. */
function isOutside(facts: ExperimentFacts): SpecCondition | undefined {
  if (facts.buckets === undefined) return undefined;
  return { ...isInBuckets(facts, facts.buckets), operator: "none" };
}

/** Returns the condition that a unit takes part. */
export function isInBuckets(
  { experiment: { id, idType }, layer }: Pick<ExperimentFacts, "experiment" | "layer">,
  buckets: readonly number[],
): SpecCondition {
  return {
    type: "user_bucket",
    operator: "any",
    targetValue: buckets.map(String),
    field: null,
    additionalValues: { salt: `${layer?.id ?? id}.allocation` },
    idType,
  };
}

function groupRules(facts: ExperimentFacts): readonly SpecRule[] {
  const { id, idType, groups } = facts.experiment;
  const base = baseValue(facts);
  let end = 0;
  return groups.map((group) => {
    end += Number(group.size);
    // A disabled group keeps its buckets, so that the units of the others stay where they are.
    const isDisabled = group.disabled === true;
    return plainRule(group.id, {
      groupName: group.name,
      returnValue: isDisabled ? base : { ...base, ...group.parameterValues },
      conditions: [isBelow(end, id, idType)],
      idType,
      isExperimentGroup: !isDisabled,
    });
  });
}

/** Returns the name of the segment of an experiment's own targeting rules. */
export function targetingSegmentName(experimentID: string): string {
  return segmentName(`inline_targeting:${experimentID}`);
}

/** Returns the specification of that segment; undefined without such rules. */
export function targetingSegmentSpec(experiment: Experiment): Spec | undefined {
  const { id, idType, inlineTargetingRules, version } = experiment;
  if (inlineTargetingRules.length === 0) return undefined;
  return {
    name: targetingSegmentName(id),
    type: "feature_gate",
    entity: "segment",
    salt: targetingSegmentName(id),
    enabled: true,
    defaultValue: false,
    idType,
    rules: inlineTargetingRules.map((rule) => specRule(rule, true, idType)),
    version,
    targetAppIDs: [],
  };
}
