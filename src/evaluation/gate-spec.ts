import type { Gate } from "../contract/gate.js";
import type { Rule } from "../contract/rule.js";
import type { Segment } from "../contract/segment.js";
import { conditionSpecs } from "./condition-spec.js";
import { type GateOverrides, gateOverrideRules } from "./overrides.js";
import {
  holdoutName,
  PUBLIC,
  plainRule,
  type Spec,
  type SpecCondition,
  type SpecRule,
  segmentName,
} from "./spec.js";

/** The part of a holdout that evaluation reads. */
export interface Holdout {
  readonly id: string;
  readonly idType: string;
  readonly isEnabled: boolean;
  /** Percentage of the units that are held out. */
  readonly passPercentage: number;
  /** Gate that units must pass to be held out. */
  readonly targetingGateID?: string | null;
  readonly gateIDs?: readonly string[];
  readonly experimentIDs?: readonly string[];
  readonly layerIDs?: readonly string[];
  readonly isArchived?: boolean;
  readonly targetApps: readonly string[];
  readonly version: number;
}

/** Returns the specification of a gate. Disabled and archived gates have no rules. */
export function gateSpec(gate: Gate, overrides: GateOverrides | undefined): Spec {
  const { id, idType, status } = gate;
  const enabled = gate.isEnabled && status !== "Archived";
  return {
    name: id,
    type: "feature_gate",
    entity: "feature_gate",
    salt: id,
    enabled,
    defaultValue: false,
    idType,
    rules: enabled ? gateRules(gate, overrides) : [],
    version: gate.version,
    targetAppIDs: [gate.targetApps].flat(),
  };
}

function gateRules(gate: Gate, overrides: GateOverrides | undefined): readonly SpecRule[] {
  const { idType, holdoutIDs, status, rules } = gate;
  const fails = { passPercentage: 0, returnValue: true, idType } as const;
  return [
    ...(overrides === undefined ? [] : gateOverrideRules(overrides, idType)),
    ...holdoutIDs.map((id) => plainRule(id, { ...fails, conditions: [isHeldOut(id, idType)] })),
    ...(status === "Launched"
      ? [plainRule("launched", { returnValue: true, idType })]
      : rules.map((rule) => specRule(rule, true, idType))),
  ];
}

/** Returns the condition that a holdout holds a unit out. */
export function isHeldOut(holdoutID: string, idType: string): SpecCondition {
  return { ...PUBLIC, type: "pass_gate", targetValue: holdoutName(holdoutID), idType };
}

/** Returns a rule with the value that it gives. */
export function specRule(
  rule: Rule,
  returnValue: SpecRule["returnValue"],
  idType: string,
): SpecRule {
  return {
    name: rule.name,
    id: rule.id,
    salt: rule.baseID,
    passPercentage: Number(rule.passPercentage),
    returnValue,
    conditions: conditionSpecs(rule, idType),
    idType,
    groupName: rule.name,
  };
}

/** Returns the specification of a segment: SDKs ask it like a gate. */
export function segmentSpec(segment: Segment): Spec {
  const { id, idType, type } = segment;
  const enabled = segment.isEnabled && segment.isArchived !== true;
  const isListed: SpecCondition = {
    type: "unit_id",
    operator: "in_segment_list",
    targetValue: id,
    field: null,
    additionalValues: {},
    idType,
  };
  const rules =
    type === "rule_based"
      ? segment.rules.map((rule) => specRule(rule, true, idType))
      : [plainRule("id_list", { returnValue: true, conditions: [isListed], idType })];
  return {
    name: segmentName(id),
    type: "feature_gate",
    entity: "segment",
    salt: id,
    enabled,
    defaultValue: false,
    idType,
    rules: enabled ? rules : [],
    version: segment.version,
    targetAppIDs: [],
  };
}

/** True for segments whose units are a list. */
export function hasList({ type }: Pick<Segment, "type">): boolean {
  return type !== "rule_based";
}

function passes(gate: string, idType: string): SpecCondition {
  return { ...PUBLIC, type: "pass_gate", targetValue: gate, idType };
}

/** Returns the specification of a holdout: a gate that is true for the units that are held out. */
export function holdoutSpec(holdout: Holdout): Spec {
  const { id, idType, targetingGateID } = holdout;
  const isEnabled = holdout.isEnabled && holdout.isArchived !== true;
  // Numbers may be written as texts.
  const percentage = Number(holdout.passPercentage);
  const base = { passPercentage: percentage, returnValue: true, idType } as const;
  const rule = targetingGateID
    ? plainRule(id, { ...base, conditions: [passes(targetingGateID, idType)] })
    : plainRule(id, base);
  return {
    name: holdoutName(id),
    type: "feature_gate",
    entity: "holdout",
    salt: id,
    enabled: isEnabled,
    defaultValue: false,
    idType,
    rules: isEnabled ? [rule] : [],
    version: holdout.version,
    targetAppIDs: holdout.targetApps,
  };
}
