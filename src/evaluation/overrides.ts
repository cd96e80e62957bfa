import { environmentCondition } from "./condition-spec.js";
import { PUBLIC, plainRule, type SpecCondition, type SpecRule, segmentName } from "./spec.js";

/** Units of a gate that get a fixed answer, as the console API has them. */
export interface GateOverrides {
  readonly passingUserIDs: readonly string[];
  readonly failingUserIDs: readonly string[];
  /** Ids of the gate's own type. */
  readonly passingCustomIDs: readonly string[];
  readonly failingCustomIDs: readonly string[];
  readonly environmentOverrides: readonly EnvironmentOverride[];
}

interface EnvironmentOverride {
  readonly environment: string | null;
  readonly unitID: string;
  readonly passingIDs: readonly string[];
  readonly failingIDs: readonly string[];
}

/** Units that an experiment assigns to a group, whatever their bucket, as the console API has them. */
export interface ExperimentOverrides {
  readonly userIDOverrides: readonly UnitOverride[];
  readonly overrides: readonly ConditionalOverride[];
}

export const noExperimentOverrides: ExperimentOverrides = { userIDOverrides: [], overrides: [] };

/** A gate or a segment whose units get a group. */
interface ConditionalOverride {
  readonly type: "gate" | "segment";
  readonly id: string;
  readonly groupID: string;
  readonly environment: string | null;
}

interface UnitOverride {
  readonly groupID: string;
  readonly ids: readonly string[];
  readonly environment: string | null;
  readonly unitType: string;
}

/** Ids of units of one type, in one environment or in all. */
interface OverriddenUnits {
  readonly ids: readonly string[];
  readonly unitType: string;
  readonly environment: string | null;
}

/** Returns the first rules of a gate: those that pass, then those that fail. */
export function gateOverrideRules(overrides: GateOverrides, idType: string): readonly SpecRule[] {
  const { environmentOverrides } = overrides;
  return [
    ...overrideRules("pass", 100, idType, [
      { ids: overrides.passingUserIDs, unitType: "userID", environment: null },
      { ids: overrides.passingCustomIDs, unitType: idType, environment: null },
      ...environmentOverrides.map(({ passingIDs, environment, unitID }) => ({
        ids: passingIDs,
        unitType: unitID,
        environment,
      })),
    ]),
    ...overrideRules("fail", 0, idType, [
      { ids: overrides.failingUserIDs, unitType: "userID", environment: null },
      { ids: overrides.failingCustomIDs, unitType: idType, environment: null },
      ...environmentOverrides.map(({ failingIDs, environment, unitID }) => ({
        ids: failingIDs,
        unitType: unitID,
        environment,
      })),
    ]),
  ];
}

function overrideRules(
  name: "pass" | "fail",
  passPercentage: 0 | 100,
  idType: string,
  units: readonly OverriddenUnits[],
): readonly SpecRule[] {
  return units
    .filter(({ ids }) => ids.length > 0)
    .map((one) =>
      plainRule(`${name}:${one.environment ?? "all"}:id_override`, {
        passPercentage,
        returnValue: true,
        conditions: overrideConditions(one, idType),
        idType,
      }),
    );
}

/** Returns the conditions that a unit is one of some. */
function overrideConditions(
  { ids, unitType, environment }: OverriddenUnits,
  idType: string,
): readonly SpecCondition[] {
  const isUser = unitType.toLowerCase() === "userid";
  const units: SpecCondition = {
    type: isUser ? "user_field" : "unit_id",
    operator: "any",
    targetValue: ids,
    field: isUser ? "userID" : null,
    additionalValues: {},
    idType: isUser ? idType : unitType,
  };
  if (environment === null) return [units];
  return [units, environmentCondition("any", [environment], idType)];
}

/** Units that an experiment assigns to a group. */
export interface AssignedUnits {
  readonly groupID: string;
  /** The last part of the rule's name. */
  readonly kind: string;
  readonly conditions: readonly SpecCondition[];
}

/** Returns the overrides of an experiment in order: single units, then gates and segments. */
export function assignedUnits(
  { userIDOverrides, overrides }: ExperimentOverrides,
  idType: string,
): readonly AssignedUnits[] {
  return [
    ...userIDOverrides
      .filter(({ ids }) => ids.length > 0)
      .map((units) => ({
        groupID: units.groupID,
        kind: units.unitType.toLowerCase() === "userid" ? "userID:id_override" : "id_override",
        conditions: overrideConditions(units, idType),
      })),
    ...overrides.map(({ type, id, groupID, environment }) => {
      const targetValue = type === "gate" ? id : segmentName(id);
      const passes: SpecCondition = { ...PUBLIC, type: "pass_gate", targetValue, idType };
      const conditions =
        environment === null
          ? [passes]
          : [passes, environmentCondition("any", [environment], idType)];
      return { groupID, kind: `${type}_override`, conditions };
    }),
  ];
}
