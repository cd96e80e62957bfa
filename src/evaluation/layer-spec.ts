import type { Experiment } from "../contract/experiment.js";
import type { ExperimentStatus } from "../contract/experiment-fields.js";
import { BUCKETS } from "./buckets.js";
import { type ExperimentFacts, isInBuckets, type Layer } from "./experiment-spec.js";
import { isHeldOut } from "./gate-spec.js";
import { assignedUnits } from "./overrides.js";
import { plainRule, type Spec, type SpecRule } from "./spec.js";

/** The states in which an experiment has buckets. */
const mayAssign: ReadonlySet<ExperimentStatus> = new Set(["setup", "active"]);

/**
 * Returns the buckets of each experiment, by id: those that it names, else the first free ones, for the
 * experiments of a layer in the order of their start. An experiment outside layers is alone.
 */
export function allocatedBuckets(
  experiments: readonly Experiment[],
): ReadonlyMap<string, readonly number[] | undefined> {
  const ordered = experiments
    .filter(({ status }) => mayAssign.has(status))
    .sort(
      (left, right) =>
        (left.startTime ?? Number.MAX_VALUE) - (right.startTime ?? Number.MAX_VALUE) ||
        left.createdTime - right.createdTime ||
        (left.id < right.id ? -1 : 1),
    );
  const named = ordered.flatMap(({ userBuckets }) => userBuckets.map(Number));
  const free = new Set(Array.from({ length: BUCKETS }, (_, bucket) => bucket));
  for (const bucket of named) free.delete(bucket);
  const allocated = new Map<string, readonly number[] | undefined>();
  for (const { id, userBuckets, allocation } of ordered) {
    const count = Math.round((Number(allocation) / 100) * BUCKETS);
    const isAll = userBuckets.length === 0 && count >= free.size && free.size === BUCKETS;
    const own = userBuckets.length > 0 ? userBuckets.map(Number) : [...free].slice(0, count);
    for (const bucket of own) free.delete(bucket);
    allocated.set(id, isAll ? undefined : own);
  }
  return allocated;
}

/** Returns the layer with the values of the groups that its experiments have launched. */
export function layerAfterLaunches(layer: Layer, experiments: readonly Experiment[]): Layer {
  const launched = experiments
    .filter(({ status }) => status === "decision_made")
    .sort((left, right) => (left.decisionTime ?? 0) - (right.decisionTime ?? 0))
    .map(({ groups, launchedGroupID }) => groups.find(({ id }) => id === launchedGroupID));
  const values = launched.map((group) => group?.parameterValues ?? {});
  return { ...layer, defaultValue: Object.assign({}, layer.defaultValue, ...values) };
}

/** Returns the specification of a layer. Each of its experiments decides for the units that it has. */
export function layerSpec(layer: Layer, members: readonly ExperimentFacts[]): Spec {
  const { id, idType, defaultValue } = layer;
  const base = { returnValue: defaultValue, idType };
  return {
    name: id,
    type: "dynamic_config",
    entity: "layer",
    salt: id,
    enabled: true,
    defaultValue,
    idType,
    rules: [
      ...members.flatMap((member) => overrideRules(member, base)),
      ...layer.holdoutIDs.map((holdout) =>
        plainRule(holdout, { ...base, conditions: [isHeldOut(holdout, idType)] }),
      ),
      ...members.flatMap((member) => delegationRules(member, base)),
    ],
    version: layer.version,
    targetAppIDs: [layer.targetApps].flat(),
  };
}

function overrideRules(
  { experiment, overrides }: ExperimentFacts,
  base: Pick<SpecRule, "returnValue" | "idType">,
): readonly SpecRule[] {
  return assignedUnits(overrides, experiment.idType).map(({ groupID, kind, conditions }) =>
    plainRule(`${experiment.id} ${groupID}:${kind}`, {
      ...base,
      conditions,
      configDelegate: experiment.id,
    }),
  );
}

function delegationRules(
  facts: ExperimentFacts,
  base: Pick<SpecRule, "returnValue" | "idType">,
): readonly SpecRule[] {
  const { experiment, buckets } = facts;
  if (experiment.status !== "active") return [];
  const rule = { ...base, configDelegate: experiment.id };
  if (buckets === undefined) return [plainRule("experimentAssignment", rule)];
  const conditions = [isInBuckets(facts, buckets)];
  return [plainRule("experimentAssignment", { ...rule, conditions })];
}
