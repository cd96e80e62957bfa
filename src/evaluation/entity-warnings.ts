import type { Warning } from "../contract/common.js";
import type { DynamicConfig } from "../contract/dynamic-config.js";
import type { Environments } from "../contract/environments.js";
import type { Experiment } from "../contract/experiment.js";
import type { Gate } from "../contract/gate.js";
import type { Holdout } from "./gate-spec.js";
import type { ExperimentOverrides, GateOverrides } from "./overrides.js";
import {
  environmentWarnings,
  missingWarnings,
  ruleWarnings,
  type Surroundings,
  unknownEnvironment,
} from "./rule-warnings.js";

type WarnedGate = Pick<Gate, "rules" | "holdoutIDs" | "reviewSettings">;

/** Returns what can never work as meant in a gate. */
export function gateWarnings(
  { rules, holdoutIDs, reviewSettings }: WarnedGate,
  surroundings: Surroundings,
): readonly Warning[] {
  return [
    ...ruleWarnings(rules, surroundings),
    ...missingHoldouts(holdoutIDs, surroundings),
    // Only earlier versions stored it.
    ...reviewWarnings(reviewSettings.requiredReview, "reviewSettings.requiredReview"),
  ];
}

type WarnedConfig = Pick<DynamicConfig, "id" | "rules" | "holdoutIDs">;

/** Returns what can never work as meant in a dynamic config. */
export function configWarnings(
  { id, rules, holdoutIDs }: WarnedConfig,
  surroundings: Surroundings,
  before?: WarnedConfig,
): readonly Warning[] {
  return [
    ...ruleWarnings(rules, surroundings),
    ...missingHoldouts(holdoutIDs, surroundings),
    ...(before === undefined && surroundings.has("experiment", id) ? [hidden] : []),
  ];
}

/** An id that a dynamic config and an experiment share. */
const hidden: Warning = {
  property: "id",
  message:
    "SDKs know one namespace of dynamic configs and experiments: the experiment of this id hides " +
    "the dynamic config. Choose another id",
};

type WarnedHoldout = Pick<Holdout, "targetingGateID" | "gateIDs" | "experimentIDs" | "layerIDs">;

/** Returns what can never work as meant in a holdout. */
export function holdoutWarnings(
  { targetingGateID, gateIDs = [], experimentIDs = [], layerIDs = [] }: WarnedHoldout,
  surroundings: Surroundings,
): readonly Warning[] {
  const missing = (
    kind: "gate" | "experiment" | "layer",
    ids: readonly string[],
    property: string,
    effect = "nobody is held out of it",
  ) =>
    ids.flatMap((id, index) =>
      missingWarnings(kind, id, `${property}[${index}]`, surroundings, effect),
    );
  const targeting = ["gate", targetingGateID, "targetingGateID", surroundings] as const;
  return [
    ...missingWarnings(...targeting, "nobody is held out"),
    ...missing("gate", gateIDs, "gateIDs"),
    ...missing("experiment", experimentIDs, "experimentIDs"),
    ...missing("layer", layerIDs, "layerIDs", "only experiments that name it have units held out"),
  ];
}

/** Returns the settings of environments that this service stores for clients, but does not follow. */
export function environmentsWarnings({ environments }: Environments): readonly Warning[] {
  return environments.flatMap((environment, index) =>
    (["requiresReview", "requiresReleasePipeline"] as const).flatMap((field) =>
      reviewWarnings(environment[field], `environments[${index}].${field}`),
    ),
  );
}

function reviewWarnings(isRequired: boolean | undefined, property: string): readonly Warning[] {
  if (isRequired !== true) return [];
  const message = "Stored, but changes are not held back: review them before they are written";
  return [{ property, message }];
}

/** Returns a warning for each holdout that does not exist. */
function missingHoldouts(
  holdoutIDs: readonly string[],
  surroundings: Surroundings,
): readonly Warning[] {
  return holdoutIDs.flatMap((id, index) =>
    missingWarnings("holdout", id, `holdoutIDs[${index}]`, surroundings, "it holds nobody out"),
  );
}

type WarnedExperiment = Pick<
  Experiment,
  | "id"
  | "status"
  | "groups"
  | "targetingGateID"
  | "layerID"
  | "launchedGroupID"
  | "enabledNonProdEnvironments"
> &
  Partial<Pick<Experiment, "controlGroupID">>;

/** Returns what can never work as meant in an experiment, and what moves its units to other groups. */
export function experimentWarnings(
  next: WarnedExperiment,
  surroundings: Surroundings,
  before?: WarnedExperiment,
): readonly Warning[] {
  const { targetingGateID, layerID, controlGroupID, launchedGroupID } = next;
  const missing = ["gate", targetingGateID, "targetingGateID", surroundings] as const;
  const layer = ["layer", layerID, "layerID", surroundings] as const;
  const environments = next.enabledNonProdEnvironments;
  return [
    ...groupWarnings(next, before),
    ...missingWarnings(...missing, "nobody takes part"),
    ...missingWarnings(...layer, "only experiments that name it share its units"),
    ...unknownGroup(next, controlGroupID, "controlGroupID", "the first group is the control"),
    ...unknownGroup(next, launchedGroupID, "launchedGroupID", "everybody gets the default"),
    ...(environments.length === 0
      ? []
      : environmentWarnings(environments, surroundings, "enabledNonProdEnvironments")),
    ...(before === undefined && surroundings.has("dynamic_config", next.id) ? [hidden] : []),
  ];
}

/** Returns a warning if no group has the id. `effect` says what follows. */
function unknownGroup(
  { groups }: WarnedExperiment,
  id: string | null | undefined,
  property: string,
  effect: string,
): readonly Warning[] {
  if (id === null || id === undefined || id === "") return [];
  if (groups.some((group) => group.id === id)) return [];
  const known = groups.map((group) => `${group.name} (${group.id})`).join(", ");
  return [{ property, message: `There is no group ${id}: ${effect}. Known: ${known}` }];
}

/** Returns what can never work as meant in the overrides of an experiment. */
export function experimentOverrideWarnings(
  { overrides, userIDOverrides }: ExperimentOverrides,
  surroundings: Surroundings,
): readonly Warning[] {
  return [
    ...overrides.flatMap(({ type, id }, index) =>
      missingWarnings(type, id, `overrides[${index}].id`, surroundings, "nobody gets the group"),
    ),
    ...unknownEnvironments(overrides, "overrides", surroundings),
    ...unknownEnvironments(userIDOverrides, "userIDOverrides", surroundings),
  ];
}

/** Returns what can never work as meant in the overrides of a gate. */
export function gateOverrideWarnings(
  { environmentOverrides }: Pick<GateOverrides, "environmentOverrides">,
  surroundings: Surroundings,
): readonly Warning[] {
  return unknownEnvironments(environmentOverrides, "environmentOverrides", surroundings);
}

function unknownEnvironments(
  entries: readonly { readonly environment: string | null }[],
  list: string,
  surroundings: Surroundings,
): readonly Warning[] {
  return entries.flatMap(({ environment }, index) => {
    if (environment === null || surroundings.environments.has(environment.toLowerCase())) return [];
    const message = unknownEnvironment(environment, surroundings);
    return [{ property: `${list}[${index}].environment`, message }];
  });
}

function groupWarnings(next: WarnedExperiment, before: WarnedExperiment | undefined): Warning[] {
  const isActive = before?.status === "active" && next.status === "active";
  if (!isActive || rangesOf(next) === rangesOf(before)) return [];
  const message =
    "The experiment is active: units move to other groups, and their events count for both. " +
    "Restart it as new instead";
  return [{ property: "groups", message }];
}

/** Returns the part of the units that each group has. */
function rangesOf({ groups }: WarnedExperiment): string {
  let end = 0;
  const ranges = groups.map(({ id, size }) => {
    const start = end;
    end += Number(size);
    return { id, start, end };
  });
  return JSON.stringify(ranges.filter(({ start, end }) => start < end));
}
