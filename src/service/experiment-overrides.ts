import type { Experiment } from "../contract/experiment.js";
import type {
  ExperimentOverrides,
  ExperimentOverridesRequest,
  experimentOverrideRoutes,
} from "../contract/experiment-overrides.js";
import type { Fault } from "../contract/faults.js";
import { OVERRIDE_IDS_MAX } from "../contract/gate-overrides.js";
import { experimentOverrideWarnings } from "../evaluation/entity-warnings.js";
import type { Handlers } from "../http/handler.js";
import { refuseFaults } from "../http/service-error.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, PartType } from "./entity-type.js";
import { experimentType } from "./experiment-states.js";
import { type Combine, overrideHandlers, union } from "./override-handlers.js";

/** Overrides as they are stored, with the identifiers of groups. */
type OverridesBody = EntityBody & ExperimentOverrides;

const noOverrides = { overrides: [], userIDOverrides: [] } satisfies Partial<ExperimentOverrides>;

const overridesType: PartType<OverridesBody, Experiment> = {
  kind: "experiment_override",
  title: "Experiment Overrides",
  idOf: ({ id }) => id,
  referencesOf: ({ overrides }) => overrides.map(({ type, id }) => ({ kind: type, id })),
  warningsOf: experimentOverrideWarnings,
  ownerType: experimentType,
  initial: noOverrides,
};

export function experimentOverrideHandlers(
  operations: EntityOperations,
): Handlers<typeof experimentOverrideRoutes> {
  return overrideHandlers("Experiment", operations, overridesType, noOverrides, changedOverrides);
}

type Overrides = Pick<ExperimentOverrides, keyof typeof noOverrides>;

/**
 * Returns overrides after some are added or removed. Throws a 400 for unknown groups, and if a unit, gate
 * or segment then has two groups.
 */
function changedOverrides(
  current: Overrides,
  given: ExperimentOverridesRequest,
  combine: Combine,
  experiment: Experiment,
): Overrides {
  const changes = withGroupIDs(given, experiment);
  const byTarget = new Map(current.overrides.map((one) => [JSON.stringify(one), one]));
  for (const one of changes.overrides) {
    if (combine === union) byTarget.set(JSON.stringify(one), one);
    else byTarget.delete(JSON.stringify(one));
  }
  const byGroup = new Map(current.userIDOverrides.map((entry) => [keyOf(entry), entry]));
  for (const entry of changes.userIDOverrides) {
    const ids = combine(byGroup.get(keyOf(entry))?.ids ?? [], entry.ids);
    byGroup.set(keyOf(entry), { ...entry, ids });
  }
  const next = {
    overrides: [...byTarget.values()],
    userIDOverrides: [...byGroup.values()].filter(({ ids }) => combine === union || ids.length > 0),
  };
  refuseFaults([...targetFaults(next), ...unitFaults(next)]);
  return next;
}

function keyOf({ groupID, environment, unitType }: Overrides["userIDOverrides"][number]): string {
  return JSON.stringify([groupID, environment, unitType]);
}

/** Returns overrides with all fields, and with identifiers instead of names of groups. Throws a 400. */
function withGroupIDs(
  { overrides = [], userIDOverrides = [] }: ExperimentOverridesRequest,
  { groups }: Experiment,
): Overrides {
  const faults: Fault[] = [];
  const idOf = (groupID: string, list: string, index: number): string => {
    const isOne = (group: { id: string }) => group.id === groupID;
    const group = groups.find(isOne) ?? groups.find(({ name }) => name === groupID);
    if (group !== undefined) return group.id;
    const known = groups.map(({ id, name }) => `${name} (${id})`).join(", ");
    const errorMessage = `There is no group ${groupID}; known: ${known}`;
    faults.push({ property: `${list}[${index}].groupID`, errorMessage });
    return groupID;
  };
  const next = {
    overrides: overrides.map(({ type, id, groupID, environment = null }, index) => ({
      type,
      id,
      groupID: idOf(groupID, "overrides", index),
      environment,
    })),
    userIDOverrides: userIDOverrides.map(
      ({ groupID, ids, environment = null, unitType }, index) => ({
        groupID: idOf(groupID, "userIDOverrides", index),
        ids,
        environment,
        unitType: unitType ?? "userID",
      }),
    ),
  };
  refuseFaults(faults);
  return next;
}

/** Returns a fault for each gate or segment with two groups in one environment. */
function targetFaults({ overrides }: Overrides): Fault[] {
  const seen = new Set<string>();
  return overrides.flatMap(({ type, id, environment }, index) => {
    const key = JSON.stringify([type, id, environment]);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const errorMessage = `${type} ${id} has another group already: remove it from one of them first`;
    return [{ property: `overrides[${index}].id`, errorMessage }];
  });
}

/** Returns a fault for each unit with two groups in one environment, and for lists that are too long. */
function unitFaults({ userIDOverrides }: Overrides): Fault[] {
  const seen = new Set<string>();
  return userIDOverrides.flatMap(({ ids, environment, unitType }, index) => {
    const property = `userIDOverrides[${index}].ids`;
    if (ids.length > OVERRIDE_IDS_MAX) {
      const errorMessage = `Must have at most ${OVERRIDE_IDS_MAX} ids: use a segment for more`;
      return [{ property, errorMessage }];
    }
    return ids.flatMap((id) => {
      const key = JSON.stringify([id, environment, unitType]);
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      const errorMessage = `${id} has another group already: remove it from one of them first`;
      return [{ property, errorMessage }];
    });
  });
}
