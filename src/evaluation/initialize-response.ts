import { hash } from "node:crypto";
import type { nameHashes } from "../contract/evaluation.js";
import type { AnyObject } from "../contract/fields.js";
import type { SpecCatalogue } from "./catalogue.js";
import type { Evaluation, Exposure } from "./evaluation.js";
import type { Evaluator } from "./evaluator.js";
import { isOfApp, type Spec } from "./spec.js";

type NameHash = (typeof nameHashes)[number];

const hashed: Readonly<Record<NameHash, (name: string) => string>> = {
  djb2,
  sha256: (name) => hash("sha256", name, "base64"),
  none: (name) => name,
};

/** Returns the names by which SDKs of clients may log an entity: its own and its hashes. */
export function loggedNames(name: string): readonly string[] {
  return Object.values(hashed).map((hash) => hash(name));
}

/** Returns the djb2 hash of a text's UTF-16 units, as 32 unsigned bits in decimal digits. */
function djb2(text: string): string {
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    value = (Math.imul(value, 31) + text.charCodeAt(at)) | 0;
  }
  return String(value >>> 0);
}

/** The specifications that clients get answers of: segments and holdouts are not asked. */
export function askedSpecs(
  catalogue: SpecCatalogue,
  targetApp: string | undefined,
): { readonly [Part in "gates" | "configs" | "layers"]: readonly Spec[] } {
  const isAsked = (spec: Spec) =>
    spec.entity !== "segment" && spec.entity !== "holdout" && isOfApp(spec, targetApp);
  return {
    gates: [...catalogue.gates()].filter(isAsked),
    configs: [...catalogue.configs()].filter(isAsked),
    layers: [...catalogue.layers()].filter(isAsked),
  };
}

/**
 * Returns the answers for one user, as SDKs of clients read them (`InitializeResponse.ts`): by the hashes of
 * their names.
 */
export function initializeAnswers(
  asked: ReturnType<typeof askedSpecs>,
  catalogue: SpecCatalogue,
  evaluator: Evaluator,
  nameHash: NameHash,
): AnyObject {
  const nameOf = hashed[nameHash];
  const exposures = (list: readonly Exposure[]) =>
    list.map(({ gate, ...rest }) => ({ gate: nameOf(gate), ...rest }));
  const byName = (specs: readonly Spec[], answer: (spec: Spec) => AnyObject) =>
    Object.fromEntries(
      specs.map((spec) => {
        const name = nameOf(spec.name);
        return [name, { name, ...answer(spec) }];
      }),
    );
  const valueAnswer = ({ idType }: Spec, { value, ruleID, groupName, ...rest }: Evaluation) => ({
    value,
    group: ruleID,
    rule_id: ruleID,
    ...(groupName !== null && { group_name: groupName }),
    id_type: idType,
    is_device_based: idType.toLowerCase() === "stableid",
    secondary_exposures: exposures(rest.exposures),
  });
  return {
    feature_gates: byName(asked.gates, ({ name, idType }) => {
      const { passes, ruleID, exposures: list } = evaluator.gate(name);
      return {
        value: passes,
        rule_id: ruleID,
        id_type: idType,
        secondary_exposures: exposures(list),
      };
    }),
    dynamic_configs: byName(asked.configs, (spec) => {
      const evaluation = evaluator.config(spec.name);
      return {
        ...valueAnswer(spec, evaluation),
        ...(spec.entity === "experiment"
          ? experimentMembers(spec, evaluation)
          : { passed: evaluation.passes }),
      };
    }),
    layer_configs: byName(asked.layers, (spec) => {
      const evaluation = evaluator.layer(spec.name);
      const { delegate, isExperimentGroup, undelegatedExposures } = evaluation;
      const experiment = delegate === undefined ? undefined : catalogue.config(delegate);
      return {
        ...valueAnswer(spec, evaluation),
        explicit_parameters: experiment?.explicitParameters ?? [],
        undelegated_secondary_exposures: exposures(undelegatedExposures),
        ...(experiment !== undefined && {
          allocated_experiment_name: nameOf(experiment.name),
          is_experiment_active: experiment.isActive === true,
          is_user_in_experiment: isExperimentGroup,
        }),
      };
    }),
  };
}

function experimentMembers(spec: Spec, { isExperimentGroup }: Evaluation): AnyObject {
  return {
    is_user_in_experiment: isExperimentGroup,
    is_experiment_active: spec.isActive === true,
    ...(spec.hasSharedParams === true && {
      is_in_layer: true,
      explicit_parameters: spec.explicitParameters ?? [],
    }),
  };
}
